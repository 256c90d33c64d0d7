#!/usr/bin/env bash
# tests/cli/report_pairs.sh - any two reports in one run print what each prints alone
#
# Every pair over a small trace that has work of OpenCL and of CUDA; every so manieth over others, among them one recorded
# here, with counters, call stacks, the OS runtime, samples and two processes. PAIRS=all: every pair over all of them, for
# scripts/test --long. tests/quality/report_pairs.sh does the same with a sanitizers' build.
#
# Copyright 2026 The gputap authors
# SPDX-License-Identifier: Apache-2.0
set -u
build=$GPUTAP_BUILD
. "$GPUTAP_TESTS/check_lib.sh"
few=${PAIRS_STEP:-31} recorded=${PAIRS_RECORDED:-97}
[ "${PAIRS-}" != all ] || few=1 recorded=1

# pairs NAME OPTION... TRACE...
pairs() {
	local name=$1
	shift
	check "$name" "$build/tests/report_pairs" "$@"
}
mkdir others
for t in cuda_opencl sample others/{objects,callbacks,transfers,local_sizes,no_device_times,markers_alone,payloads,cuda_nvtx,cuda_args,cuda_odd}; do
	"$build/tests/golden/build" "${t##*/}" "$build/gen/table.txt" "$t.gputap" || exit 1
done
pairs "OpenCL and CUDA: every pair" cuda_opencl.gputap
pairs "... several threads read: some" -j 3 -s "$few" cuda_opencl.gputap sample.gputap
pairs "what else there is: some" -s "$few" others/*.gputap

gpu=$build/tests/fakegpu/lib
# The sanitizers' runtime forbids how the host library that evaluates counters is opened.
counters=(--cupti "$gpu/libcupti.so.13" --metrics sm__cycles_active.avg)
has_metric=sm__cycles_active.avg
[ -z "${SANITIZED-}" ] || counters=() has_metric=launch__
# What a trace names is not opened: readers are told where the host library lies.
export GPUTAP_CUPTI=$gpu/libcupti.so.13
OCL_ICD_VENDORS=$build/tests/fakecl/vendors LD_LIBRARY_PATH=$gpu "$build/gputap" run -q -o recorded --summary=none \
	-t opencl,cuda,nvtx,osrt,openmp,sample,sched --callstacks "${counters[@]}" \
	-- sh -c "\"$build/tests/e2e/cl_commands\"; \"$build/examples/cuda/storm\" 2 20" >out 2>err
ok "a run of two programs, with counters" $? 0
has "... has them" <("$build/gputap" stats -q -r kernel_metric_sum --format csv recorded.gputap) "$has_metric"
has "... has queues" <("$build/gputap" stats -q -r opencl_queue_sum --format csv recorded.gputap) 0x
pairs "... and its reports" -s "$recorded" recorded.gputap
finish
