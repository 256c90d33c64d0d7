#!/usr/bin/env bash
# tests/e2e/cl_clocks.sh - device clocks of any rate and offset, and stepped ones: times that are right, or an error that holds
#
# Kernels of 300 us run one after another on the stand-in, each waited for, 200 of them. The trace puts each between the
# beginning of its call and the end of its clFinish, and their sum is what the host's clock saw, less what lay between.
# Where that cannot be the trace says so.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
# shellcheck source=tests/check_lib.sh
. "$GPUTAP_TESTS/check_lib.sh"
export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
gputap=$GPUTAP_BUILD/gputap

record() { # FAULTS
	rm -rf t.gputap
	FAKECL_FAULTS=kernel-us=300,$1 "$gputap" run -q -o t -t opencl --summary=none -- \
		"$GPUTAP_BUILD/tests/e2e/cl_clocks" 200 >/dev/null 2>host || return 1
	"$gputap" info --json t.gputap >info.json && "$gputap" stats -q -r opencl_kern_sum --format=csv t.gputap >sum.csv
}

said() { python3 "$GPUTAP_TESTS/e2e/cl_clocks_check.py" info.json sum.csv host 200 300e3; }
right_or_doubtful() { case $1 in right | doubtful:*) ;; *) return 1 ;; esac; }

# Each way of reading the clock: timers of the device, brackets of calls.
for timers in timers no-timers; do
	for rate in 10 100 500 999 1000 1001 2500 10000; do
		record "$timers,clock-permille=$rate"
		check "$timers, $rate us of the device in 1000 us" [ "$(said)" = right ]
	done
	# The recorder keeps no time that is longer than the process lasted: it sees the device's ns alone.
	record "$timers,clock-permille=100000"
	now=$(said)
	check "$timers, 100 ms of the device in 1 ms: right or doubtful ($now)" right_or_doubtful "$now"
	for step in 1 200 5000 1000000 -200 -5000 -1000000; do
		record "$timers,clock-step-us=$step"
		now=$(said)
		check "$timers, stepped by $step us: right or doubtful ($now)" right_or_doubtful "$now"
	done
	record "$timers,clock-permille=3000,clock-step-us=-4000"
	now=$(said)
	check "$timers, another rate and stepped: right or doubtful ($now)" right_or_doubtful "$now"
done
finish
