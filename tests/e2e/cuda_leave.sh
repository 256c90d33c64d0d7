#!/usr/bin/env bash
# tests/e2e/cuda_leave.sh - CUDA programs that end, fork, exec or reset: same status, every kernel in the trace, whichever way
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
ends=$GPUTAP_BUILD/tests/e2e/cuda_ends
unset FAKEGPU_REPORT

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

finish
