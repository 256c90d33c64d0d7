/*
 * tests/unit/test_cuda_launch.c - model/cuda/launch.c: which CUDA calls put work on a stream
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "model/cuda/cuda.h"

static enum gt_cuda_work work_of(const char *name)
{
	const struct gt_cuda_event call = { .kind = GT_CUDA_CALL, .call.base = { name, strlen(name) } };

	assert_int_equal(gt_cuda_is_launch(&call), gt_cuda_work_kind(&call) != GT_CUDA_WORK_NONE);
	return gt_cuda_work_kind(&call);
}

static void check(enum gt_cuda_work work, const char *const *names)
{
	for (; *names; names++)
		if (work_of(*names) != work)
			fail_msg("%s: %d, not %d", *names, (int)work_of(*names), (int)work);
}
#define CHECK(work, ...) check(work, (const char *const[]){ __VA_ARGS__, NULL })

/* Every form of a name counts alike: runtime and driver, versions, per-thread default streams. */
static void names_of_one_work_count_alike(void **state)
{
	(void)state;
	CHECK(GT_CUDA_WORK_KERNEL, "cudaLaunchKernel", "cudaLaunchKernel_ptsz", "__cudaLaunchKernel",
		"cudaLaunchKernelExC", "cudaLaunch", "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchGridAsync",
		"cudaLaunchCooperativeKernel", "cuLaunchCooperativeKernelMultiDevice");
	CHECK(GT_CUDA_WORK_COPY, "cudaMemcpy", "cudaMemcpy_ptds", "cudaMemcpyAsync", "cudaMemcpy2DToArray",
		"cudaMemcpyToSymbol", "cudaMemcpyPeerAsync", "cuMemcpyHtoD_v2", "cuMemcpyHtoDAsync", "cu64MemcpyDtoD",
		"cuMemcpyBatchAsync", "cuMemcpy");
	CHECK(GT_CUDA_WORK_FILL, "cudaMemset", "cudaMemset2DAsync", "cuMemsetD8_v2", "cuMemsetD2D32Async");
	CHECK(GT_CUDA_WORK_GRAPH, "cudaGraphLaunch", "cuGraphLaunch_ptsz");
}

/* Work of a stream that moves no bytes of its own: a later call on the stream waits for it all the same. */
static void operations_in_stream_order_are_work(void **state)
{
	(void)state;
	CHECK(GT_CUDA_WORK_OTHER, "cudaEventRecord", "cuEventRecordWithFlags", "cudaStreamWaitEvent",
		"cudaLaunchHostFunc", "cudaStreamAddCallback", "cudaMallocAsync", "cudaFreeAsync",
		"cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cudaMemPrefetchAsync", "cuStreamWaitValue32",
		"cudaGraphUpload");
}

/* Descriptions of work, waits, and what only looks like a name of the table put nothing on a stream. */
static void what_describes_or_waits_is_no_work(void **state)
{
	(void)state;
	CHECK(GT_CUDA_WORK_NONE, "cudaGraphAddMemcpyNode", "cudaGraphExecMemcpyNodeSetParams", "cudaGraphAddKernelNode",
		"cudaGraphInstantiate", "cudaMalloc", "cudaFree", "cuMemAlloc_v2", "cudaDeviceSynchronize",
		"cudaStreamSynchronize", "cudaEventQuery", "cudaEventCreate", "cuStreamCreate", "cudaMallocHost",
		"cudaMemGetInfo", "clEnqueueMemcpy", "Memcpy", "cu", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_one_work_count_alike),
		cmocka_unit_test(operations_in_stream_order_are_work),
		cmocka_unit_test(what_describes_or_waits_is_no_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
