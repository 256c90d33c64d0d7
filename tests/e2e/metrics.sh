#!/usr/bin/env bash
# tests/e2e/metrics.sh - counter and occupancy files of a real runtime: their values are the program's own
#
# Where the stand-in is the only one, it says of kernels what a compiler would (as-built).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
export POCL_DEVICES=${POCL_DEVICES-basic} FAKECL_FAULTS=as-built
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

timeout -k 5 60 "$tap" run -q -f --summary=none -o m -e csv,occupancy -- "$GPUTAP_BUILD/tests/e2e/cl_metrics" >truth || cat truth
check "every value is the program's own" python3 "$GPUTAP_TESTS/e2e/metrics_check.py" truth m.csv
check "readers take the counter file" python3 "$GPUTAP_TESTS/golden/csv_parse.py" m.csv
check "readers take the occupancy file" python3 "$GPUTAP_TESTS/golden/occupancy_parse.py" m.occupancy
check "a CPU's kernels are not in it" grep -qx '# KernelCount=0' m.occupancy
check "with --occupancy-cpu they are" "$tap" export -q -f -e occupancy --occupancy-cpu -o m m
check "and readers take that one" python3 "$GPUTAP_TESTS/golden/occupancy_parse.py" m.occupancy
check "all of them" grep -qx "# KernelCount=$(wc -l <truth)" m.occupancy

"$GPUTAP_BUILD/gputap" run -q -f --summary=none -o unknown -- "$GPUTAP_BUILD/tests/e2e/cl_metrics" unknown >/dev/null
POCL_DEVICES="basic basic" timeout -k 5 60 "$tap" run -q -f --summary=none -o second -e csv -- "$GPUTAP_BUILD/tests/e2e/cl_metrics" second >truth2 || cat truth2
check "the second device of a program has its own answers" python3 "$GPUTAP_TESTS/e2e/metrics_check.py" truth2 second.csv

# gputap metrics: the values of a trace with the reason of what is missing, and section files of a folder
"$tap" metrics --format csv m >values 2>&1
check "values of a trace are printed" grep -q '^shared,opencl__buffer_bytes,69632,bytes,$' values
check "what is missing says why" grep -qE '^[a-z]+,opencl__local_size,,work-items,the runtime chose' <("$tap" metrics --format csv unknown.gputap)
check "a metric is listed with its meaning" grep -q '^opencl__duration,ns,time from' <("$tap" metrics --format csv)
mkdir -p sections/deep
echo "Identifier: 'Second' DisplayName: 'Two' Order: 2 Sets { Identifier: 'full' } Colour: 3" >sections/a.section
echo "Identifier: 'First' DisplayName: 'One' Order: 1" >sections/b.section
echo "Identifier: 'Below' DisplayName: 'Three' Extends: 'First'" >sections/deep/c.section
printf 'First  One\n  Below  Three\nSecond  Two  [full]\n' >tree
"$tap" metrics --list-sections --section-folder-recursive sections >listed 2>said
check "sections are listed as a tree" cmp tree listed
check "a field that is not known is told" grep -q 'sections/a.section:1:78: ProfilerSection has no field Colour: it is left out' said
"$tap" metrics --list-sections --section-folder sections --strict >listed 2>said
check "with --strict such a file is not available" [ $? -eq 3 ]
check "and says where" grep -q 'sections/a.section:1:78: ProfilerSection has no field Colour$' said


# gputap's own section files: put into a folder of the user's, where an edited one stays
export XDG_DATA_HOME=$PWD/data
check "its own sections are right in every word" "$tap" metrics --list-sections --strict
check "they are in the user's folder" [ -s data/gputap/sections/opencl_launch.section ]
check "sets are listed" grep -qx 'opencl,4,.*,"OpenCLLaunch, OpenCLOccupancy, OpenCLMemory, CPUDevice"' <("$tap" metrics --list-sets --format csv)
sed -i 's/DisplayName: "OpenCL Launch"/DisplayName: "My Launch"/' data/gputap/sections/opencl_launch.section
check "an edited file is read" grep -qx 'OpenCLLaunch  My Launch  \[opencl\]' <("$tap" metrics --list-sections)
check "without GPUTAP_DEPLOY the installed one" grep -q 'OpenCLLaunch  OpenCL Launch' <(GPUTAP_DEPLOY=false "$tap" metrics --list-sections)
GPUTAP_DEPLOY=false XDG_DATA_HOME=$PWD/none "$tap" metrics --list-sections >/dev/null
check "and nothing is written" [ ! -e none ]
touch file
XDG_DATA_HOME=$PWD/file "$tap" metrics --list-sections >listed 2>said
check "a folder that cannot be made is told, and the installed ones read" grep -q '^Occupancy ' listed
check "with what to do" grep -q 'GPUTAP_DEPLOY=false' said

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
