#!/usr/bin/env bash
# tests/e2e/folded.sh - folded stacks of real programs: their sums are those of the callgrind profile, their paths those of the program
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/e2e/cuda_lib.sh
. "$GPUTAP_TESTS/e2e/cuda_lib.sh"
tap=$GPUTAP_BUILD/gputap examples=$GPUTAP_BUILD/examples/cuda

# fold TRACE WORD...: each weight of TRACE.gputap, compared
fold() {
	local trace=$1 weight
	shift
	"$tap" export -q -f -e callgrind -o "$trace" "$trace.gputap" || return 1
	for weight in gpu bytes api wait host calls; do
		"$tap" export -q -f -e folded --folded-weight=$weight -o "$trace.$weight" "$trace.gputap" || return 1
	done
	python3 "$GPUTAP_TESTS/e2e/folded_check.py" "$trace" "$@"
}

if [ -d "$GPUTAP_BUILD/tests/fakecl/vendors" ]; then
	stacks=--callstacks
	nm -D --undefined-only "$GPUTAP_BUILD/libgputap.so" | grep -q __asan && stacks=
	OCL_ICD_VENDORS=$GPUTAP_BUILD/tests/fakecl/vendors "$tap" run -q -f -o cl $stacks -- "$GPUTAP_BUILD/tests/e2e/cl_commands" >cl.out 2>&1
	check "OpenCL: device time stands below the program's functions" fold cl through cl_commands thread ${stacks:+main copies} clEnqueue
else
	echo "not here: the stand-in runtime"
fi
traced -- "$examples/storm" 4 200
check "CUDA: four threads, each with its own paths" fold t through storm thread cudaLaunchKernel
check "... as many roots as threads that called" [ "$(cut -d';' -f2 t.calls.folded | sort -u | wc -l)" = 5 ]
"$tap" export -q -f -e folded -o t t.gputap
check "device time is what the lines add up when nothing is asked for" cmp t.folded t.gpu.folded
check "an unknown weight is refused" eval '"$tap" export -q -f -e folded --folded-weight=colour -o t t.gputap 2>&1 | grep -q "is not one of: auto gpu"'
finish
