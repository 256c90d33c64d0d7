/*
 * tests/golden/cases_cuda.c - golden traces of CUDA
 *
 * cuda         the whole session of tests/cudasession.c, with nothing of OpenCL
 * cuda_opencl  the same with OpenCL calls in the same threads
 * cuda_opencl_same  OpenCL on one of CUDA's devices
 * cuda_nvtx    the same with NVTX ranges around its calls, categories, ranges of cuBLAS and cuDNN, and a device's name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <string.h>

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
	CALL(g, "clCreateContext", T0 + 62000, 400, 0, V(0), V(1), D64(0x7FF8, 0xD0), V(0), V(0), V(0x7FF4),
		RET(0x5500BB00));
	CALL(g, "clCreateCommandQueue", T0 + 63000, 400, 0, V(0x5500BB00), V(0xD0), V(CL_QUEUE_PROFILING_ENABLE),
		V(0x7FF4), RET(0x5500CC00));
	CALL(g, "clCreateBuffer", T0 + 64000, 400, 0, V(0x5500BB00), V(CL_MEM_READ_WRITE), V(1 << 20), V(0), V(0x7FF4),
		RET(0x5500DD00));
	golden_times(g,
		CALL(g, "clEnqueueReadBuffer", T0 + 142000, 400, 0, V(0x5500CC00), V(0x5500DD00), V(1), V(0), V(4096),
			V(0x604000), V(0), V(0), V(0)),
		T0 + 142100, T0 + 142200, T0 + 143000, T0 + 144000);
	CALL(g, "clFinish", T0 + 345000, 400, 0, V(0x5500CC00));
	tb_cuda_session(g->tb, g->process, g->stream, T0, MONO);
}

/* Two OpenCL devices, of which the second is CUDA's second. */
static void cuda_opencl_same(struct golden *g)
{
	static const uint8_t uuid[16] = { 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

	golden_device(g, 0xD0, CL_DEVICE_TYPE_CPU, "Golden CPU");
	golden_device(g, 0xD1, CL_DEVICE_TYPE_GPU, "Golden GPU 100, says OpenCL");
	tb_object(g->stream, REC_OBJECT_DEVICE, 0xD1);
	tb_attr(g->stream, CL_DEVICE_UUID_KHR, uuid, sizeof uuid);
	tb_object_end(g->stream);
	CALL(g, "clCreateContext", T0 + 62000, 400, 0, V(0), V(2), D64(0x7FF8, 0xD0, 0xD1), V(0), V(0), V(0x7FF4),
		RET(0x5500BB00));
	for (uint64_t i = 0; i < 2; i++)
		CALL(g, "clCreateCommandQueue", T0 + 63000 + 500 * i, 400, 0, V(0x5500BB00), V(0xD0 + i), V(0),
			V(0x7FF4), RET(0x5500CC00 + i));
	CALL(g, "clFinish", T0 + 345000, 400, 0, V(0x5500CC01));
	tb_cuda_session(g->tb, g->process, g->stream, T0, MONO);
}

/* ---------------------------------------------------------------------- NVTX */

enum { CUBLAS = 1, CUDNN, MINE };         /* domains */

static uint64_t nvtx(
	struct golden *g, uint64_t ns, enum rec_nvtx_kind kind, int domain, uint32_t category, const char *text)
{
	uint64_t words[64] = { T0 + ns, (uint64_t)kind | REC_NVTX_TEXT << 8 | (uint64_t)category << 32 };

	return tb_record(
		g->stream, REC_NVTX_EVENT, 0, domain, words, tb_put_text(words, 2, text, (uint32_t)strlen(text)));
}

static void pop(struct golden *g, uint64_t ns, int domain)
{
	tb_record(g->stream, REC_NVTX_POP, 0, domain, W(T0 + ns));
}

static void name(struct golden *g, uint64_t ns, int domain, enum rec_nvtx_name what, uint32_t type, uint64_t id,
	const char *text)
{
	uint64_t words[64] = { T0 + ns, (uint64_t)what | REC_NVTX_TEXT << 8 | (uint64_t)type << 32, id };

	tb_record(g->stream, REC_NVTX_NAME, 0, domain, words, tb_put_text(words, 3, text, (uint32_t)strlen(text)));
}

static void library_range(struct golden *g, int domain, uint64_t ns, uint64_t length, const char *text)
{
	nvtx(g, ns, REC_NVTX_PUSH, domain, 0, text);
	pop(g, ns + length, domain);
}

static void cuda_nvtx(struct golden *g)
{
	uint64_t range;

	name(g, 100, CUBLAS, REC_NVTX_DOMAIN, 0, CUBLAS, "cuBLAS");
	name(g, 200, CUDNN, REC_NVTX_DOMAIN, 0, CUDNN, "cuDNN");
	name(g, 300, MINE, REC_NVTX_DOMAIN, 0, MINE, "mine");
	name(g, 400, 0, REC_NVTX_CATEGORY, 0, 1, "compute");
	name(g, 500, MINE, REC_NVTX_CATEGORY, 0, 1, "mine to compute");
	name(g, 600, 0, REC_NVTX_RESOURCE, 5 << 16, 1, "old name");           /* cudaDevice 1, twice */
	name(g, 700, 0, REC_NVTX_RESOURCE, 5 << 16, 1, "second GPU");
	nvtx(g, 65000, REC_NVTX_PUSH, 0, 1, "step");
	nvtx(g, 125000, REC_NVTX_PUSH, 0, 0, "add");
	pop(g, 145000, 0);
	nvtx(g, 146000, REC_NVTX_MARK, MINE, 1, "mark");
	/* two pieces */
	tb_record(g->stream, REC_NVTX_EVENT, 0, MINE, W(T0 + 146500, REC_NVTX_MARK | (uint64_t)REC_NVTX_PAYLOAD << 16,
		PAIR(REC_NVTX_SCHEMA_DATA, 64), 16777217, 5, 5, 0x0504030201, 16777218, 8, 8, 42));
	range = nvtx(g, 147000, REC_NVTX_START, 0, 1, "range");
	library_range(g, CUBLAS, 148500, 11000, "cublasSgemm_v2");
	library_range(g, CUDNN, 159500, 9500, "cudnnConvolutionForward");
	pop(g, 225000, 0);
	tb_record(g->stream, REC_NVTX_END, 0, 0, W(T0 + 400000, range));
	/* never ends: CUBLAS_EVENTS cannot hold it */
	nvtx(g, 450000, REC_NVTX_PUSH, CUBLAS, 0, "cublasDestroy_v2");
	tb_cuda_session(g->tb, g->process, g->stream, T0, MONO);
}

const struct golden_case golden_cuda[] = {
	{ "cuda", T0, cuda, NULL },
	{ "cuda_opencl", T0, cuda_opencl, NULL },
	{ "cuda_opencl_same", T0, cuda_opencl_same, NULL },
	{ "cuda_nvtx", T0, cuda_nvtx, NULL },
	{ NULL, 0, NULL, NULL },
};
