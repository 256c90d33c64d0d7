#!/usr/bin/env bash
# tests/fakegpu/examples.sh - the CUDA example programs compute what they should, on both runtimes' names and with any number of devices
#
# CUDA_LIBRARIES=DIR runs them on the libraries of a real machine instead.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
export LD_LIBRARY_PATH=${CUDA_LIBRARIES-$GPUTAP_BUILD/tests/fakegpu/lib}
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DEVICES FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT
passed=0 failed=0

expect() {                                      # PROGRAM EXPECTED-TEXT [ARGUMENT...]
	local out
	out=$(timeout 60 "$GPUTAP_BUILD/examples/cuda/$1" "${@:3}" 2>&1)
	if [ "$out" = "$2" ]; then passed=$((passed + 1)); else failed=$((failed + 1)); printf '%s:\n%s\nnot\n%s\n' "$1" "$out" "$2"; fi
}

expect vector_add 'vector_add: 1000 values, 0 wrong'
expect streams 'streams: pinned sum 8394752, pageable sum 8390656, time known'
expect graphs 'graphs: sums 512 512 5632'
expect managed 'managed: first 33, sum 2102302'
expect pools 'pools: 6 allocations, sum 6144'
expect storm 'storm: 8 threads, 500 launches each, 0 wrong' 8 500
expect errors 'allocation too large: cudaErrorMemoryAllocation
peek: cudaErrorMemoryAllocation
get: cudaErrorMemoryAllocation
get again: cudaSuccess
no such device: cudaErrorInvalidDevice
copy in no direction: cudaErrorInvalidMemcpyDirection
text that is not PTX: cudaErrorInvalidPtx
no such kernel: cudaErrorSymbolNotFound
driver, no such device: 101
last: cudaErrorSymbolNotFound'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
