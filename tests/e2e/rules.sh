#!/usr/bin/env bash
# tests/e2e/rules.sh - rules on what a real runtime tells of launches that deserve them, and of their mended twins
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# One compute unit, and as many as there are processors: two kinds of launches need several.
for device in basic pthread; do
	export POCL_DEVICES=$device
	timeout -k 5 90 "$tap" run -q -f --summary=none -o "$device" -- "$GPUTAP_BUILD/tests/e2e/cl_deserve" >truth || cat truth
	"$tap" metrics --format csv "$device.gputap" >"$device.csv"
	check "rules speak of what deserves them alone ($device)" python3 "$GPUTAP_TESTS/e2e/rules_check.py" truth "$device.csv"
	check "a report is written ($device)" "$tap" export -q -f -e ncu-rep --apply-rules=false -o "$device" "$device"
	check "and rules say the same of it ($device)" python3 "$GPUTAP_TESTS/e2e/rules_check.py" truth "$device.ncu-rep"
done

# It is a second of compiling and some microseconds of kernels: nobody is told of such a share of the run.
check "what is under 1 % of the run is not told" test -z "$("$tap" report --apply-rules --rule OpenCLLocalSize,OpenCLFewGroups,OpenCLTail pthread)"

# What a rule says of a kernel's place in time, and (the stand-in alone tells it) of its private memory.
placed() { "$tap" export -q -f -e ncu-rep --apply-rules=false --launch-count=0 -o "$1" "$1" && python3 "$GPUTAP_TESTS/e2e/place_rules_check.py" "$1.ncu-rep" "${@:2}"; }
timeout -k 5 90 "$tap" run -q -f --summary=none -o place -- "$GPUTAP_BUILD/tests/e2e/cl_place_rules" >truth
check "rules on times speak of a late program and of a copy that the kernel waits for, and of nothing else" placed place HostGap CopyOverlap
OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors timeout -k 5 90 "$tap" run -q -f --summary=none -o private -- \
	"$GPUTAP_BUILD/tests/e2e/cl_place_rules" OpenCLPrivateMemory >truth
check "a rule speaks of private memory where the runtime tells of it" placed private OpenCLPrivateMemory

# Real runtimes: the rule can tell a kernel with an array of 16 KiB from one without where the runtime does.
told=$("$GPUTAP_BUILD/tests/e2e/cl_place_rules" private)
if [ "${told% *}" != "${told#* }" ]; then
	timeout -k 5 90 "$tap" run -q -f --summary=none -o private -- "$GPUTAP_BUILD/tests/e2e/cl_place_rules" OpenCLPrivateMemory >truth
	check "and where a real runtime does ($told bytes)" placed private OpenCLPrivateMemory
else
	echo "skipped: the rule on private memory: this runtime tells ${told% *} bytes of a kernel with an array of 16 KiB, and as many of one without"
fi

# Each program has a process of its own: what it makes and never uses is told with its first kernel.
timeout -k 5 90 "$tap" run -q -f --summary=none -o unused -- sh -c '"$0" UnusedBuffers bad; "$0" UnusedBuffers good' "$GPUTAP_BUILD/tests/e2e/cl_place_rules" >truth
check "a rule speaks of buffers that nothing uses, and of none that a kernel, a copy, a fill, a map, a list or a part uses" placed unused UnusedBuffers
check "it counts those, not others" grep -q 'made 7 buffers of 7.0 MiB that nothing uses' <("$tap" report --apply-rules --rule UnusedBuffers unused | tr -s ' \n' ' ')
timeout -k 5 90 "$tap" run -q -f --summary=none --stop-after 1ns -o unused -- "$GPUTAP_BUILD/tests/e2e/cl_place_rules" UnusedBuffers bad >truth
check "where not everything was recorded nothing is claimed" eval "! '$tap' report --apply-rules --rule UnusedBuffers unused 2>/dev/null | grep -q Unused"

# Many launches are tiny unless the machine was busy with something else; the program says what its own times were.
for try in 1 2 3 4 5; do
	POCL_DEVICES=basic timeout -k 5 90 "$tap" run -q -f --summary=none -o tiny -- "$GPUTAP_BUILD/tests/e2e/cl_place_rules" TinyKernels >truth
	! grep -q '^TinyKernels' truth || break
done
once() { "$tap" export -q -f -e ncu-rep --apply-rules=false -o tiny tiny && python3 "$GPUTAP_TESTS/e2e/place_rules_check.py" tiny.ncu-rep TinyKernels; }
if grep -q '^TinyKernels' truth; then
	check "a rule speaks of many tiny launches, and not of the one that does their work" once
else
	echo "skipped: no launch was tiny in $try runs: $(cat truth)"
fi

# By default they are applied when a report is made, and to a trace when asked for.
"$tap" export -q -f -e ncu-rep -o ruled place
check "a report holds what rules said" grep -q 'its own code.* Prepare the next work' ruled.ncu-rep
check "reports of others' scripts show it" python3 - <<END
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "$GPUTAP_TESTS/../python")
import ncu_report
said = {a.name(): [r["identifier"] for r in a.rule_results() if r["body"]["items"]] for part in ncu_report.load_report("ruled.ncu-rep") for a in part}
sys.exit("HostGap" not in said["bad_HostGap"] or "HostGap" in said["good_HostGap"])
END
"$tap" report --apply-rules place >said
check "a trace is a report too" grep -qx 'bad_HostGap: Gaps before the kernel' said
check "with the share of the run" grep -qE 'Optimization: Gap \(at most [0-9.]+ % of the run\)' said
check "and the page of the report says it where Nsight Compute does" grep -qE 'OPT Est. Speedup: [0-9.]+% The device was idle for' <("$tap" report ruled.ncu-rep)
check "and leaves none behind" test "$(find "${TMPDIR:-/tmp}" . -name '*.ncu-rep' -newer said | wc -l)" -eq 0
# No room for what rules said: the report without it is not taken for the whole one.
"$tap" export -q -f -e ncu-rep --apply-rules=false -o bare place
check "a report without them when they are not wanted" test "$(grep -c 'Prepare the next work' bare.ncu-rep)" -eq 0
limit=$((($(stat -c %s bare.ncu-rep) + 2047) / 1024))
check "what rules said needs room ($limit KiB do not do)" test "$(stat -c %s ruled.ncu-rep)" -gt $((limit * 1024))
(ulimit -f $limit; exec "$tap" export -q -f -e ncu-rep -o full place 2>told)
check "... without it there is no report, and the status says so" test $?:"$(ls full.ncu-rep 2>/dev/null)" = 4:
PATH=/nowhere "$tap" export -q -f -e ncu-rep -o without pthread 2>told
check "without Python it is a report all the same" test -s without.ncu-rep

# The tool lists them, below their sections too, and applies them to a report file.
"$tap" metrics --list-rules --format csv >rules.csv
check "rules are listed" grep -q '^OpenCLTail,Tail of the launch,OpenCLOccupancy,/' rules.csv
"$tap" metrics --list-sections >tree
check "below their sections" grep -A 2 -x 'OpenCLOccupancy  .*' tree
check "and those of no section apart" grep -qx '  TinyKernels  .*' <(sed '1,/^\[Independent Rules\]$/d' tree)
"$tap" report --apply-rules --rule OpenCLLocalMemory -o new.ncu-rep composed.ncu-rep >said
check "rules are applied to a report" grep -qx 'bad_OpenCLLocalMemory: Local memory' said
check "the one that was named" test "$(grep -c '^[a-z]*_OpenCL' said)" -eq 1
check "and the report is saved with what they said" grep -q 'a second group does not fit' new.ncu-rep
"$tap" report --apply-rules -o new.ncu-rep composed.ncu-rep >said 2>&1
check "another one is not replaced" [ $? -eq 4 ]
check "with what helps" grep -qx '  try: -f replaces it; -o chooses another name' said
"$tap" report --apply-rules -o /no/such/x composed.ncu-rep >said 2>told
check "a place that is none is an output that cannot be written" [ $? -eq 4 ]
check "by the name that was given" grep -qx 'gputap-rules: /no/such/x: No such file or directory' told
check "unless asked for" "$tap" report --apply-rules -f -o new.ncu-rep composed.ncu-rep
"$tap" report --rule Nobody composed.ncu-rep >said 2>&1
check "a rule that is not there is a usage error" [ $? -eq 2 ]
mkdir mine empty
printf 'def get_identifier(): return "Mine"\ndef apply(handle): pass\n' >mine/mine.py
printf 'def get_identifier(: pass\n' >mine/wrong.py
"$tap" metrics --list-rules --section-folder mine >said 2>told
check "a file that cannot be used is named, and the status says so" [ $? -eq 3 ]
check "with the line" grep -q '^gputap: mine/wrong.py: line 1: SyntaxError' told
check "the others are there" grep -q '^ Mine ' said
echo "Identifier: 'Two Words' DisplayName: 'Two'" >mine/blank.section
"$tap" metrics --list-sections --section-folder mine >said 2>told
check "so is a section file beside it" grep -q '^gputap: mine/blank.section:1:1: an Identifier has no blanks$' told
rm mine/blank.section
# gputap's own lie where the user may edit them; his own may lie beside his section files.
export XDG_DATA_HOME=$PWD/data
"$tap" metrics --list-rules >/dev/null
sed -i 's/"Tail of the launch"/"My tail"/' data/gputap/rules/opencl_tail.py
mkdir -p data/gputap/sections && cp mine/mine.py data/gputap/sections
"$tap" metrics --list-rules --format csv >rules.csv
check "an edited rule is read" grep -q '^OpenCLTail,My tail,' rules.csv
check "and stays as it is" grep -q 'My tail' data/gputap/rules/opencl_tail.py
check "so is one beside the section files" grep -q '^Mine,Mine,,' rules.csv
check "without GPUTAP_DEPLOY the installed ones" grep -q '^OpenCLTail,Tail of the launch,' <(GPUTAP_DEPLOY=false "$tap" metrics --list-rules --format csv)
check "and no Python leaves its files there" test -z "$(find data -name __pycache__)"
PATH=$PWD/empty "$tap" metrics --list-rules >said 2>told
check "without Python" [ $? -eq 5 ]
check "a line says so" grep -qx 'gputap: rules need python3, which cannot be run' told

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
