#!/usr/bin/env bash
# tests/e2e/without_cuda.sh - each mend of docs/ledger.md that CUDA needs: what is true with it is not true without it
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/without_lib.sh
. "$GPUTAP_TESTS/e2e/without_lib.sh"

export LD_LIBRARY_PATH=$gpu/lib
cuda() { local faults=$1; shift; FAKEGPU_FAULTS=$faults run "$@"; }
whole() { python3 "$GPUTAP_TESTS/e2e/cuda_whole_check.py" t.gputap "$@" >/dev/null 2>&1; }
kinds() { python3 "$GPUTAP_TESTS/e2e/cuda_collector_check.py" t.gputap kinds "$@" >/dev/null 2>&1; }
unended() { cuda incomplete,slow-kernels=2 -- "$ends" unfinished; status 3 && whole ledger && kinds 10=20; }
needed wait-for-ends "kernels about to end are waited for" unended
untold() { cuda no-resource-callbacks -- "$ends" return; status 3 && whole ledger && kinds 10=20 38=1; }
needed first-buffer "a CUPTI that tells of nothing: the first buffer starts the thread" untold
down() { cuda deinitialised -- "$ends" return; status 3 && whole ledger && kinds 10=20; }
early_kind() { cuda kind-early=10 -- "$ends" return; status 3 && whole ledger && kinds 10=20; }
needed ask-again "a kind that is refused inside cuInit is asked for again" early_kind
needed before-driver "a driver that takes itself down: flushed before" down
some() { cuda "" --cuda-filter='!cuLaunchKernel' -- "$ends" return; status 3 && whole ledger && kinds 10=20; }
needed some-calls "work whose call nobody asked for is no loss" some
dropped() { cuda incomplete=2,slow-kernels=60000,drop=7,dropped-kills=7 --cuda-flush=0 -- "$ends" pause_unfinished; whole ledger INCOMPLETE_RECORD=+ CUPTI_DROPPED=7; }
needed ask-dropped "what CUPTI dropped is told where it gives no buffer back before a kill" dropped
given_back() { cuda slow-kernels=60000,drop=7,dropped-kills=4 --cuda-flush=50 -- "$ends" pause_unfinished; whole ledger UNMATCHED_CALL=+ CUPTI_DROPPED=+; }
beside=every-launch needed all-given-back "launches without work are told where CUPTI had given all its buffers back before a kill" given_back
vanished() { cuda vanish-kernels=4 -- "$ends" return; status 3 && whole ledger UNMATCHED_CALL=5; }
needed every-launch "a launch whose record never came is told in a process that ends by itself" vanished
unread() { "$gputap" info --json t.gputap | grep -q '"CUPTI_UNREAD":'; }
wiped() { cuda incomplete,slow-kernels=60000,drop=7,dropped-kills=7 -- "$ends" pause_unfinished; ! unread && python3 "$GPUTAP_TESTS/e2e/cuda_wipe.py" t.gputap && unread; }
needed tell-seen "activities in a buffer that CUPTI keeps in a killed process, wiped from outside: told" wiped
threads() { cuda "" --max-size=12M --cuda-flush=0 -- "$GPUTAP_BUILD/tests/e2e/cuda_threads" waiting 500 1; status 0 && whole ledger && kinds 10=500; }
needed small-places "the more buffers are out, the smaller are new ones: many threads have room within a limit" threads
recorded() { "$gputap" stats -q -r cuda_api_sum --format csv t.gputap | awk -F, -v name="$1" '$0 ~ name {n = $3} END {print n + 0}'; }
all_there() { [ "$(recorded cuCtxGetDevice)" -ge "$(od -An -v -t u8 calls | awk '{print $1 + $2}')" ]; }
called() { cuda flush-hangs=200 -- "$ends" threads_call _exit; all_there; }
needed calls-to-the-end "what threads call while the process ends is recorded" called
# On a busy machine both threads may have no buffer at the last flush: then nothing is missing, and it is done again.
stayed() {
	for _ in $(seq 20); do
		cuda deinitialised --cuda-buffer-size=64M -- "$ends" threads_stay
		status 3 || return
		if unread; then return; fi
		all_there || return
	done
	return 1
}
needed kept "more calls behind the last look than the trace keeps of a large buffer: told" stayed
launched() {
	cuda slow-kernels=5 -- "$ends" threads_launch return
	timed=$("$gputap" stats -q -r cuda_gpu_kern_sum --format csv t.gputap | awk -F, '$NF == "nothing" {print $3}')
	[ $(($(recorded cuLaunchKernel) + $(lost UNMATCHED_COMMAND))) = $((timed + $(lost NOT_FINISHED) + $(lost TIME_ZERO) + $(lost UNMATCHED_CALL))) ]
}
beside=every-launch needed launched-at-the-end "launches without work behind the last flush are told" launched
forked() { cuda "" -- "$ends" fork_calls; status 3 && whole ledger && kinds 10=40 4=48; }
needed fork-buffers "a forked child writes nothing into its parent's buffers" forked

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
