#!/usr/bin/env bash
# tests/fault/cuda_kill.sh - kill -9 at random instants: what CUPTI had written is in the trace, completed buffers and others, and every callback's record
#
# CUDA_KILLS=N: how many (default 8).
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
gpu=$GPUTAP_BUILD/tests/fakegpu
kills=${CUDA_KILLS:-8}
passed=0 failed=0 unfinished=0
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION CUDA_HOME CUDA_PATH CONDA_PREFIX "${!GPUTAP_CUDA@}"
export LD_LIBRARY_PATH=$gpu/lib

# A bare preload: the program is our own child, and nobody else's.
for ((i = 0; i < kills; i++)); do
	words=() options=()
	case $((i % 4)) in
	1) options=(GPUTAP_CUDA_ARGS=true); words=(args) ;;
	2) options=(GPUTAP_CUDA_BUFFER_SIZE=64k) ;;
	3) options=(GPUTAP_CUDA_FLUSH=20) ;;
	esac
	rm -rf t.gputap progress
	env LD_PRELOAD="$GPUTAP_BUILD/libgputap.so" GPUTAP_OUTPUT=t "${options[@]}" "$GPUTAP_BUILD/tests/fault/cuda_kill" progress >out 2>&1 &
	pid=$!
	for ((w = 0; w < 2000; w++)); do        # both threads are under way
		[ -s progress ] && [ "$(od -An -tu8 -w24 progress 2>/dev/null | awk '$2 > 0' | wc -l)" -eq 2 ] && break
		sleep 0.005
	done
	sleep "0.$(printf %03d $((RANDOM % 100)))"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	if says=$(python3 "$GPUTAP_TESTS/fault/cuda_kill_check.py" t.gputap progress "${words[@]}" 2>&1); then
		passed=$((passed + 1)); echo "ok: kill $i ${options[*]}: $says"
		[[ $says == *" 0 of "* ]] || unfinished=$((unfinished + 1))
	else failed=$((failed + 1)); echo "FAILED: kill $i ${options[*]}: $(tail -n 1 <<<"$says")"; fi
done
if [ "$unfinished" -gt 0 ]; then passed=$((passed + 1)); echo "ok: buffers that CUPTI still held were among them"
else failed=$((failed + 1)); echo "FAILED: no kill met a buffer that CUPTI still held: nothing was tested"; fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
