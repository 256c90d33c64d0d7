#!/usr/bin/env bash
# tests/e2e/nvtx.sh - what programs say through NVTX is in the trace, in the SQLite database and in the reports
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
byhand=$GPUTAP_BUILD/tests/e2e/nvtx_byhand
. "$GPUTAP_TESTS/check_lib.sh"

verify() { python3 "$GPUTAP_TESTS/e2e/nvtx_check.py" "$@"; }
absent() { ! ls -d "$1"* >/dev/null 2>&1; }

unset NVTX_INJECTION64_PATH
"$tap" run -q -f -o hand -- "$byhand" >hand.out 2>hand.err
check "a client's calls return what they return without a tool" test ! -s hand.out
check "pushes, pops, starts and ends of a client are joined" verify byhand hand.gputap
"$tap" run -q -f -o old -- "$byhand" old >old.out 2>/dev/null
check "a client with fewer slots keeps the others untouched" test ! -s old.out
check "... and is traced" verify old old.gputap
"$tap" run -q -f -t opencl -o without -- "$byhand" >without.out 2>/dev/null
check "without the domain the client finds no tool" grep -qx "no tool" without.out
check "... and there is no image in the trace" absent without.gputap/[0-9]
"$tap" run -q -f -t nvtx -o alone -- "$byhand" >/dev/null 2>&1
check "the domain alone is enough" verify byhand alone.gputap
NVTX_INJECTION64_PATH=$PWD/no-such-folder/tool.so "$tap" run -q -f -o other -- "$byhand" >other.out 2>/dev/null
check "another tool's path stays as it is" grep -qx "no tool" other.out
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=preload "$byhand" >preload.out 2>/dev/null
check "a plain preload is found as well" verify byhand preload.gputap
ln -sf "$GPUTAP_BUILD/libgputap.so" .
LD_PRELOAD=./libgputap.so GPUTAP_OUTPUT=relative "$byhand" >/dev/null 2>&1
check "... by a relative path too" verify byhand relative.gputap
"$tap" run -q -f -o late -- "$byhand" late >/dev/null 2>&1
check "marks behind the exit handlers are counted" \
	test "$("$tap" info --json late.gputap | grep -o '"LATE_CALL":[0-9]*'):$("$tap" dump late.gputap | grep -c 'in time')" = '"LATE_CALL":3:1'
"$tap" run -q -f -o jumps -- "$byhand" jumps >jumps.out 2>/dev/null
read -r begun back <jumps.out
marks=$("$tap" dump --json jumps.gputap | grep -c '"in time"')
check "a mark that a handler leaves hides no other one: those that came back are there" test "${marks:-0}" -ge "$back"
check "... and no more than were begun" test "${marks:-0}" -le "$begun"
"$tap" run -q -f --ring --max-size=3M -o many -- "$byhand" many >/dev/null 2>&1
check "a ring keeps the names that its ranges need" verify many many.gputap
gone=$("$tap" info many.gputap | grep -Eo '[0-9]+ *calls overwritten, or NVTX' | head -n 1 | tr -dc 0-9)
check "... and counts the ranges and marks that went" \
	test "$((${gone:-0} + $("$tap" dump --json many.gputap | grep -c '"type":"range"')))" = 230000

cell() { sqlite3 -separator '|' "$1" "$2"; }
"$tap" export -q -f -e sqlite -o hand hand.gputap
check "ranges have rows with text, end and level of their kind" \
	test "$(cell hand.sqlite "SELECT eventType, text, rangeId IS NULL, end > start FROM NVTX_EVENTS WHERE text = 'by hand'")" = "59|by hand|1|1"
check "a registered string is text and textId" \
	test "$(cell hand.sqlite "SELECT eventType, text, value FROM NVTX_EVENTS JOIN StringIds ON id = textId")" = "60|kept|kept"
check "domains are found by id and process" \
	test "$(cell hand.sqlite "SELECT d.text FROM NVTX_EVENTS r JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = r.domainId AND
		(d.globalTid & 0x0000FFFFFF000000) = (r.globalTid & 0x0000FFFFFF000000) WHERE r.eventType = 60 ORDER BY r.start")" = "$(printf 'one\ntwo')"
"$tap" export -q -f -e sqlite --nvtx-text=strict -o strict hand.gputap
check "... and textId alone when that is asked" \
	test "$(cell strict.sqlite "SELECT text IS NULL, value FROM NVTX_EVENTS JOIN StringIds ON id = textId")" = "1|kept"
"$tap" export -q -f -e sqlite --sqlite-schema=2021 -o old hand.gputap
check "... and in the edition of 2021" \
	test "$(cell old.sqlite "SELECT text IS NULL, value FROM NVTX_EVENTS JOIN StringIds ON StringIds.id = textId")" = "1|kept"

"$tap" export -q -f -e atp,apilog -o hand hand.gputap
markers() { python3 "$GPUTAP_TESTS/golden/atp_parse.py" "$1" | grep -o 'markers=[0-9]*'; }
check "marks and pushes are performance markers of .atp, also where nothing was called" \
	test "$(markers hand.atp)" = "markers=$(cell hand.sqlite "SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59)")"
check "... and no API log is made of them" absent hand.apilog

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	"$tap" run -q -f -o cl -- "$byhand" opencl >/dev/null 2>&1
	stats() { "$tap" stats -q -r "$1" --format csv cl.gputap | cut -d, -f"$2" | tail -n +2 | sort; }
	check "kernels count for every range around their call" \
		test "$(stats nvtx_kern_sum 1,2,5,6,13)" = "$(printf ':first,PushPop,1,1,add\n:inner,PushPop,1,2,add\n:outer,PushPop,1,2,add')"
	check "projected ranges know their operations, level and children" \
		test "$(stats nvtx_gpu_proj_trace 1,9,10,11)" = "$(printf ':first,1,0,0\n:inner,3,1,0\n:outer,3,0,1')"
	check "... and their sums do" test "$(stats nvtx_gpu_proj_sum 1,5,11)" = "$(printf ':first,1,1\n:inner,1,3\n:outer,1,3')"
	check "pushes have their parent and its time without them" \
		test "$("$tap" stats -q -r nvtx_pushpop_trace --format csv cl.gputap | awk -F, '$6 == ":outer" { print ($3 == $4 + $5), ($4 > 0), $10 }')" = "1 1 1"
	"$tap" run -q -f -t nvtx -o ranges -- "$byhand" opencl >/dev/null 2>&1
	check "the domain alone records no OpenCL call" \
		test "$("$tap" dump --json ranges.gputap 2>/dev/null | grep -c '"type":"range"')/$("$tap" dump --json ranges.gputap 2>/dev/null | grep -c '"type":"call"')" = 3/0
else
	skip "no OpenCL platform" 5
fi

include=
for dir in /usr/local/cuda*/include /usr/include; do
	[ -f "$dir/nvtx3/nvToolsExtPayload.h" ] && include=$dir
done
if [ -n "$include" ]; then
	check "our definitions are those of the vendor's headers" ${CC:-cc} -std=gnu11 -DCL_TARGET_OPENCL_VERSION=300 -I"$GPUTAP_TESTS/.." -I"$include" -fsyntax-only "$GPUTAP_TESTS/e2e/nvtx/abi.c"
fi
if [ -n "$include" ] && ${CC:-cc} -O2 -I"$include" -o real "$GPUTAP_TESTS/e2e/nvtx/real.c" -ldl -lpthread 2>cc.err; then
	"$tap" run -q -f -o real -- ./real >real.out 2>&1
	check "a program with the vendor's headers ends as without us" test ! -s real.out
	check "every kind of NVTX call is in its trace" verify real real.gputap
	"$tap" export -q -f -e sqlite -o real real.gputap
	check "structured payloads are shown by their schema" \
		test "$(cell real.sqlite "SELECT jsonText FROM NVTX_EVENTS WHERE jsonText IS NOT NULL")" = '{"bytes":4096,"rate":2.5}'
else
	skip "no NVTX headers to build a program with" 4
fi
if [ -n "$include" ] && [ -f "$include/nvtx3/nvToolsExtCounters.h" ] &&
	${CC:-cc} -O2 -I"$include" -o extensions "$GPUTAP_TESTS/e2e/nvtx/extensions.c" -ldl -lpthread 2>cc.err; then
	./extensions >bare.out 2>&1
	"$tap" run -q -f -o extensions -- ./extensions >extensions.out 2>&1
	check "extensions that nobody records return what they return without a tool" cmp bare.out extensions.out
	check "... and what comes after them is recorded" sh -c '"$1" dump extensions.gputap 2>/dev/null | grep -q "push :\"after\""' - "$tap"
else
	skip "no NVTX headers with extensions" 2
fi
python=${NVTX_PYTHON:-python3}
if "$python" -c 'import nvtx' 2>/dev/null; then
	"$tap" run -q -f -o python -- "$python" "$GPUTAP_TESTS/e2e/nvtx/annotate.py" >/dev/null 2>&1
	check "ranges of the Python package are in the trace" verify python python.gputap
else
	skip "no Python package nvtx"
fi
legacy=${NVTX_V2_LIBRARY-$(ldconfig -p 2>/dev/null | sed -n 's/.*libnvToolsExt\.so\.1 .*=> //p' | head -n 1)}
[ -n "$legacy" ] || legacy=$(ls /usr/local/cuda*/lib64/libnvToolsExt.so.1 2>/dev/null | head -n 1)
if [ -n "$legacy" ] && ${CC:-cc} -O1 -I"$GPUTAP_TESTS/.." -o legacy "$GPUTAP_TESTS/e2e/nvtx/legacy.c" -ldl; then
	./legacy "$legacy" >bare.out 2>&1
	"$tap" run -q -f -o legacy -- ./legacy "$legacy" >legacy.out 2>&1
	check "a program with the library of version 2 ends as without us" cmp -s bare.out legacy.out
	check "... and is in the trace" verify legacy legacy.gputap
else
	skip "no library of NVTX version 2 (libnvToolsExt.so.1)" 2
fi
finish
