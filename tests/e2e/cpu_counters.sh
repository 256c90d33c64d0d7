#!/usr/bin/env bash
# tests/e2e/cpu_counters.sh - --cpu-counters: what the host's processors did for each kernel, and why where there is no value
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
programs=$GPUTAP_BUILD/tests/e2e
passed=0 failed=0 skipped=0
export GPUTAP_DEPLOY=false
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# values TRACE KERNEL METRIC: value or N/A, then the reason; KERNEL "" is any
values() { "$tap" metrics --format csv "$1" | python3 -c '
import csv, sys
for row in csv.reader(sys.stdin):
    if len(row) > 4 and row[1] == sys.argv[2] and sys.argv[1] in ("", row[0]):
        print(row[2] or "N/A", row[4])' "$2" "$3"; }
all_numbers() { values "$1" "" "$2" >found; [ -s found ] && ! grep -q N/A found; }
all_why() { values "$1" "" "$2" >found; [ -s found ] && ! grep -vqE "^N/A .*$3" found; }
same_output() { cmp -s bare.out traced.out; }

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	# The stand-in, where it is all there is: its devices are processors.
	export POCL_DEVICES=pthread FAKECL_FAULTS=as-built
	FAKECL_REPORT=$PWD/standin "$programs/cl_deserve" >bare.out 2>bare.err
	status=$?
	timeout -k 5 100 "$tap" run -q -f -o on --set opencl --cpu-counters -- "$programs/cl_deserve" >traced.out 2>err
	check "the program runs as ever" [ $? -eq $status ]
	check "and prints the same" same_output
	"$tap" run -q -f -o off --set opencl -- "$programs/cl_deserve" >/dev/null 2>&1
	check "without the option nothing is recorded" all_why off cpu__task_clock --cpu-counters
	check "nor anything of it in the trace" eval '[ "$("$tap" dump --json off 2>/dev/null | grep -c "\"cpu\"")" = 0 ]'
	check "threads of the runtime are known" all_numbers on cpu__threads
	check "context switches have numbers" all_numbers on cpu__context_switches
	if [ -e standin ]; then
		echo "skipped: waits for work: the stand-in works in the thread that enqueues"; skipped=1
	else
		check "waits are there: threads that get work have waited for it" eval 'values on "" cpu__context_switches | grep -qv "^0 "'
	fi
	if all_numbers on cpu__task_clock; then
		check "each kernel took time of a processor" eval '! grep -q "^0 " found'
		check "busy processors are the time on them in that of the kernel, no more than the threads" python3 - <(values on "" cpu__processors) <(values on "" cpu__threads) <(values on "" cpu__task_clock) <(values on "" opencl__duration) <<'PY'
import sys
columns = [[line.split(maxsplit=1) for line in open(f)] for f in sys.argv[1:]]
assert len({len(c) for c in columns}) == 1 and columns[0], columns
for b, t, clock, kernel in zip(*columns):
    busy = float(clock[0]) / float(kernel[0])
    assert "too short" in b[1] and busy > float(t[0]) if b[0] == "N/A" else \
        abs(float(b[0]) - busy) < 0.006 and 0 <= float(b[0]) <= float(t[0]), (b, t, clock, kernel)
PY
		check "page faults have numbers" all_numbers on cpu__page_faults
	else
		check "without perf_event_open the reason is told" all_why on cpu__task_clock perf_event_open
	fi
	for metric in cycles instructions cache_misses branch_misses instructions_per_cycle; do
		check "$metric: a number that is none of 0, or a reason" eval "all_numbers on cpu__$metric && ! grep -q '^0 ' found || all_why on cpu__$metric ."
	done
	check "migrations: a number or a reason" eval "all_numbers on cpu__migrations || all_why on cpu__migrations /proc"
	"$tap" report on >page 2>said
	check "the report has the section" grep -q 'Section: CPU Device' page
	check "with the time on processors" grep -Eq '^ +Time on a Processor +ns +([0-9]|N/A +[a-z])' page
	"$tap" export -q -f -e csv -o on on && "$tap" export -q -f -e csv -o off off
	check "statistics sum them over all launches" python3 "$GPUTAP_TESTS/e2e/metric_sum_check.py" "$tap" on.gputap cpu__threads
	check "columns of counter files hold them where they were counted" grep -q ', cpu__task_clock, ' on.csv
	check "and only there" eval '! grep -q cpu__ off.csv'
	check "readers take the file" python3 "$GPUTAP_TESTS/golden/csv_parse.py" on.csv

	# A device that works in the thread that asks for it has no threads of its own.
	POCL_DEVICES=basic timeout -k 5 100 "$tap" run -q -f -o basic --cpu-counters -- "$programs/cl_deserve" >/dev/null 2>&1
	check "where the runtime has no threads the program's own is counted" eval 'all_numbers basic cpu__threads && ! grep -qv "^1 " found'
	timeout -k 5 100 "$tap" run -q -f -o late --start-after=1ns --cpu-counters -- "$programs/cl_deserve" >/dev/null 2>&1
	check "with a window too the program ends" [ $? -eq $status ]
else
	echo "skipped: no OpenCL platform, the stand-in alone"; skipped=1
fi

# The stand-in: a processor device, one that is none, commands that wait for what the program does later.
unset FAKECL_FAULTS
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
for name in "" profiling-refused enqueue-fails=3 command-fails=3; do
	FAKECL_FAULTS=$name "$programs/standin" >bare.out 2>bare.err
	status=$?
	FAKECL_FAULTS=$name timeout -k 5 100 "$tap" run -q -f -o fake --cpu-counters -- "$programs/standin" >traced.out 2>err
	check "stand-in, ${name:-no fault}: the same exit status" [ $? -eq $status ]
	check "stand-in, ${name:-no fault}: the same output" same_output
done
"$programs/cl_gate" >bare.out 2>bare.err
timeout -k 5 100 "$tap" run -q -f -o gate --cpu-counters -- "$programs/cl_gate" >traced.out 2>err
check "a program whose kernels wait for its own event ends" [ $? -eq 0 ]
check "and prints the same" same_output
check "a kernel on a device that is no processor says so" grep -q 'none of the host.s processors' <(values gate on_gpu cpu__task_clock)
check "one that waits for the program was not counted" grep -q '^N/A the kernel was not over in time' <(values gate gated cpu__context_switches)
check "one beside it neither" grep -q '^N/A another command may have run' <(values gate beside cpu__context_switches)
check "one behind it is counted again" grep -q '^[0-9]' <(values gate behind cpu__context_switches)
check "in the thread that runs it" grep -q '^1 ' <(values gate behind cpu__threads)

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
