#!/usr/bin/env bash
# tests/e2e/cuda_stats.sh - statistics and summary of CUDA programs on the stand-in machine say what the programs themselves know
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

said() { grep -qF -- "$1" t.err; }
unsaid() { ! said "$1"; }
output() { [ "$(cat t.out)" = "$1" ]; }

# traced OPTION... -- PROGRAM ARGUMENT...: into t.gputap, its words into t.out and t.err, each CUDA and NVTX report into reports/
traced() {
	local r
	rm -rf t.gputap report reports
	timeout 60 "$tap" run -f -o t "$@" >t.out 2>t.err
	mkdir reports
	for r in $("$tap" stats --help | sed -n 's/^  \([a-z_]*_\(sum\|trace\|usage\)\) .*/\1/p' | grep -v opencl); do
		timeout 60 "$tap" stats -q -r "$r" --format json t.gputap >"reports/$r.json" || echo "FAILED: $r"
	done
}
judge() { python3 "$GPUTAP_TESTS/e2e/cuda_stats_check.py" reports report "$@"; }

traced --summary=table -- "$examples/vector_add"
check "vector_add: one kernel, three copies of 1000 floats" judge kernels=1 copies=3 bytes=12000 kernel=vector_add
check "the summary is on stderr, the program's words alone on stdout" output "vector_add: 1000 values, 0 wrong"
for words in "CUDA GPU Kernel Summary" "CUDA GPU MemOps Summary (by Time)" "CUDA API Summary" "vector_add" "complete: yes"; do
	check "the summary has: $words" said "$words"
done
check "it has nothing of OpenCL" unsaid "OpenCL"
check "it says that the device was none" said "stand-in"

traced -- "$examples/streams"
check "streams: two kernels, four copies" judge kernels=2 copies=4
traced -- "$examples/storm" 8 500
check "storm: 4000 launches of 8 threads" judge kernels=4000 launches=cudaLaunchKernel threads=8
traced -- "$examples/graphs"
check "graphs: 15 launches as a whole" judge graphs=15 as=graph
traced --cuda-graph-trace=node -- "$examples/graphs"
check "graphs by node: 15 launches" judge graphs=15 as=nodes
traced --cuda-memory-usage -- "$examples/pools"
check "pools: 6 allocations, one at a time, all released" judge allocations=6 peak=0.004
traced --cuda-um -- "$examples/managed"
check "managed: what migrated is in both kinds of reports" judge managed=1
traced -- "$examples/errors"
check "errors: results as numbers" judge failures=1

FAKEGPU_FAULTS=zero-times=3 traced -- "$examples/storm" 2 30
check "a third without device times: counted apart, in no sum" judge untimed=1
FAKEGPU_FAULTS=drop=5 traced --summary=table -- "$examples/vector_add"
check "what CUPTI dropped is in the ledger" said "CUDA activities dropped by CUPTI"
FAKEGPU_FAULTS=subscribe-busy traced --summary=table -- sh -c "'$examples/vector_add'; '$examples/vector_add'"
check "another profiler is named once, for both processes" test "$(grep -c other-profiler t.err)" = 1
check "... with how often" said "(2 times)"
check "... and the program ran on" test "$(grep -c '0 wrong' t.out)" = 2

if [ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ]; then
	export OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors
	timeout 60 "$tap" run -f -o t --summary=table -- sh -c "'$examples/vector_add'; '$GPUTAP_BUILD/tests/e2e/cl_commands' 3" >t.out 2>t.err
	check "OpenCL and CUDA in one run: the summary has both" eval 'said "OpenCL Kernel Summary" && said "CUDA GPU Kernel Summary"'
fi

finish
