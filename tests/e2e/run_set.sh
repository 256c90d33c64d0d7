#!/usr/bin/env bash
# tests/e2e/run_set.sh - gputap run --set opencl, then gputap report: values of OpenCL kernels that equal the program's own
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
passed=0 failed=0
export POCL_DEVICES=${POCL_DEVICES-basic} GPUTAP_DEPLOY=false
[ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ] || { echo "skipped: no OpenCL platform"; exit 77; }
check() { if "${@:2}"; then echo "ok: $1"; passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi; }

# Each launch of the program beside its row; what neither tells, or the runtime chose, is N/A with a reason.
equal() { "$tap" report --page raw --csv --launch-count 0 t | python3 -c '
import csv, re, sys
truth = [dict(re.findall(r"(\w+)=(\S+)", line)) for line in open("out") if line.startswith("name=")]
rows = [r for r in csv.DictReader(sys.stdin) if r["ID"]]
bad = [] if len(rows) == len(truth) > 0 else ["%d launches, not %d" % (len(rows), len(truth))]
for own, row in zip(truth, rows):
    for name in "work_dim global_size local_size work_groups compute_units local_memory arguments buffer_bytes private_memory".split():
        cell, is_it = row.get("opencl__" + name, ""), own[name]
        if own["local_size"] == "0" and name in ("local_size", "work_groups"):
            continue
        if cell != is_it:
            bad.append("%s %s: %s, not %s" % (own["name"], name, cell, is_it))
    for name in ("duration", "queue_delay", "submit_delay"):
        if abs(float(row["opencl__" + name]) - int(own[name])) > 2 + int(own[name]) / 1000:
            bad.append("%s %s: %s, not %s" % (own["name"], name, row["opencl__" + name], own[name]))
sys.exit("\n".join(bad) if bad else 0)'; }

# run_it PROGRAM ARGUMENT...: into t
run_it() { timeout -k 5 100 "$tap" run -f -o t --set opencl --summary=none -- "$@" >out 2>err; }
sections() { grep -q 'Section: OpenCL Launch' page && grep -q 'Section: OpenCL Memory' page && grep -q 'Section: OpenCL Occupancy' page; }
duration() { grep -Eq '^ +Duration +ns +[1-9]' page; }
reasons() { ! grep -Eq 'N/A *$' page; }

for program in cl_metrics cl_deserve cl_commands; do
	run_it "$GPUTAP_BUILD/tests/e2e/$program"
	check "$program runs as ever" [ $? -eq 0 ]
	"$tap" report t >page 2>said
	check "$program: its report has the set's sections, and no other was asked for" sections
	check "$program: kernels have durations" duration
	check "$program: what is not available has a reason" reasons
	check "$program: nothing was planned or said of counters" eval "! grep -q counters err && [ ! -e t.gputap/counters ]"
	[ $program != cl_metrics ] || check "$program: every value is the program's own" equal
done
if type clpeak >/dev/null 2>&1; then
	run_it clpeak --kernel-latency
	check "clpeak runs as ever" [ $? -eq 0 ]
	"$tap" report t >page 2>said
	check "clpeak: its report has the set's sections" sections
	check "clpeak: kernels have durations" duration
	check "clpeak: what is not available has a reason" reasons
else
	echo "skipped: clpeak is not installed"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
