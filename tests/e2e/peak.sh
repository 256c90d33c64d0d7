#!/usr/bin/env bash
# tests/e2e/peak.sh - share of a peak: measured behind the program's end, or given; the values are the program's own
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
program=$GPUTAP_BUILD/tests/e2e/cl_metrics
passed=0 failed=0 skipped=0
export POCL_DEVICES=${POCL_DEVICES-basic} FAKECL_FAULTS=as-built
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }

check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }
run() { timeout -k 5 120 "$tap" run -f --summary=none "$@"; }
values() { "$tap" metrics --format csv "$@" >values; }
why() { values "${@:2}" && grep -q "^plain,opencl__buffer_bandwidth_share,,%,$1" values; }

run -q -o bare -- "$program" >bare.out || cat bare.out
run -o measured --measure-peak -- "$program" >truth 2>said || cat truth said
"$tap" info --json measured >info.json
values measured
check "the share is the program's bytes and time against what was measured" python3 "$GPUTAP_TESTS/e2e/peak_check.py" values truth info.json
check "the peak is told at the end" grep -q '^gputap: the memory of .* moves at most [0-9.]* GB/s (measured: ' said
check "gputap info tells it and where it comes from" grep -qE '^peak of .*: [0-9.]+ GB/s, measured: (copy|read|write) of [0-9]+ bytes in [0-9]+ ns, the fastest of [0-9]+ launches$' <("$tap" info measured)
calls() { "$tap" stats -q -r opencl_api_sum --format csv "$1" | cut -d, -f 3,9 | sort; }
check "what measures is not traced" diff <(calls bare) <(calls measured)
check "and prints nothing where the program prints" test -z "$(grep -v '^name=' truth)"
"$tap" report --section OpenCLMemory measured >page
check "the section shows the share" grep -qE '^ +Share of the Peak Bandwidth +% +[0-9.,]+$' page
check "with the peak and its source" grep -qE '^ +Source of the Peak +measured \((copy|read|write)\)$' page
check "so does a report file" eval "'$tap' export -q -f -e ncu-rep -o measured measured && '$tap' report --section OpenCLMemory measured.ncu-rep | grep -q 'Source of the Peak  *measured ('"

# Given: when the trace is read, and when it was made; the later word wins.
values --peak-bandwidth 10GB/s measured
check "a peak that is given wins over one that was measured" python3 "$GPUTAP_TESTS/e2e/peak_check.py" values truth 1e10 given
run -q -o given --peak-bandwidth '*=2.5G' --measure-peak -- "$program" >truth
values given
check "gputap run keeps the one it was given" python3 "$GPUTAP_TESTS/e2e/peak_check.py" values truth 2.5e9 "given to gputap run"
device=$("$tap" info measured | sed -n 's/^peak of \(.*\): [0-9.]* GB.*/\1/p')
values --peak-bandwidth 'no such device=1T' --peak-bandwidth "${device:0:8}*=4000MB/s" --peak-bandwidth 1T given
check "the first name that fits is taken" python3 "$GPUTAP_TESTS/e2e/peak_check.py" values truth 4e9 given
check "none given or measured: not available, and why" why 'no peak of this device was given (--peak-bandwidth) or measured' bare
for wrong in x 0 -1GB/s 3GHz NAME= 1e999; do
	"$tap" metrics --peak-bandwidth "$wrong" bare >values 2>said
	check "a peak that is none is refused ($wrong)" [ $? -eq 2 ]
done
"$tap" run --peak-bandwidth fast -- touch started 2>said
check "before the program starts" test $? -eq 125 -a ! -e started

# What cannot be measured says why.
if clinfo -l 2>/dev/null | grep -q 'Portable Computing Language'; then
	run -q -o other --measure-peak -- env POCL_DEVICES="pthread basic" sh -c 'POCL_DEVICES=pthread exec "$0"' "$program" >truth
	check "the launcher does not see the device" why 'the launcher found no device of this name' other
	OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors run -q -o fake --measure-peak -- env -u OCL_ICD_VENDORS "$program" >truth
	check "nor one of another platform" why 'the launcher found no device of this name' fake
else
	echo "skipped: devices that the launcher does not see: PoCL, which has several, is not here"; skipped=2
fi
for fault in command-fails=1,the.kernels.that.measure.failed profiling-zero,the.runtime.gave.no.device.times; do
	OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors FAKECL_FAULTS=${fault%,*} run -q -o fake --measure-peak -- \
		env -u FAKECL_FAULTS "$GPUTAP_BUILD/tests/e2e/cl_place_rules" OpenCLPrivateMemory >truth
	check "kernels that fail, and times that are none (${fault%,*})" grep -q "^peak of .*: none measured: ${fault#*,}" <("$tap" info fake)
done
run -q -o left --measure-peak -- sh -c '"$0" && exec "$1" ready go leave >/dev/null' "$program" "$GPUTAP_BUILD/tests/e2e/cl_live" >truth
check "nothing is measured beside a process that the program left behind" why 'a process that the program left behind still ran' left
touch go
run -o none --measure-peak -- "$GPUTAP_BUILD/tests/e2e/cl_names" >/dev/null 2>said
check "no kernel, nothing to measure" grep -qE 'no OpenCL device ran a kernel|no traced call' said
check "the program's status stays" eval "! run -q -o status --measure-peak -- sh -c '\"$program\" >/dev/null; exit 3'"

# The rule: speaks of a launch near the peak, and of its twin not, which is the same launch against a faster device.
rate=$(grep '^plain,opencl__buffer_bandwidth,' <("$tap" metrics --format csv bare) | cut -d, -f 3)
spoke() {
	"$tap" export -q -f -e ncu-rep --apply-rules=false --launch-count 1 --peak-bandwidth "$1" -o spoke bare
	python3 "$GPUTAP_TESTS/../python/gputap-rules" apply spoke.ncu-rep --text --least 0 --rule OpenCLBandwidth | grep -A 8 '^plain' | tr -s ' \n' ' '
}
check "a rule speaks of a kernel near the peak" grep -q 'it moves 80 % of' <(spoke "$(python3 -c "print($rate * 1.25)")")
check "nothing of one beyond it" test -z "$(spoke "$(python3 -c "print($rate / 2)")" | grep Memory.bandwidth)"
values --peak-bandwidth "$(python3 -c "print($rate / 11.71)")" bare
check "and 1171 % of a peak is no share of it, but a reason" grep -q '^plain,opencl__buffer_bandwidth_share,,%,"it would be more than 100 %: a cache held the buffers' values
check "and not of one that is far from it" test -z "$(spoke "$(python3 -c "print($rate * 10)")" | grep Memory.bandwidth)"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
