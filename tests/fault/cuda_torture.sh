#!/usr/bin/env bash
# tests/fault/cuda_torture.sh - the N-th mmap, open, fallocate, ... of the shim fails in a CUDA program: it does not notice
#
# On the stand-in machine. Each step fails alone, and together with all behind it: TORTURE=all every one, else every third.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
export LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT
program=$GPUTAP_BUILD/examples/cuda/vector_add
passed=0 failed=0

# torture MODE N: leaves out, status; the program's words go on
torture() {
	rm -rf t.gputap*
	GPUTAP_OUTPUT=t LD_PRELOAD=$GPUTAP_BUILD/libgputap.so timeout 60 "$GPUTAP_BUILD/tests/fault/torture" "$1" "$2" report "$program" >out 2>err
	status=$?
}

torture one 0
[ $status -eq 77 ] && { tail -n 1 out; exit 77; }
steps=$(awk '$1 == "steps" {print $2}' report)
if [ "$status" -ne 0 ] || [ "${steps:-0}" -le 40 ]; then
	echo "FAILED: untouched: status $status, ${steps:-no} steps"
	exit 1
fi
cp out expected
by=3
[ "${TORTURE:-short}" = all ] && by=1
for mode in one from; do
	for n in $(seq 1 $by $((steps + 2))); do
		torture $mode "$n"
		if [ "$status" -eq 0 ] && cmp -s out expected && [ ! -s err ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAILED: $mode $n ($(grep failed report)): status $status, $(head -n 1 out) $(head -n 1 err)"
		fi
	done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
