#!/usr/bin/env bash
# tests/e2e/cuda_collector.sh - what the CUPTI collector writes agrees with what the stand-in CUDA machine says it told
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"

for program in vector_add streams graphs managed pools errors "storm 8 500"; do
	read -ra words <<<"$program"
	timeout 60 "$examples/${words[0]}" "${words[@]:1}" >bare.out 2>bare.err
	bare=$?
	cp report bare.report 2>/dev/null
	traced -- "$examples/${words[0]}" "${words[@]:1}"
	check "${words[0]} prints and returns traced what it does bare" eval "cmp -s bare.out t.out && status $bare"
	check "${words[0]}: as many CUDA calls traced as bare, and our one question for the driver's version" \
		test "$(calls bare.report):1" = "$(calls report):$(($(driver_calls report) - $(driver_calls bare.report)))"
	check "${words[0]}: every activity that the library recorded is in the trace" walk counts report
	check "${words[0]}: buffers, names, clocks and kinds are whole" walk whole
done

# Every version of the library, each with a driver that goes with it
for at in 18:11080 20:12020 21:12030 22:12040 23:12050 24:12060 26:12080 27:12090 28:12090 130000:13000 130001:13000 130101:13010 130202:13020 130500:13050 139900:13090; do
	version=${at%:*} lib=$(ls "$gpu/v${at%:*}"/libcupti.so.*)
	FAKEGPU_DRIVER=${at#*:} traced --cupti="$lib" --cuda-memory-usage --cuda-events --cuda-um -- "$examples/pools"
	check "CUPTI $version: every activity is in the trace, with the sizes of that version" walk counts report "$version"
	check "CUPTI $version: ... and whole" walk whole
done
LD_LIBRARY_PATH=$gpu/v24:$gpu/lib FAKEGPU_DRIVER=12060 traced -- "$examples/vector_add"
check "the library that goes with the driver is found by itself" walk counts report 24
FAKEGPU_DRIVER=12080 traced -- "$examples/vector_add"
check "... by the driver's major version" walk counts report 28

# Options
traced --cuda-graph-trace=node -- "$examples/graphs"
check "--cuda-graph-trace=node: a record a node and none a launch" walk kinds 51=0 10=20
traced -- "$examples/graphs"
check "... else one a launch" walk kinds 51=15 10=0
check "graphs are told once, with the call that made them" walk graph
"$tap" dump t.gputap >dump.out
check "nodes of a captured stream know their call too" \
	test "$(grep -c 'what="node created"' dump.out):$(grep 'what="node created"' dump.out | grep -c 'call="cuda')" = 5:5
check "... the launches" test "$(grep 'what="node created"' dump.out | grep -c 'call="cudaLaunchKernel')" = 2
traced --cuda-memory-usage -- "$examples/pools"
check "--cuda-memory-usage: allocations and pools" walk kinds 49=+ 50=+
traced --cuda-um -- "$examples/managed"
check "--cuda-um: migrations" walk kinds 25=+
traced --cuda-events -- "$examples/streams"
check "--cuda-events: event records" walk kinds 36=+
traced --cuda-jit -- "$examples/vector_add"
check "--cuda-jit: compilations" walk kinds 52=+
traced --cuda-latency -- "$examples/vector_add"
check "--cuda-latency: kernels know when they were queued" walk queued
traced --cuda-api=runtime -- "$examples/streams"
check "--cuda-api=runtime: no driver calls" walk kinds 4=0 5=+ 10=+
traced --cuda-api=none -- "$examples/streams"
check "--cuda-api=none: kernels alone" walk kinds 4=0 5=0 10=+
traced --cuda-filter='*Launch*,cudaMemcpy*' -- "$examples/streams"
check "--cuda-filter: these calls alone" walk calls Launch Memcpy
traced --cuda-filter='!cuda*' -- "$examples/streams"
check "--cuda-filter: all but those" walk kinds 5=0 4=+ 10=+
FAKEGPU_DRIVER=12040 traced --cupti="$gpu/v22/libcupti.so.12" --cuda-filter='*Launch*' -- "$examples/streams"
check "a library that cannot filter says so, and all is recorded" eval "said 'all are recorded' && walk counts report"
traced --cuda-buffer-size=64k -- "$examples/storm" 4 4000
check "small buffers: more of them, nothing lost" eval "walk counts report && walk buffers 20"
traced --cuda-api=some -- "$examples/vector_add"
check "--cuda-api knows its words" eval "status 125 && said 'is not one of: all runtime driver none'"
traced -t cuda -- "$examples/vector_add"
check "-t cuda alone is enough" walk counts report
traced -t opencl,nvtx -- "$examples/vector_add"
check "without the domain nothing is loaded" eval "no_image && grep -qx 'injections 0' report"
traced -- true
check "a program without CUDA leaves no trace of it" no_image
LD_PRELOAD=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=t GPUTAP_FORCE=1 timeout 60 "$examples/vector_add" >/dev/null 2>&1
check "a plain preload is enough" walk counts report
rm -rf t.gputap
ln -sf "$GPUTAP_BUILD/libgputap.so" .
LD_PRELOAD=./libgputap.so GPUTAP_OUTPUT=$PWD/t "$examples/vector_add" >/dev/null 2>&1
check "... by a relative path too" walk counts report
rm -rf t.gputap
CUDA_INJECTION64_PATH=$GPUTAP_BUILD/libgputap.so GPUTAP_OUTPUT=t timeout 60 "$examples/vector_add" >/dev/null 2>&1
check "... or the driver's variable alone" walk counts report

# Another tool in the driver's variable
rm -f inject.log
CUDA_INJECTION64_PATH=$gpu/libinject.so INJECT_LOG=inject.log traced -- "$examples/vector_add"
check "a tool that was there is called too" grep -q "entry on the calling thread" inject.log
check "... which is said" said "libinject.so: it was loaded too"
check "... and both trace" walk counts report
cp "$GPUTAP_BUILD/libgputap.so" copy.so && mkdir -p copy && mv copy.so copy/libgputap.so
CUDA_INJECTION64_PATH=$PWD/copy/libgputap.so traced -- "$examples/vector_add"
check "another copy of this library is not chained" eval "silent && walk images 1 && walk counts report"
CUDA_INJECTION64_PATH=$PWD/no-such-library.so traced -- "$examples/vector_add"
check "one that does not exist is passed over, as the driver does" eval "silent && walk counts report"
finish
