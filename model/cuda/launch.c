/*
 * model/cuda/launch.c - which CUDA calls put work on a stream, by name
 *
 * What stands on a stream is what another call on that stream would wait for: kernels, graphs, copies and fills (also
 * those that the call waits for itself), and everything that the stream does in its turn without moving bytes by
 * itself: event records and waits, callbacks, memory that is allocated and released in stream order, prefetches, value
 * waits, semaphores. These are the calls that the API log numbers, as it numbers OpenCL's enqueues, markers and
 * barriers.
 *
 * Not among them: what only describes work (cudaGraphAddMemcpyNode), and calls that wait for a stream.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "model/cuda/cuda.h"

/*
 * Beginnings of names, behind "cuda", "cu" or "cu64": one name has versions (cuMemcpyHtoD_v2), kinds
 * (cudaMemcpy2DToArray), and forms for the per-thread default stream (..._ptsz). The first that fits counts.
 */
#define BEGINS(text, work) { text, sizeof(text) - 1, work }
static const struct { const char *text; size_t bytes; enum gt_cuda_work work; } beginnings[] = {
	BEGINS("LaunchHostFunc", GT_CUDA_WORK_OTHER), BEGINS("Launch", GT_CUDA_WORK_KERNEL),
	BEGINS("Memcpy", GT_CUDA_WORK_COPY),
	BEGINS("Memset", GT_CUDA_WORK_FILL), BEGINS("GraphLaunch", GT_CUDA_WORK_GRAPH),
	BEGINS("GraphUpload", GT_CUDA_WORK_OTHER),
	BEGINS("EventRecord", GT_CUDA_WORK_OTHER), BEGINS("CtxRecordEvent", GT_CUDA_WORK_OTHER),
	BEGINS("GreenCtxRecordEvent", GT_CUDA_WORK_OTHER), BEGINS("ExecutionCtxRecordEvent", GT_CUDA_WORK_OTHER),
	BEGINS("StreamWaitEvent", GT_CUDA_WORK_OTHER), BEGINS("CtxWaitEvent", GT_CUDA_WORK_OTHER),
	BEGINS("GreenCtxWaitEvent", GT_CUDA_WORK_OTHER), BEGINS("ExecutionCtxWaitEvent", GT_CUDA_WORK_OTHER),
	BEGINS("StreamAddCallback", GT_CUDA_WORK_OTHER), BEGINS("StreamWaitValue", GT_CUDA_WORK_OTHER),
	BEGINS("StreamWriteValue", GT_CUDA_WORK_OTHER), BEGINS("StreamBatchMemOp", GT_CUDA_WORK_OTHER),
	BEGINS("StreamAttachMemAsync", GT_CUDA_WORK_OTHER), BEGINS("SignalExternalSemaphoresAsync", GT_CUDA_WORK_OTHER),
	BEGINS("WaitExternalSemaphoresAsync", GT_CUDA_WORK_OTHER), BEGINS("MallocAsync", GT_CUDA_WORK_OTHER),
	BEGINS("MallocFromPoolAsync", GT_CUDA_WORK_OTHER), BEGINS("FreeAsync", GT_CUDA_WORK_OTHER),
	BEGINS("MemAllocAsync", GT_CUDA_WORK_OTHER), BEGINS("MemAllocFromPoolAsync", GT_CUDA_WORK_OTHER),
	BEGINS("MemFreeAsync", GT_CUDA_WORK_OTHER), BEGINS("MemPrefetch", GT_CUDA_WORK_OTHER),
	BEGINS("MemDiscard", GT_CUDA_WORK_OTHER),
	BEGINS("MemBatchDecompressAsync", GT_CUDA_WORK_OTHER), BEGINS("MemMapArrayAsync", GT_CUDA_WORK_OTHER),
	BEGINS("GraphicsMapResources", GT_CUDA_WORK_OTHER), BEGINS("GraphicsUnmapResources", GT_CUDA_WORK_OTHER),
	BEGINS("GLMapBufferObjectAsync", GT_CUDA_WORK_OTHER), BEGINS("GLUnmapBufferObjectAsync", GT_CUDA_WORK_OTHER),
};

static bool begins(const char *s, size_t n, const char *text, size_t bytes)
{
	return n >= bytes && memcmp(s, text, bytes) == 0;
}

enum gt_cuda_work gt_cuda_work_kind(const struct gt_cuda_event *call)
{
	static const struct {
		const char *text;
		size_t bytes;
	} families[] = { { "__cuda", 6 }, { "cuda", 4 }, { "cu64", 4 }, { "cu", 2 } };
	const char *s = call->call.base.text;
	size_t n = call->call.base.bytes;

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (begins(s, n, families[i].text, families[i].bytes)) {
			s += families[i].bytes;
			n -= families[i].bytes;
			break;
		}
	if (s == call->call.base.text)
		return GT_CUDA_WORK_NONE;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (begins(s, n, beginnings[i].text, beginnings[i].bytes))
			return beginnings[i].work;
	return GT_CUDA_WORK_NONE;
}

bool gt_cuda_is_launch(const struct gt_cuda_event *call)
{
	return gt_cuda_work_kind(call) != GT_CUDA_WORK_NONE;
}
