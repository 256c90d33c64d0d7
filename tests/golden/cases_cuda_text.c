/*
 * tests/golden/cases_cuda_text.c - golden traces of what the text formats must get right about CUDA
 *
 * cuda_args calls with arguments: what went in and came out, values of every kind, failures, a structure of an unknown
 * layout cuda_odd work without calls, without names, devices or ids; a graph of many nodes; times that must be moved
 * cuda_markers NVTX around CUDA
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "tests/golden/case.h"
#include "tests/tracecuda.h"

#define T0 1000000000ull
#define REAL 1000000000000000000ull       /* REALTIME - MONOTONIC, as tb_clock says */

enum { MEMCPY = 1, MEMSET, RUNTIME = 5, DEVICE_RECORD = 8, KERNEL = 10, GRAPH = 51 };

/* CUPTI's time of a moment in ns from the trace's first. */
static uint64_t at(uint64_t ns) { return REAL + MONO + T0 + ns; }

static void begin(struct golden *g, uint32_t flags)
{
	tb_cupti_library(g->stream, T0, 130001, 13000, flags, "/usr/lib/libcupti.so.13");
	tb_cupti_clock(g->stream, T0, at(0), 60, at(0));
	tb_cupti_clock(g->stream, T0 + 1000000, at(1000000), 60, at(1000000));
}

static void finish(struct golden *g, struct tb_acts *a)
{
	struct rec_cupti_buffer head = { .number = 1,
		.requested_tick = T0,
		.requested_tid = 4711,
		.completed_tid = 4711,
		.completed_tick = T0 + 900000 };

	tb_cupti_buffer(tb_stream(g->process), a, &head);
	tb_acts_free(a);
}

/* ------------------------------------------------------------------ arguments */

struct call { uint32_t domain, cbid; const char *name; int32_t result; };
enum { RT = REC_FN_CUDA_RUNTIME, DR = REC_FN_CUDA_DRIVER };

/* The next call, 1 us after the last began; `copies` as tb_cuda_copy made them. */
static void call(struct golden *g, struct call c, const void *params, uint32_t bytes, uint32_t n_copies,
	const uint64_t *copies, uint32_t words)
{
	static uint32_t correlation;

	g->now += 1000;
	tb_cupti_name(g->stream, g->now, c.domain == RT ? 2 : 1, c.cbid, c.name);
	tb_cuda_call(g->stream, c.domain + c.cbid, g->now, 400, c.result, ++correlation, params, bytes, n_copies,
		copies, words);
}

static void cuda_args(struct golden *g)
{
	const uint64_t address = 0x7f3000000000;
	const uint64_t sizes[2] = { 1 << 30, 80ull << 30 };
	const int32_t count = 2;
	const float elapsed = 1.5f;
	uint64_t w[64];
	uint32_t n;

	begin(g, 0);
	call(g, (struct call){ RT, 3, "cudaGetDeviceCount_v3020", 0 }, W(0x7ffd10) * 8, 1, w,
		tb_cuda_copy(w, 0, 0, true, &count, 4));
	call(g, (struct call){ RT, 20, "cudaMalloc_v3020", 0 }, W(0x7ffd20, 4096) * 8, 1, w,
		tb_cuda_copy(w, 0, 0, true, &address, 8));
	call(g, (struct call){ RT, 20, "cudaMalloc_v3020", 2 }, W(0x7ffd20, 1ull << 50) * 8, 0, NULL, 0);
	n = tb_cuda_copy(w, 0, 0, true, &sizes[0], 8);
	call(g, (struct call){ RT, 30, "cudaMemGetInfo_v3020", 0 }, W(0x7ffd30, 0) * 8, 1, w, n);
	call(g, (struct call){ RT, 31, "cudaMemcpy_v3020", 0 }, W(address, 0x55aa0000, 4096, 1) * 8, 0, NULL, 0);
	call(g, (struct call){ RT, 31, "cudaMemcpy_v3020", 0 }, W(address, 0x55aa0000, 4096, 77) * 8, 0, NULL, 0);
	call(g, (struct call){ RT, 16, "cudaSetDevice_v3020", 101 }, W(0xffffffff) * 4, 0, NULL, 0);
	call(g, (struct call){ RT, 139, "cudaEventElapsedTime_v3020", 0 }, W(0x7ffd40, 0xe1, 0xe2) * 8, 1, w,
		tb_cuda_copy(w, 0, 0, true, &elapsed, 4));
	call(g, (struct call){ DR, 5, "cuDeviceGetName", 0 }, W(0x7ffd50, PAIR(64, 0)) * 8, 1, w,
		tb_cuda_copy(w, 0, 0, true, "Golden \"GPU\"\n100", 16));
	call(g, (struct call){ DR, 23, "cuModuleGetFunction", 500 }, W(0x7ffd60, 0x40, 0x601000) * 8, 1, w,
	     tb_cuda_copy(w, 0, 16, false, "no/such;kernel)", 15));
	call(g, (struct call){ RT, 2000, "cudaUnheardOf_v20000", 0 }, W(1, 0, 0xabcdef) * 8, 0, NULL, 0);
	call(g, (struct call){ RT, 165, "cudaDeviceSynchronize_v3020", 0 }, W0, 0, NULL, 0);
}

/* ----------------------------------------------------------------- odd things */

struct place { uint32_t device, context, stream, correlation; };

static void kernel(struct tb_acts *a, struct place w, uint64_t start, uint64_t end, uint64_t queued, uint64_t submitted,
	uint64_t node)
{
	ACT(a, KERNEL, F(CONCURRENT_KERNEL, start, at(start)), F(CONCURRENT_KERNEL, end, at(end)),
		F(CONCURRENT_KERNEL, deviceId, w.device), F(CONCURRENT_KERNEL, contextId, w.context),
		F(CONCURRENT_KERNEL, streamId, w.stream), F(CONCURRENT_KERNEL, correlationId, w.correlation),
		F(CONCURRENT_KERNEL, gridX, 2), F(CONCURRENT_KERNEL, gridY, 1), F(CONCURRENT_KERNEL, gridZ, 1),
		F(CONCURRENT_KERNEL, blockX, 32), F(CONCURRENT_KERNEL, blockY, 1), F(CONCURRENT_KERNEL, blockZ, 1),
		F(CONCURRENT_KERNEL, queued, queued ? at(queued) : 0),
		F(CONCURRENT_KERNEL, submitted, submitted ? at(submitted) : 0), F(CONCURRENT_KERNEL, graphNodeId, node),
		F(CONCURRENT_KERNEL, graphId, node ? 3 : 0));
}

static void api(struct golden *g, struct tb_acts *a, uint32_t cbid, const char *name, uint32_t correlation,
	uint64_t start, uint64_t end)
{
	tb_cupti_name(g->stream, T0 + 10, 2, cbid, name);
	ACT(a, RUNTIME, F(RUNTIME, cbid, cbid), F(RUNTIME, start, start ? at(start) : 0),
		F(RUNTIME, end, end ? at(end) : 0), F(RUNTIME, processId, 4711), F(RUNTIME, threadId, 4711),
		F(RUNTIME, correlationId, correlation));
}

static void cuda_odd(struct golden *g)
{
	const struct place known = { 0, 1, 7, 0 }, none = { UINT32_MAX, UINT32_MAX, UINT32_MAX, 0 };
	struct tb_acts *a = tb_acts(130001);
	struct place w = known;

	begin(g, REC_CUPTI_STAND_IN);
	tb_cupti_string(g->stream, T0 + 20, 0x7f1000, "A device with a name of more than thirty bytes");
	ACT(a, DEVICE_RECORD, F(DEVICE, id, 0), F(DEVICE, name, 0x7f1000));
	/* work without a call, and with nothing known of it: in order of start over all kinds */
	ACT(a, GRAPH, F(GRAPH_TRACE, start, at(64000)), F(GRAPH_TRACE, end, at(65000)),
		F(GRAPH_TRACE, correlationId, 990), F(GRAPH_TRACE, streamId, 7));
	ACT(a, MEMCPY, F(MEMCPY, copyKind, 9), F(MEMCPY, bytes, 5000000000), F(MEMCPY, start, at(62000)),
		F(MEMCPY, end, at(63000)), F(MEMCPY, correlationId, 991));
	ACT(a, MEMCPY, F(MEMCPY, copyKind, 99), F(MEMCPY, start, at(62000)), F(MEMCPY, end, at(63000)));
	ACT(a, MEMSET, F(MEMSET, value, 0xffffffff), F(MEMSET, bytes, 16), F(MEMSET, start, at(63000)),
		F(MEMSET, end, at(63000)), F(MEMSET, correlationId, 992));
	kernel(a, none, 61000, 62000, 0, 0, 0);
	/* queued and submitted that are later than the start are moved to it */
	api(g, a, 211, "cudaLaunchKernel_v7000", 1, 10000, 12000);
	w.correlation = 1;
	kernel(a, w, 15000, 16000, 20000, 19000, 0);
	/* a graph of ten nodes, told backwards */
	api(g, a, 311, "cudaGraphLaunch_v10000", 2, 20000, 22000);
	w.correlation = 2;
	for (uint64_t node = 10; node > 0; node--)
		kernel(a, w, 30000 + node * 100, 30050 + node * 100, 0, 0, node);
	/* a call that has no end, and one that has no times */
	api(g, a, 165, "cudaDeviceSynchronize_v3020", 3, 50000, 0);
	api(g, a, 10, "cudaGetLastError_v3020", 4, 0, 0);
	/* a call that nobody named */
	ACT(a, RUNTIME, F(RUNTIME, cbid, 4000), F(RUNTIME, start, at(55000)), F(RUNTIME, end, at(55100)),
		F(RUNTIME, processId, 4711), F(RUNTIME, threadId, 4711), F(RUNTIME, correlationId, 5),
		F(RUNTIME, returnValue, 12345));
	finish(g, a);
}

/* --------------------------------------------------------------------- markers */

static void cuda_markers(struct golden *g)
{
	uint64_t words[16] = { T0 + 9000, REC_NVTX_PUSH | REC_NVTX_TEXT << 8 };
	struct tb_acts *a = tb_acts(130001);

	begin(g, 0);
	tb_record(g->stream, REC_NVTX_EVENT, 0, 0, words, tb_put_text(words, 2, "training step", 13));
	tb_record(g->stream, REC_NVTX_POP, 0, 0, W(T0 + 13000));
	api(g, a, 211, "cudaLaunchKernel_v7000", 1, 10000, 12000);
	kernel(a, (struct place){ 0, 1, 7, 1 }, 15000, 16000, 0, 0, 0);
	finish(g, a);
}

const struct golden_case golden_cuda_text[] = {
	{ "cuda_args", T0, cuda_args, NULL },
	{ "cuda_odd", T0, cuda_odd, NULL },
	{ "cuda_markers", T0, cuda_markers, NULL },
	{ NULL, 0, NULL, NULL },
};
