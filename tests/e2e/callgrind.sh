#!/usr/bin/env bash
# tests/e2e/callgrind.sh - callgrind profiles of real programs: their sums are those of the database and the reports
#
# callgrind_annotate (of valgrind) reads them too, where it is installed.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
tap=$GPUTAP_BUILD/gputap
. "$GPUTAP_TESTS/check_lib.sh"
unset CUDA_INJECTION64_PATH FAKEGPU_FAULTS FAKEGPU_DRIVER FAKEGPU_CUPTI_VERSION FAKEGPU_REPORT "${!GPUTAP_CUDA@}"
export FAKEGPU_DEVICES=2 POCL_DEVICES=${POCL_DEVICES-basic}

annotate=annotate
command -v callgrind_annotate >/dev/null || { annotate=; skip "what callgrind_annotate says: it is not installed (package valgrind)"; }

# profile WHAT TRACE [HOW...]: as a profile and as a database, compared
profile() {
	local what=$1 trace=$2
	shift 2
	if ! "$tap" export -q -f -e sqlite --opencl-compat=off -o "$trace" "$trace.gputap" ||
		! "$tap" export -q -f -e callgrind "${options[@]}" -o "$trace" "$trace.gputap"; then
		check "$what can be exported" false
		return
	fi
	check "$what: calls, waits, device time and bytes are the database's" \
		python3 "$GPUTAP_TESTS/e2e/callgrind_check.py" "$trace" "$@"
}
options=()
traced() { timeout -k 5 60 "$tap" run -q -f --summary=none -o "$@" >/dev/null 2>&1; }
cuda() { LD_LIBRARY_PATH=$GPUTAP_BUILD/tests/fakegpu/lib traced "$@"; }

if [ -n "$(ls /etc/OpenCL/vendors/*.icd 2>/dev/null)" ]; then
	traced opencl -- "$GPUTAP_BUILD/tests/e2e/cl_commands" 3
	profile "an OpenCL program" opencl $annotate parts=1
	traced stacks --callstacks=opencl -- "$GPUTAP_BUILD/tests/e2e/cl_idle" build
	options=(--callgrind-instr)
	profile "an OpenCL program with call stacks" stacks $annotate
	options=()
	lines=lines
	ldconfig -p 2>/dev/null | grep -q 'libdw\.so\.1' || { lines=""; skip "lines of calls: no libdw (libdw1)"; }
	if command -v objdump >/dev/null; then
		check "... lead to the ${lines:+lines and }addresses of the calls" \
			python3 "$GPUTAP_TESTS/e2e/callgrind_stacks_check.py" stacks "$GPUTAP_TESTS/e2e" $lines
	else
		skip "addresses of calls: objdump is not installed"
	fi
else
	skip "an OpenCL program: no OpenCL platform"
fi
if [ -x "$GPUTAP_BUILD/examples/cuda/storm" ]; then
	cuda storm -- "$GPUTAP_BUILD/examples/cuda/storm" 4 200
	profile "a CUDA program on the stand-in" storm $annotate parts=1
	options=(--callgrind-parts=thread)
	profile "... a part for each thread" storm parts=5
	options=(--cuda-driver-rows=all)
	cuda nodes --cuda-graph-trace=node -- "$GPUTAP_BUILD/examples/cuda/graphs"
	options=()
	profile "graphs node by node: one call, many kernels" nodes $annotate
	cuda whole -- "$GPUTAP_BUILD/examples/cuda/graphs"
	profile "whole graphs" whole $annotate
	cuda streams -- "$GPUTAP_BUILD/examples/cuda/streams"
	profile "streams that wait for each other" streams $annotate
	cuda mixed -- sh -c '"$0/examples/cuda/streams"; "$0/tests/e2e/nvtx_byhand"; exec "$0/examples/cuda/vector_add"' "$GPUTAP_BUILD"
	profile "several programs in one trace: a part each" mixed parts=2
	options=(--callgrind-parts=one)
	profile "... or one for all" mixed $annotate parts=1
	options=()
	cuda killed -- timeout -s KILL 0.7 "$GPUTAP_BUILD/examples/cuda/storm" 4 2000000
	profile "a program that was killed" killed
else
	skip "CUDA programs: the examples are not built"
fi

finish
