#!/usr/bin/env bash
# tests/witness/cuda.sh - CUDA calls per function and activities per kind as the stand-in machine counted them are those of the trace
#
# By itself each kind of program once, in both ways in. With WITNESS_MATRIX=1 (scripts/test --long witness) also every way of ending,
# every fault and every option that changes what is asked of CUPTI. WAYS: only these.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh disable=SC2154
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
[ -x "$examples/storm" ] || { echo "skipped: the CUDA examples are not built"; exit 77; }
shim=$GPUTAP_BUILD/libgputap.so ends=$GPUTAP_BUILD/tests/e2e/cuda_ends
failed=0 passed=0
export FAKEGPU_COUNTS=$PWD/machine FAKEGPU_DEVICES=2

# in_way WAY FAULTS OPTION... -- PROGRAM...
in_way() {
	local way=$1 faults=$2 options=() variables=() word value said name
	shift 2
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	rm -rf t.gputap t-*.gputap machine; mkdir machine
	for word in "${options[@]}"; do
		case $word in *=*) value=${word#*=} ;; *) value=1 ;; esac
		name=${word#--} name=${name%%=*}
		variables+=("GPUTAP_$(tr a-z- A-Z_ <<<"$name")=$value")
	done
	case $way in
	run) words=("$tap" run -q -f -o "$PWD/t" --summary=none "${options[@]}" --) variables=() ;;
	preload) words=() variables+=("LD_PRELOAD=$shim" "GPUTAP_OUTPUT=$PWD/t") ;;
	inject) words=() variables+=("CUDA_INJECTION64_PATH=$shim" "GPUTAP_OUTPUT=$PWD/t") ;;
	preload+inject) words=() variables+=("LD_PRELOAD=$shim" "CUDA_INJECTION64_PATH=$shim" "GPUTAP_OUTPUT=$PWD/t") ;;
	run+inject) words=("$tap" run -q -f -o "$PWD/t" --summary=none "${options[@]}" --) variables=("CUDA_INJECTION64_PATH=$shim") ;;
	esac
	timeout -k 5 100 env FAKEGPU_FAULTS="$faults" "${variables[@]}" "${words[@]}" "$@" >out 2>err
	name="${*##*/}${faults:+, $faults}${options[*]:+, ${options[*]}}, $way"
	if said=$(python3 "$GPUTAP_TESTS/witness/cuda_check.py" machine t.gputap "$GPUTAP_TESTS/fakegpu/calls.api" 2>&1); then
		passed=$((passed + 1)); [ -z "${SAY-}" ] || echo "ok: $name: $said"
	else failed=$((failed + 1)); echo "FAILED: $name: $said"; fi
}

quick() {
	for program in vector_add streams graphs managed pools errors; do in_way run "" -- "$examples/$program"; done
	in_way inject "" -- "$examples/streams"
	in_way preload drop=7 -- "$examples/vector_add"
	in_way run "" -- "$examples/storm" 4 300
	for way in _exit exec; do in_way run "" -- "$ends" $way; done
}

whole() {
	for in in ${WAYS-run preload inject preload+inject run+inject}; do
		for program in vector_add streams graphs managed pools errors "storm 4 300"; do
			# shellcheck disable=SC2086
			in_way $in "" -- "$examples/"$program
		done
		for way in return exit _exit quick_exit thread_exit exec fork_after fork_before reset late_work; do in_way $in "" -- "$ends" $way; done
		for faults in drop=7 late-buffers late-records out-of-order zero-times=3 flush-in-callback no-resource-callbacks wrapping-ids=24 \
			launch-fails=3 incomplete; do
			in_way $in $faults -- "$examples/streams"
		done
		for option in --cuda-graph-trace=node --cuda-memory-usage --cuda-um --cuda-events --cuda-jit --cuda-latency --cuda-args \
			--cuda-buffer-size=64k --cuda-flush=1; do
			in_way $in "" $option -- "$examples/graphs"
			in_way $in "" $option -- "$examples/managed"
			in_way $in "" $option -- "$examples/storm" 4 300
		done
	done
}

if [ -n "${WITNESS_MATRIX-}" ]; then whole; else quick; fi
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
