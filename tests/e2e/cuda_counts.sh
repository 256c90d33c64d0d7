#!/usr/bin/env bash
# tests/e2e/cuda_counts.sh - calls, commands and kernels of CUDA programs are as many in every output, and as many as the machine counted
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
[ -x "$GPUTAP_BUILD/examples/cuda/storm" ] || { echo "skipped: the CUDA examples are not built"; exit 77; }
export FAKEGPU_DEVICES=2

# Every output of a trace into out/
outputs() {
	rm -rf out && mkdir out || return
	"$tap" export -q -e atp,apilog,sqlite -o out/t t.gputap &&
		"$tap" export -q -e atp --atp-cuda=hsa -o out/hsa t.gputap &&
		"$tap" export -q -e apilog --apilog-per-thread -o out/part t.gputap &&
		"$tap" export -q -e atp,apilog,sqlite --cuda-driver-rows=all -o out/all t.gputap &&
		"$tap" info --json t.gputap >out/info || return
	for r in cuda_api_sum cuda_gpu_kern_sum cuda_gpu_mem_time_sum; do
		"$tap" stats -q -r $r --format json t.gputap >out/$r || return
	done
}

for at in vector_add: streams: graphs: graphs:--cuda-graph-trace=node managed: pools: errors: storm:; do
	program=${at%%:*} option=${at#*:} words=()
	[ "$program" = storm ] && words=(4 200)
	rm -rf t.gputap report
	timeout 60 "$tap" run -q --summary=none -o t ${option:+"$option"} -- "$GPUTAP_BUILD/examples/cuda/$program" "${words[@]}" >/dev/null 2>&1
	check "$program $option: every output is written" outputs
	check "$program $option: all outputs and the machine agree" python3 "$GPUTAP_TESTS/e2e/cuda_counts_check.py" report out "$option"
done
finish
