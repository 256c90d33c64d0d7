/*
 * tests/golden/cases_cuda.c - golden traces of CUDA
 *
 * cuda         the whole session of tests/cudasession.c, with nothing of OpenCL
 * cuda_opencl  the same with OpenCL calls in the same threads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>

#include "tests/golden/case.h"
#include "tests/tracecuda.h"

#define T0 1000000000ull

static void cuda(struct golden *g)
{
	tb_cuda_session(g->tb, g->process, g->stream, T0, MONO);
}

static void cuda_opencl(struct golden *g)
{
	golden_device(g, 0xD0, CL_DEVICE_TYPE_GPU, "Golden GPU 9");
	CALL(g, "clCreateContext", T0 + 62000, 400, 0, V(0), V(1), D64(0x7FF8, 0xD0), V(0), V(0), V(0x7FF4), RET(0x5500BB00));
	CALL(g, "clCreateCommandQueue", T0 + 63000, 400, 0, V(0x5500BB00), V(0xD0), V(CL_QUEUE_PROFILING_ENABLE), V(0x7FF4), RET(0x5500CC00));
	CALL(g, "clCreateBuffer", T0 + 64000, 400, 0, V(0x5500BB00), V(CL_MEM_READ_WRITE), V(1 << 20), V(0), V(0x7FF4), RET(0x5500DD00));
	golden_times(g, CALL(g, "clEnqueueReadBuffer", T0 + 142000, 400, 0, V(0x5500CC00), V(0x5500DD00), V(1), V(0), V(4096), V(0x604000), V(0), V(0), V(0)),
		T0 + 142100, T0 + 142200, T0 + 143000, T0 + 144000);
	CALL(g, "clFinish", T0 + 345000, 400, 0, V(0x5500CC00));
	tb_cuda_session(g->tb, g->process, g->stream, T0, MONO);
}

const struct golden_case golden_cuda[] = {
	{ "cuda", T0, cuda, NULL },
	{ "cuda_opencl", T0, cuda_opencl, NULL },
	{ NULL, 0, NULL, NULL },
};
