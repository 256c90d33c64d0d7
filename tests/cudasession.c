/*
 * tests/cudasession.c - the CUDA session of golden tests: everything that CUPTI can tell, in two processes on two
 * devices
 *
 * Process 1, CUPTI 130001: device 0 (context 1, streams 7 (null), 13, 14) and device 1 (context 2, stream 7); threads
 * main, worker, and one that only CUPTI knows. Process 2, CUPTI 22: its device 0 is the first one's device 1 (same
 * UUID), older and shorter records. Each buffer is out of order inside, as CUPTI's are.
 *
 * Correlation ids of process 1, start and duration of the call in ns from the session's start:
 *    1 cudaMalloc                   10000 50000   runtime, driver call inside; one allocation; overheads around it
 *    2 cudaMemcpy                   70000 50000   pageable host to device; with arguments
 *    3 cudaLaunchKernel            130000 10000   vecadd on the null stream; with arguments; external id 77
 *    4 cudaLaunchKernelExC         150000  8000   a template in a namespace, clusters of 2
 *    5 cudaLaunchCooperativeKernel 160000  8000   a C name, cooperative
 *    6 cudaLaunchKernel            170000  3000   fails with 9: no kernel
 *    7 cudaMemcpyPeerAsync         180000  5000   device 0 to 1
 *    8 cudaMemcpyAsync             190000  4000   device to pinned host
 *    9 cudaMemcpyAsync             200000  4000   device to device
 *   10 cudaMemcpyBatchAsync        210000  6000   three copies in one record
 *   11 cudaMemsetAsync             220000  4000
 *   12..15 synchronisation of event, stream by event, stream, context
 *   16..23 graph: create, two nodes, clone, instantiate, launch as a whole, launch with nodes, destroy
 *   24..26 pool made, allocation and release from it
 *   27 cuModuleLoadData            a driver call of its own; just-in-time compilation
 *   28 cudaEventRecord
 *   29 kernel with zero times; 30 with reversed times; 31 still running at the end
 *   40 cuLaunchKernel of the worker on device 1; 41 cudaGetLastError on a thread that only CUPTI knows
 *   42 call and kernel in a buffer that was never completed
 *   50 cudaMalloc known only by its arguments
 *  999 kernel without a call
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/tracecuda.h"

#include <stdio.h>
#include <string.h>

#define REAL 1000000000000000000ull       /* REALTIME - MONOTONIC, as tb_clock says */

enum {
	MEMCPY = 1,
	MEMSET,
	DRIVER = 4,
	RUNTIME,
	DEVICE = 8,
	CONTEXT,
	KERNEL,
	OVERHEAD = 17,
	MEMCPY2 = 22,
	MANAGED = 25,
	EVENT = 36,
	STREAM,
	SYNC,
	EXTERNAL,
	MEMORY2 = 49,
	POOL,
	GRAPH,
	JIT,
	DECOMPRESS = 54
};
enum { MAIN = 4711, WORKER, UNSEEN };

/* The names' ids, as CUDA 12 and 13 number them. */
static const struct { uint8_t domain; uint16_t cbid; const char *name; } names[] = {
	{ 2, 10, "cudaGetLastError_v3020" }, { 2, 20, "cudaMalloc_v3020" }, { 2, 31, "cudaMemcpy_v3020" },
	{ 2, 41, "cudaMemcpyAsync_v3020" },
	{ 2, 51, "cudaMemsetAsync_v3020" }, { 2, 131, "cudaStreamSynchronize_v3020" },
	{ 2, 135, "cudaEventRecord_v3020" },
	{ 2, 137, "cudaEventSynchronize_v3020" }, { 2, 147, "cudaStreamWaitEvent_v3020" },
	{ 2, 161, "cudaMemcpyPeerAsync_v4000" },
	{ 2, 165, "cudaDeviceSynchronize_v3020" }, { 2, 211, "cudaLaunchKernel_v7000" },
	{ 2, 269, "cudaLaunchCooperativeKernel_v9000" },
	{ 2, 286, "cudaGraphCreate_v10000" }, { 2, 289, "cudaGraphAddKernelNode_v10000" },
	{ 2, 290, "cudaGraphAddMemcpyNode_v10000" },
	{ 2, 301, "cudaGraphClone_v10000" }, { 2, 311, "cudaGraphLaunch_v10000" },
	{ 2, 314, "cudaGraphDestroy_v10000" },
	{ 2, 373, "cudaMallocAsync_v11020" }, { 2, 375, "cudaFreeAsync_v11020" },
	{ 2, 383, "cudaMemPoolCreate_v11020" },
	{ 2, 430, "cudaLaunchKernelExC_v11060" }, { 2, 443, "cudaGraphInstantiate_v12000" },
	{ 2, 509, "cudaMemcpyBatchAsync_v13000" },
	{ 1, 19, "cuModuleLoadData" }, { 1, 243, "cuMemAlloc_v2" }, { 1, 276, "cuMemcpyHtoD_v2" },
	{ 1, 307, "cuLaunchKernel" },
};

/* Addresses of texts in the traced program. */
enum {
	S_DEVICE = 0x7f1000001000,
	S_VECADD = 0x7f1000002000,
	S_GEMM = 0x7f1000002100,
	S_REDUCE = 0x7f1000002200,
	S_SCALE = 0x7f1000002300,
	S_LAST = 0x7f1000002400,
	S_CACHE = 0x7f1000003000,
	S_VARIABLE = 0x7f1000003100,
	S_SOURCE = 0x7f1000003200,
	S_GONE = 0x7f1000004000
};

struct session {
	struct tb_process *p;
	struct tb_stream *s, *c;          /* records; buffers */
	struct tb_acts *a;
	uint64_t t0, mono, number;
	int pid;
};

static uint64_t at(const struct session *x, uint64_t ns) { return REAL + x->mono + x->t0 + ns; }

static void api(struct session *x, uint32_t kind, uint32_t cbid, uint32_t tid, uint32_t correlation, uint64_t start,
	uint64_t ns, uint32_t result)
{
	ACT(x->a, kind, F(RUNTIME, cbid, cbid), F(RUNTIME, start, at(x, start)), F(RUNTIME, end, at(x, start + ns)),
		F(RUNTIME, processId, x->pid), F(RUNTIME, threadId, tid), F(RUNTIME, correlationId, correlation),
		F(RUNTIME, returnValue, result));
}

static void finish_buffer(struct session *x, uint64_t requested, uint64_t completed)
{
	struct rec_cupti_buffer head = { .number = ++x->number,
		.requested_tick = x->t0 + requested,
		.requested_tid = MAIN,
		.completed_tid = MAIN + 90 };

	head.completed_tick = completed ? x->t0 + completed : 0;
	tb_cupti_buffer(x->c, x->a, &head);
}

struct where { uint32_t device, context, stream, correlation; };

static void kernel(struct session *x, struct where w, uint64_t name, uint64_t start, uint64_t end, uint32_t grid,
	uint32_t block, uint32_t cluster, uint8_t launch, uint32_t graph, uint64_t node)
{
	ACT(x->a, KERNEL, F(CONCURRENT_KERNEL, cacheConfig, 0x21), F(CONCURRENT_KERNEL, sharedMemoryConfig, 1),
		F(CONCURRENT_KERNEL, registersPerThread, 16), F(CONCURRENT_KERNEL, start, start),
		F(CONCURRENT_KERNEL, end, end), F(CONCURRENT_KERNEL, deviceId, w.device),
		F(CONCURRENT_KERNEL, contextId, w.context), F(CONCURRENT_KERNEL, streamId, w.stream),
		F(CONCURRENT_KERNEL, correlationId, w.correlation), F(CONCURRENT_KERNEL, gridX, grid),
		F(CONCURRENT_KERNEL, gridY, 2), F(CONCURRENT_KERNEL, gridZ, 1), F(CONCURRENT_KERNEL, blockX, block),
		F(CONCURRENT_KERNEL, blockY, 1), F(CONCURRENT_KERNEL, blockZ, 1),
		F(CONCURRENT_KERNEL, staticSharedMemory, 1024), F(CONCURRENT_KERNEL, dynamicSharedMemory, 2048),
		F(CONCURRENT_KERNEL, localMemoryPerThread, 8), F(CONCURRENT_KERNEL, localMemoryTotal, 65536),
		F(CONCURRENT_KERNEL, localMemoryTotal_v2, 65536), F(CONCURRENT_KERNEL, gridId, 1000 + w.correlation),
		F(CONCURRENT_KERNEL, name, name), F(CONCURRENT_KERNEL, queued, w.correlation == 3 ? at(x, 141000) : 0),
		F(CONCURRENT_KERNEL, submitted, w.correlation == 3 ? at(x, 142000) : 0),
		F(CONCURRENT_KERNEL, launchType, launch), F(CONCURRENT_KERNEL, sharedMemoryExecuted, 16384),
		F(CONCURRENT_KERNEL, graphNodeId, node), F(CONCURRENT_KERNEL, graphId, graph),
		F(CONCURRENT_KERNEL, channelID, 9), F(CONCURRENT_KERNEL, channelType, 1),
		F(CONCURRENT_KERNEL, clusterX, cluster), F(CONCURRENT_KERNEL, clusterY, cluster ? 1 : 0),
		F(CONCURRENT_KERNEL, clusterZ, cluster ? 1 : 0),
		F(CONCURRENT_KERNEL, clusterSchedulingPolicy, cluster ? 1 : 0),
		F(CONCURRENT_KERNEL, maxPotentialClusterSize, cluster ? 8 : 0),
		F(CONCURRENT_KERNEL, maxActiveClusters, cluster ? 66 : 0));
}

static void copy(struct session *x, struct where w, uint64_t start, uint64_t ns, uint64_t bytes, uint8_t kind,
	uint8_t src, uint8_t dst, bool async, uint64_t count, uint32_t graph, uint64_t node)
{
	ACT(x->a, MEMCPY, F(MEMCPY, copyKind, kind), F(MEMCPY, srcKind, src), F(MEMCPY, dstKind, dst),
		F(MEMCPY, flags, async), F(MEMCPY, bytes, bytes), F(MEMCPY, start, at(x, start)),
		F(MEMCPY, end, at(x, start + ns)), F(MEMCPY, deviceId, w.device), F(MEMCPY, contextId, w.context),
		F(MEMCPY, streamId, w.stream), F(MEMCPY, correlationId, w.correlation), F(MEMCPY, graphNodeId, node),
		F(MEMCPY, graphId, graph), F(MEMCPY, channelID, 10), F(MEMCPY, channelType, 2),
		F(MEMCPY, copyCount, count));
}

static void peer_copy(struct session *x, struct where w, uint64_t start, uint64_t ns, uint64_t bytes)
{
	ACT(x->a, MEMCPY2, F(MEMCPY2, copyKind, 10), F(MEMCPY2, srcKind, 3), F(MEMCPY2, dstKind, 3),
		F(MEMCPY2, flags, 1), F(MEMCPY2, bytes, bytes), F(MEMCPY2, start, at(x, start)),
		F(MEMCPY2, end, at(x, start + ns)), F(MEMCPY2, deviceId, w.device), F(MEMCPY2, contextId, w.context),
		F(MEMCPY2, streamId, w.stream), F(MEMCPY2, correlationId, w.correlation), F(MEMCPY2, srcDeviceId, 0),
		F(MEMCPY2, srcContextId, 1), F(MEMCPY2, dstDeviceId, 1), F(MEMCPY2, dstContextId, 2),
		F(MEMCPY2, channelID, 11), F(MEMCPY2, channelType, 2));
}

static void fill(struct session *x, struct where w, uint64_t start, uint64_t ns, uint64_t bytes, uint32_t value,
	uint32_t graph, uint64_t node)
{
	ACT(x->a, MEMSET, F(MEMSET, value, value), F(MEMSET, bytes, bytes), F(MEMSET, start, at(x, start)),
		F(MEMSET, end, at(x, start + ns)), F(MEMSET, deviceId, w.device), F(MEMSET, contextId, w.context),
		F(MEMSET, streamId, w.stream), F(MEMSET, correlationId, w.correlation), F(MEMSET, flags, 1),
		F(MEMSET, memoryKind, 3), F(MEMSET, graphNodeId, node), F(MEMSET, graphId, graph),
		F(MEMSET, channelID, 9), F(MEMSET, channelType, 1));
}

static void sync(struct session *x, uint32_t type, struct where w, uint32_t event, uint64_t start, uint64_t ns)
{
	ACT(x->a, SYNC, F(SYNCHRONIZATION, type, type), F(SYNCHRONIZATION, start, at(x, start)),
		F(SYNCHRONIZATION, end, at(x, start + ns)), F(SYNCHRONIZATION, correlationId, w.correlation),
		F(SYNCHRONIZATION, contextId, w.context), F(SYNCHRONIZATION, streamId, w.stream),
		F(SYNCHRONIZATION, cudaEventId, event),
		F(SYNCHRONIZATION, cudaEventSyncId, event == UINT32_MAX ? 0 : 900 + event));
}

static void overhead(struct session *x, uint32_t kind, uint32_t correlation, uint64_t start, uint64_t ns)
{
	ACT(x->a, OVERHEAD, F(OVERHEAD, overheadKind, kind), F(OVERHEAD, objectKind, 2), F(OVERHEAD, objectId, x->pid),
		F(OVERHEAD, objectThread, x->pid), F(OVERHEAD, start, at(x, start)),
		F(OVERHEAD, end, at(x, start + ns)), F(OVERHEAD, correlationId, correlation));
}

static void memory(struct session *x, uint32_t operation, uint32_t correlation, uint64_t when, uint64_t address,
	uint64_t bytes, uint64_t pool)
{
	ACT(x->a, MEMORY2, F(MEMORY2, memoryOperationType, operation), F(MEMORY2, memoryKind, 3),
		F(MEMORY2, correlationId, correlation), F(MEMORY2, address, address), F(MEMORY2, bytes, bytes),
		F(MEMORY2, timestamp, at(x, when)), F(MEMORY2, PC, 0x401234), F(MEMORY2, processId, x->pid),
		F(MEMORY2, contextId, 1), F(MEMORY2, streamId, pool ? 13 : UINT32_MAX),
		F(MEMORY2, name, pool ? 0 : S_VARIABLE), F(MEMORY2, isAsync, pool != 0),
		F(MEMORY2, memoryPoolType, pool != 0), F(MEMORY2, poolAddress, pool),
		F(MEMORY2, releaseThreshold, pool ? 4096 : 0), F(MEMORY2, poolSize, pool ? 1 << 21 : 0),
		F(MEMORY2, utilizedSize, pool ? bytes : 0), F(MEMORY2, source, S_SOURCE));
}

static void managed(struct session *x, uint32_t counter, uint64_t start, uint64_t ns, uint64_t value, uint32_t src,
	uint32_t dst, uint32_t flags)
{
	ACT(x->a, MANAGED, F(UNIFIED_MEMORY_COUNTER, counterKind, counter), F(UNIFIED_MEMORY_COUNTER, value, value),
		F(UNIFIED_MEMORY_COUNTER, start, at(x, start)),
		F(UNIFIED_MEMORY_COUNTER, end, ns ? at(x, start + ns) : 0),
		F(UNIFIED_MEMORY_COUNTER, address, 0x7f2000000000), F(UNIFIED_MEMORY_COUNTER, srcId, src),
		F(UNIFIED_MEMORY_COUNTER, dstId, dst), F(UNIFIED_MEMORY_COUNTER, streamId, 0),
		F(UNIFIED_MEMORY_COUNTER, processId, x->pid), F(UNIFIED_MEMORY_COUNTER, flags, flags));
}

static void device(struct session *x, uint32_t id, uint8_t uuid)
{
	ACT(x->a, DEVICE, F(DEVICE, globalMemoryBandwidth, 3350000000ull), F(DEVICE, globalMemorySize, 80ull << 30),
		F(DEVICE, constantMemorySize, 65536), F(DEVICE, l2CacheSize, 50 << 20),
		F(DEVICE, numThreadsPerWarp, 32), F(DEVICE, coreClockRate, 1980000), F(DEVICE, numMemcpyEngines, 3),
		F(DEVICE, numMultiprocessors, 132), F(DEVICE, maxIPC, 4), F(DEVICE, maxWarpsPerMultiprocessor, 64),
		F(DEVICE, maxBlocksPerMultiprocessor, 32), F(DEVICE, maxSharedMemoryPerMultiprocessor, 233472),
		F(DEVICE, maxRegistersPerMultiprocessor, 65536), F(DEVICE, maxRegistersPerBlock, 65536),
		F(DEVICE, maxSharedMemoryPerBlock, 49152), F(DEVICE, maxThreadsPerBlock, 1024),
		F(DEVICE, maxBlockDimX, 1024), F(DEVICE, maxBlockDimY, 1024), F(DEVICE, maxBlockDimZ, 64),
		F(DEVICE, maxGridDimX, 0x7fffffff), F(DEVICE, maxGridDimY, 65535), F(DEVICE, maxGridDimZ, 65535),
		F(DEVICE, computeCapabilityMajor, 9), F(DEVICE, computeCapabilityMinor, 0), F(DEVICE, id, id),
		F(DEVICE, eccEnabled, 1), F(DEVICE, uuidLow, 0x0706050403020100ull + uuid),
		F(DEVICE, uuidHigh, 0x0f0e0d0c0b0a0908ull), F(DEVICE, name, S_DEVICE), F(DEVICE, isCudaVisible, 1),
		F(DEVICE, isNumaNode, 0), F(DEVICE, numaId, 0));
}

static void context(struct session *x, uint32_t id, uint32_t device_id)
{
	ACT(x->a, CONTEXT, F(CONTEXT, contextId, id), F(CONTEXT, deviceId, device_id), F(CONTEXT, computeApiKind, 1),
		F(CONTEXT, nullStreamId, 7), F(CONTEXT, parentContextId, UINT32_MAX),
		F(CONTEXT, numMultiprocessors, 132));
}

static void stream(struct session *x, uint32_t context_id, uint32_t id, int priority, uint32_t flag)
{
	ACT(x->a, STREAM, F(STREAM, contextId, context_id), F(STREAM, streamId, id), F(STREAM, priority, priority),
		F(STREAM, flag, flag), F(STREAM, correlationId, 0));
}

static void event(struct session *x, uint64_t when, enum rec_cupti_event what, uint32_t cbid, uint32_t correlation,
	uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	tb_cupti_event(x->s, x->t0 + when, what, cbid, 1, correlation, a, b, c, d);
}

/* ------------------------------------------------------------- first process */

static void begin(struct session *x, uint32_t version, uint32_t driver, const char *path)
{
	tb_cupti_library(x->s, x->t0 + 1000, version, driver, 0, path);
	tb_cupti_clock(x->s, x->t0 + 1100, at(x, 1100), 60, at(x, 1100));
	tb_cupti_kind(x->s, x->t0 + 1200, KERNEL, 0);
	tb_cupti_kind(x->s, x->t0 + 1200, MEMCPY, 0);
	tb_cupti_kind(x->s, x->t0 + 1200, RUNTIME, 0);
	tb_cupti_kind(x->s, x->t0 + 1200, DRIVER, 0);
	tb_cupti_event(x->s, x->t0 + 1250, REC_CUPTI_ATTACHED, 0, 0, 0, x->t0 + 900, 0, 0, 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		tb_cupti_name(x->s, x->t0 + 1300, names[i].domain, names[i].cbid, names[i].name);
	tb_cupti_string(x->s, x->t0 + 5000, S_DEVICE, "Golden GPU 100");
}

static void calls_of_main(struct session *x)
{
	const struct { uint16_t cbid; uint8_t result; uint32_t correlation, start, ns; } list[] = {
		{ 31, 0, 2, 70000, 50000 }, { 20, 0, 1, 10000, 50000 }, { 211, 0, 3, 130000, 10000 },
		{ 430, 0, 4, 150000, 8000 }, { 269, 0, 5, 160000, 8000 },
		{ 211, 9, 6, 170000, 3000 }, { 161, 0, 7, 180000, 5000 }, { 41, 0, 8, 190000, 4000 },
		{ 41, 0, 9, 200000, 4000 },
		{ 509, 0, 10, 210000, 6000 }, { 51, 0, 11, 220000, 4000 }, { 137, 0, 12, 230000, 20000 },
		{ 147, 0, 13, 255000, 2000 },
		{ 131, 0, 14, 260000, 30000 }, { 165, 0, 15, 300000, 40000 }, { 286, 0, 16, 350000, 2000 },
		{ 289, 0, 17, 355000, 3000 },
		{ 290, 0, 18, 360000, 3000 }, { 301, 0, 19, 365000, 4000 }, { 443, 0, 20, 370000, 9000 },
		{ 311, 0, 21, 380000, 5000 },
		{ 311, 0, 22, 400000, 5000 }, { 314, 0, 23, 450000, 2000 }, { 383, 0, 24, 460000, 3000 },
		{ 373, 0, 25, 465000, 3000 },
		{ 375, 0, 26, 470000, 2000 }, { 135, 0, 28, 500000, 1500 }, { 211, 0, 29, 510000, 3000 },
		{ 211, 0, 30, 520000, 3000 },
		{ 211, 0, 31, 530000, 3000 } };

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		api(x, RUNTIME, list[i].cbid, MAIN, list[i].correlation, list[i].start, list[i].ns, list[i].result);
	api(x, DRIVER, 243, MAIN, 1, 20000, 30000, 0);          /* inside their runtime calls */
	api(x, DRIVER, 276, MAIN, 2, 75000, 40000, 0);
	api(x, DRIVER, 307, MAIN, 3, 132000, 6000, 0);
	api(x, DRIVER, 307, MAIN, 6, 170500, 2000, 1);
	api(x, DRIVER, 19, MAIN, 27, 480000, 15000, 0);
	api(x, DRIVER, 307, WORKER, 40, 145000, 5000, 0);
	api(x, RUNTIME, 10, UNSEEN, 41, 148000, 200, 0);
}

static void work(struct session *x)
{
	const struct where null1 = { 0, 1, 7, 0 };
	struct where w = null1;

#define OF(c, s) (w.correlation = (c), w.stream = (s), w)
	kernel(x, OF(4, 13), S_GEMM, at(x, 170000), at(x, 215000), 64, 128, 2, 0, 0, 0);
	kernel(x, OF(3, 7), S_VECADD, at(x, 145000), at(x, 165000), 4096, 256, 0, 0, 0, 0);
	kernel(x, OF(5, 14), S_REDUCE, at(x, 172000), at(x, 182000), 132, 512, 0, 1, 0, 0);
	copy(x, OF(2, 7), 90000, 20000, 1 << 20, 1, 1, 3, false, 0, 0, 0);
	peer_copy(x, OF(7, 13), 216000, 6000, 65536);
	copy(x, OF(8, 14), 195000, 3000, 4096, 2, 3, 2, true, 1, 0, 0);
	copy(x, OF(9, 14), 206000, 2000, 8192, 8, 3, 3, true, 1, 0, 0);
	copy(x, OF(10, 14), 218000, 5000, 12288, 1, 2, 3, true, 3, 0, 0);
	fill(x, OF(11, 13), 226000, 1500, 1 << 20, 0xab, 0, 0);
	sync(x, 1, OF(12, 13), 3, 230500, 19000);
	sync(x, 2, OF(13, 14), 3, 255500, 1000);
	sync(x, 3, OF(14, 13), UINT32_MAX, 260500, 29000);
	sync(x, 4, OF(15, UINT32_MAX), UINT32_MAX, 300500, 39000);
	kernel(x, (struct where){ 1, 2, 7, 40 }, S_SCALE, at(x, 152000), at(x, 158000), 16, 64, 0, 0, 0, 0);
	kernel(x, OF(999, 7), S_VECADD, at(x, 600000), at(x, 601000), 1, 32, 0, 0, 0, 0);
	kernel(x, OF(29, 7), S_VECADD, 0, 0, 1, 32, 0, 0, 0, 0);
	kernel(x, OF(30, 7), S_VECADD, at(x, 526000), at(x, 525000), 1, 32, 0, 0, 0, 0);
	kernel(x, OF(31, 7), S_GONE, at(x, 536000), 0, 1, 32, 0, 0, 0, 0);
	ACT(x->a, GRAPH, F(GRAPH_TRACE, correlationId, 21), F(GRAPH_TRACE, start, at(x, 386000)),
		F(GRAPH_TRACE, end, at(x, 396000)), F(GRAPH_TRACE, deviceId, 0), F(GRAPH_TRACE, graphId, 3),
		F(GRAPH_TRACE, contextId, 1), F(GRAPH_TRACE, streamId, 13), F(GRAPH_TRACE, endDeviceId, 0),
		F(GRAPH_TRACE, endContextId, 1));
	kernel(x, OF(22, 13), S_SCALE, at(x, 407000), at(x, 412000), 8, 32, 0, 0, 3, 0x300000001);
	copy(x, OF(22, 13), 413000, 2000, 4096, 8, 3, 3, true, 1, 3, 0x300000002);
	fill(x, OF(22, 13), 416000, 1000, 256, 0, 3, 0x300000003);
#undef OF
}

static void the_rest(struct session *x)
{
	memory(x, 1, 1, 40000, 0x7f3000000000, 1 << 20, 0);
	ACT(x->a, POOL, F(MEMORY_POOL, memoryPoolOperationType, 1), F(MEMORY_POOL, memoryPoolType, 1),
		F(MEMORY_POOL, correlationId, 24), F(MEMORY_POOL, processId, x->pid),
		F(MEMORY_POOL, address, 0x7f4000000000), F(MEMORY_POOL, size, 1 << 21),
		F(MEMORY_POOL, releaseThreshold, 4096), F(MEMORY_POOL, timestamp, at(x, 461000)),
		F(MEMORY_POOL, utilizedSize, 0));
	memory(x, 1, 25, 466000, 0x7f4000001000, 8192, 0x7f4000000000);
	memory(x, 2, 26, 471000, 0x7f4000001000, 8192, 0x7f4000000000);
	managed(x, 1, 540000, 4000, 65536, UINT32_MAX, 0, 2);
	managed(x, 2, 545000, 3000, 4096, 0, UINT32_MAX, 3);
	managed(x, 3, 550000, 0, 1, UINT32_MAX, UINT32_MAX, 0);
	managed(x, 4, 551000, 1000, 12, 0, 0, 1);
	managed(x, 8, 553000, 1000, 8192, 0, 1, 4);
	overhead(x, 1, 0, 12000, 6000);
	overhead(x, 5 << 16, 4, 151000, 3000);
	overhead(x, 7 << 16, 0, 11000, 800);
	overhead(x, 1 << 16, 0, 590000, 5000);
	ACT(x->a, JIT, F(JIT, jitEntryType, 1), F(JIT, jitOperationType, 3), F(JIT, deviceId, 0),
		F(JIT, start, at(x, 481000)), F(JIT, end, at(x, 494000)), F(JIT, correlationId, 27),
		F(JIT, jitOperationCorrelationId, 5), F(JIT, cacheSize, 4096), F(JIT, cachePath, S_CACHE),
		F(JIT, processId, x->pid), F(JIT, threadId, MAIN));
	ACT(x->a, EXTERNAL, F(EXTERNAL_CORRELATION, externalKind, 3), F(EXTERNAL_CORRELATION, externalId, 77),
		F(EXTERNAL_CORRELATION, correlationId, 3));
	ACT(x->a, EVENT, F(CUDA_EVENT, correlationId, 28), F(CUDA_EVENT, contextId, 1), F(CUDA_EVENT, streamId, 13),
		F(CUDA_EVENT, eventId, 3), F(CUDA_EVENT, deviceId, 0), F(CUDA_EVENT, deviceTimestamp, at(x, 503000)),
		F(CUDA_EVENT, cudaEventSyncId, 903));
	ACT(x->a, DECOMPRESS, F(MEM_DECOMPRESS, deviceId, 0), F(MEM_DECOMPRESS, contextId, 1),
		F(MEM_DECOMPRESS, streamId, 13), F(MEM_DECOMPRESS, channelID, 12), F(MEM_DECOMPRESS, channelType, 3),
		F(MEM_DECOMPRESS, correlationId, 9), F(MEM_DECOMPRESS, numberOfOperations, 2),
		F(MEM_DECOMPRESS, sourceBytes, 2048), F(MEM_DECOMPRESS, start, at(x, 560000)),
		F(MEM_DECOMPRESS, end, at(x, 561000)));
}

/*
 * What resource callbacks saw. Graph 1, its clone 2, the executable 3; nodes carry their graph's number in the upper
 * half.
 */
static void graph_events(struct session *x)
{
	event(x, 9000, REC_CUPTI_CONTEXT_CREATED, 0, 0, 0, 0, 0, 0);
	event(x, 351000, REC_CUPTI_GRAPH_CREATED, 286, 16, 1, 0, 0, 0);
	event(x, 356000, REC_CUPTI_NODE_CREATED, 289, 17, 0x100000001, 0, 1, 0);
	event(x, 361000, REC_CUPTI_NODE_CREATED, 290, 18, 0x100000002, 0, 1, 1);
	event(x, 361500, REC_CUPTI_NODE_DEPENDS, 290, 18, 0x100000002, 0x100000001, 1, 0);
	event(x, 366000, REC_CUPTI_GRAPH_CLONED, 301, 19, 2, 1, 0, 0);
	event(x, 366500, REC_CUPTI_NODE_CLONED, 301, 19, 0x200000001, 0x100000001, 2, 0);
	event(x, 367000, REC_CUPTI_NODE_CLONED, 301, 19, 0x200000002, 0x100000002, 2, 1);
	event(x, 372000, REC_CUPTI_GRAPH_EXEC_CREATED, 443, 20, 3, 1, 0, 0);
	event(x, 372500, REC_CUPTI_NODE_CLONED, 443, 20, 0x300000001, 0x100000001, 3, 0);
	event(x, 373000, REC_CUPTI_NODE_CLONED, 443, 20, 0x300000002, 0x100000002, 3, 1);
	event(x, 451000, REC_CUPTI_GRAPH_DESTROYED, 314, 23, 1, 0, 0, 0);
	event(x, 590000, REC_CUPTI_CONTEXT_DESTROYED, 0, 0, 0, 0, 0, 0);
}

/* --cuda-args: parameter structs as the callback saw them. */
static void calls_with_arguments(struct session *x)
{
	struct { uint64_t func; uint32_t grid[3], block[3]; uint64_t args, shared, stream; } launch = {
		0x401000, { 4096, 2, 1 }, { 256, 1, 1 }, 0x7ffd1000, 2048, 0 };
	struct { uint64_t dst, src, count; uint32_t kind, pad; } copied = { 0x7f3000000000, 0x55aa0000, 1 << 20, 1, 0 };
	struct { uint64_t pointer, size; } alloc = { 0x7ffd2000, 512 };
	const uint64_t got = 0x7f3000100000;
	uint64_t words[8];

	tb_cuda_call(x->s, REC_FN_CUDA_RUNTIME + 31, x->t0 + 70100, 49800, 0, 2, &copied, 28, 0, NULL, 0);
	tb_cuda_call(x->s, REC_FN_CUDA_RUNTIME + 211, x->t0 + 130100, 9800, 0, 3, &launch, sizeof launch, 0, NULL, 0);
	tb_cuda_call(x->s, REC_FN_CUDA_RUNTIME + 20, x->t0 + 570000, 2000, 0, 50, &alloc, sizeof alloc, 1, words,
		tb_cuda_copy(words, 0, 0, true, &got, 8));
}

static void first_process(struct session *x)
{
	struct tb_stream *worker = tb_stream(x->p);

	tb_thread(worker, x->t0 + 140000, WORKER, 0, "worker");
	x->c = tb_stream(x->p);
	begin(x, 130001, 13000, "/usr/local/cuda/lib64/libcupti.so.13");
	device(x, 1, 1);
	device(x, 0, 0);
	context(x, 1, 0);
	context(x, 2, 1);
	stream(x, 1, 7, 0, 3);
	stream(x, 1, 13, 0, 1);
	stream(x, 1, 14, -5, 2);
	stream(x, 2, 7, 0, 3);
	finish_buffer(x, 2000, 10000);
	graph_events(x);
	tb_cupti_string(x->s, x->t0 + 610000, S_VECADD, "_Z6vecaddPKfS0_Pfi");
	tb_cupti_string(x->s, x->t0 + 610000, S_GEMM, "_ZN4core4blas4gemmIfLi4EEEvPT_PKS2_m");
	tb_cupti_string(x->s, x->t0 + 610000, S_REDUCE, "reduce");
	tb_cupti_string(x->s, x->t0 + 610000, S_SCALE, "_Z5scaleIdEvPT_S0_");
	tb_cupti_string(x->s, x->t0 + 610000, S_CACHE, "/home/user/.nv/ComputeCache");
	tb_cupti_string(x->s, x->t0 + 610000, S_VARIABLE, "weights");
	tb_cupti_string(x->s, x->t0 + 610000, S_SOURCE, "/opt/app/bin/app");
	calls_of_main(x);
	finish_buffer(x, 9000, 620000);
	work(x);
	finish_buffer(x, 9500, 621000);
	the_rest(x);
	finish_buffer(x, 9600, 622000);
	tb_cupti_dropped(x->s, x->t0 + 622000, 5);
	calls_with_arguments(x);
	tb_cupti_clock(x->s, x->t0 + 800000, at(x, 800000), 60, at(x, 800000));
	tb_cupti_string(x->s, x->t0 + 640000, S_LAST, "_Z4lastv");
	api(x, RUNTIME, 211, MAIN, 42, 640000, 3000, 0);
	kernel(x, (struct where){ 0, 1, 7, 42 }, S_LAST, at(x, 645000), at(x, 650000), 1, 32, 0, 0, 0, 0);
	finish_buffer(x, 623000, 0);              /* the process was killed with this one in CUPTI's hands */
}

/* ------------------------------------------------------------ second process */

static void second_process(struct session *x)
{
	const struct where w = { 0, 1, 7, 1 };

	x->s = tb_stream(x->p);
	tb_thread(x->s, x->t0, 4720, 1, "child");
	tb_clock(x->s, x->t0, (int64_t)(x->t0 + x->mono));
	x->c = tb_stream(x->p);
	begin(x, 22, 12040, "/opt/app/lib/libcupti.so.12");
	tb_cupti_string(x->s, x->t0 + 610000, S_VECADD, "_Z6vecaddPKfS0_Pfi");
	device(x, 0, 1);
	context(x, 1, 0);
	kernel(x, w, S_VECADD, at(x, 320000), at(x, 330000), 4096, 256, 0, 0, 0, 0);
	api(x, RUNTIME, 211, 4720, 1, 310000, 5000, 0);
	overhead(x, 1, 0, 311000, 1000);
	sync(x, 4, (struct where){ 0, 1, UINT32_MAX, 2 }, UINT32_MAX, 331000, 9000);
	api(x, RUNTIME, 165, 4720, 2, 330000, 11000, 0);
	copy(x, (struct where){ 0, 1, 7, 3 }, 346000, 2000, 4096, 2, 3, 1, false, 9, 0, 0);
	api(x, RUNTIME, 31, 4720, 3, 345000, 4000, 0);
	finish_buffer(x, 300000, 700000);
	tb_record(x->s, REC_EXIT, 0, 0, W(x->t0 + 710000, 1));
}

void tb_cuda_session(struct tb *tb, struct tb_process *p, struct tb_stream *s, uint64_t first_tick, uint64_t mono)
{
	struct session x = { .p = p, .s = s, .a = tb_acts(130001), .t0 = first_tick, .mono = mono, .pid = MAIN };
	char tick[24];

	first_process(&x);
	tb_acts_free(x.a);
	x = (struct session){
		.p = tb_process(tb, 4720), .a = tb_acts(22), .t0 = first_tick, .mono = mono, .pid = 4720
	};
	snprintf(tick, sizeof tick, "%llu", (unsigned long long)(first_tick + 100000));
	tb_fact(x.p, "start_tick", tick);
	tb_fact(x.p, "image", "/opt/app/bin/child");
	tb_fact(x.p, "ppid", "4711");
	tb_fact(x.p, "arg", "./child");
	tb_fact(x.p, "reason", "exec");
	second_process(&x);
	tb_acts_free(x.a);
}
