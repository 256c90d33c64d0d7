#!/usr/bin/env bash
# tests/e2e/cuda_leave.sh - CUDA programs that end, fork, exec or reset: same status, every kernel in the trace, whichever way
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
gpu=$GPUTAP_BUILD/tests/fakegpu
ends=$GPUTAP_BUILD/tests/e2e/cuda_ends
passed=0 failed=0
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT CUDA_HOME CUDA_PATH CONDA_PREFIX "${!GPUTAP_CUDA@}"
export LD_LIBRARY_PATH=$gpu/lib

# check NAME COMMAND...: one sentence that must be true
check() {
	local name=$1
	shift
	if "$@"; then echo "ok: $name"; passed=$((passed + 1)); else echo "FAILED: $name ($*)"; failed=$((failed + 1)); fi
}
whole() { python3 "$GPUTAP_TESTS/e2e/cuda_whole_check.py" t.gputap "$@"; }
dump() { "$tap" dump --json t.gputap 2>/dev/null; }

# way NAME KERNELS: as bare; so many kernels, each with its call
way() {
	local bare
	timeout 60 "$ends" "$1" >bare.out 2>bare.err
	bare=$?
	rm -rf t.gputap
	timeout 60 "$tap" run -q -f -o t -- "$ends" "$1" >t.out 2>t.err
	check "$1: ends as bare, with its words" test "$? $(cat t.out t.err)" = "$bare $(cat bare.out bare.err)"
	check "... $2 kernels are in the trace" test "$(dump | grep -c '"type":"cuda_kernel"')" = "$2"
	check "... each with its call and in order" whole times
}
for name in return exit _exit quick_exit thread_exit exec reset; do
	way $name 20
	check "... and nothing is missing" whole ledger
done
way fork_before 40
check "... in two processes" test "$(dump | grep '"type":"cuda_kernel"' | grep -o '"pid":[0-9]*' | sort -u | wc -l)" = 2
check "... and nothing is missing" whole ledger
way fork_after 40
check "... in the parent alone" test "$(dump | grep '"type":"cuda_kernel"' | grep -o '"pid":[0-9]*' | sort -u | wc -l)" = 1
FAKEGPU_FAULTS=child-flush-hangs way fork_after 40
way window 200

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
