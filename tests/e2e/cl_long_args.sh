#!/usr/bin/env bash
# tests/e2e/cl_long_args.sh - long lists, texts, values and sources are whole, or cut at --max-args, marked and counted
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cl_lib.sh
. "$GPUTAP_TESTS/e2e/cl_lib.sh"
gputap=$GPUTAP_BUILD/gputap
unset FAKECL_FAULTS FAKECL_PLATFORMS FAKECL_DEVICES

# recorded N OPTION...: leaves out, run.err, t.gputap, info, dump.json
recorded() {
	rm -rf t.gputap
	"$gputap" run -f -o t "${@:2}" -- "$GPUTAP_BUILD/tests/e2e/cl_long_args" "$1" >out 2>run.err
	"$gputap" info t.gputap >info 2>&1
	"$gputap" dump --json t.gputap >dump.json 2>/dev/null
}
# compared whole|cut
compared() { python3 "$GPUTAP_TESTS/e2e/cl_long_args.py" out dump.json "$1" >compared; }
said() { grep -Eq "$1" run.err; }
exported() { "$gputap" export -q -f --jobs "$1" -e "$2" "${@:4}" -o "$3" t.gputap >/dev/null 2>&1; }

for n in 700 20000; do
	recorded $n
	check "$n elements: all of them ($(compared whole; tail -n 1 compared))" compared whole
	check "$n elements: complete" said 'complete: yes'
done
for kind in atp apilog pftrace; do
	exported 1 ${kind/pftrace/perfetto} one && exported 3 ${kind/pftrace/perfetto} three
	check "$kind: the same with several threads" cmp one.$kind three.$kind
done
check ".atp: each event of the wait list" [ "$(grep -o 'clEnqueueNDRangeKernel (.*' one.atp | head -n 1 | grep -o 0x | wc -l)" -gt 20000 ]
check ".atp: no list ends in dots" [ "$(grep -c ',\.\.\.\]' one.atp)" = 0 ]
"$gputap" pack -q t.gputap >/dev/null 2>&1 || "$gputap" pack t.gputap >/dev/null 2>&1
packed=$(ls -d t.gputap* | head -n 1)
"$gputap" dump --json "$packed" >dump.json 2>/dev/null
check "packed: all of them" compared whole

recorded 20000 --max-args=32K
check "--max-args: cut, and marked at each call ($(compared cut; tail -n 1 compared))" compared cut
check "--max-args: counted, call by call" said 'complete: no \(.*[0-9]+ arguments cut'
check "--max-args: as many as are marked" [ "$(grep -c '"cut":\[' dump.json)" = "$(awk '/arguments cut/ && /^ / {print $1}' info)" ]
check "--max-args: info names the first of them" grep -Eq 'process [0-9]+, cl[A-Za-z]+ at 0\.' info
check "... and how many there are" grep -Eq 'failed +each list and text .*not so for [0-9]+ of [0-9]+ calls' info
lost() { "$gputap" stats -j "$1" -r opencl_api_sum t.gputap 2>&1 | grep -o 'complete: .*'; }
check "... as many by several threads" [ "$(lost 1)" = "$(lost 3)" ]
exported 1 atp cut; exported 1 apilog cut; exported 1 perfetto cut; exported 1 sqlite cut --sqlite-arguments
check ".atp marks the list" grep -q ',\.\.\.\]' cut.atp
check "the API log marks the text" grep -Eq 'clBuildProgram.*"\.\.\.' cut.apilog
check "SQLite marks the list" [ "$(sqlite3 cut.sqlite "SELECT count(*) FROM OPENCL_API WHERE arguments LIKE '%...%'")" -gt 3 ]

recorded 20000 --max-contents=100K
check "no room for contents: cut, and marked ($(compared cut; tail -n 1 compared))" said 'complete: no \(.*arguments cut'

recorded 700 --sources=false
check "--sources=false: the answer with the source is left out, and no loss" said 'complete: yes'
check "... and marked" [ "$(grep '"clGetProgramInfo"' dump.json | grep -c '"cut":\["param_value"\]')" = 1 ]
check "... and in no file" [ "$(cat t.gputap/*/*.str | grep -c 'kernel void t(S s')" = 0 ]
finish
