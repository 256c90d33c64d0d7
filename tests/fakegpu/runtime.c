/*
 * tests/fakegpu/runtime.c - the small runtime: each call makes driver calls, which nest in it as real ones do
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <string.h>

static __thread int last_error, thread_device;
static __thread struct fg_context *bound;
static struct fg_context *retained[FG_MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int noted(int err)
{
	if (err && err != CU_NOT_READY)
		last_error = err;
	return err;
}

/*
 * Before a call's callbacks and its record: a tool that cuInit loads is told of the first call as of every other one.
 * Seen in libcudart 12.6: all of our functions but cudaRuntimeGetVersion begin so.
 */
void fg_runtime_start(void)
{
	static _Atomic bool started;

	if (!started && !fg_state.replaying && cuInit(0) == CU_OK)
		started = true;
}

/* The device's primary context, current on this thread: made at the first call that needs it. */
static int bind(void)
{
	struct fg_context *ctx;
	int err = CU_OK;

	pthread_mutex_lock(&lock);
	ctx = retained[thread_device];
	pthread_mutex_unlock(&lock);
	if (ctx && ctx == bound)
		return CU_OK;
	if (!ctx) {
		err = cuInit(0);
		if (!err)
			err = cuDevicePrimaryCtxRetain(&ctx, thread_device);
		if (err)
			return err;
		pthread_mutex_lock(&lock);
		if (retained[thread_device])
			ctx = retained[thread_device];
		retained[thread_device] = ctx;
		pthread_mutex_unlock(&lock);
	}
	err = cuCtxSetCurrent(ctx);
	if (!err)
		bound = ctx;
	return err;
}

#define CALL(f) do { int err_ = bind(); return noted(err_ ? err_ : (f)); } while (0)

int do_cudaDriverGetVersion(struct fg_call *c, int *version) { (void)c; return noted(cuDriverGetVersion(version)); }

int do_cudaRuntimeGetVersion(struct fg_call *c, int *version)
{
	(void)c;
	*version = FAKEGPU_RUNTIME_VERSION;
	return CU_OK;
}

int do_cudaGetDeviceCount(struct fg_call *c, int *count)
{
	int err = cuInit(0);

	(void)c;
	*count = 0;
	return noted(err ? err : cuDeviceGetCount(count));
}

int do_cudaSetDevice(struct fg_call *c, int device)
{
	int n = 0, err = cuInit(0);

	(void)c;
	if (!err)
		err = cuDeviceGetCount(&n);
	if (!err && (device < 0 || device >= n))
		err = CU_INVALID_DEVICE;
	if (!err)
		thread_device = device;
	return noted(err ? err : bind());
}

int do_cudaGetDevice(struct fg_call *c, int *device) { (void)c; *device = thread_device; return CU_OK; }
int do_cudaDeviceGetAttribute(struct fg_call *c, int *value, int attribute, int device)
{
	(void)c;
	CALL(cuDeviceGetAttribute(value, attribute, device));
}

int do_cudaGetLastError(struct fg_call *c)
{
	int err = last_error;

	(void)c;
	last_error = CU_OK;
	return err;
}

int do_cudaPeekAtLastError(struct fg_call *c) { (void)c; return last_error; }
int do_cudaDeviceSynchronize(struct fg_call *c) { (void)c; CALL(cuCtxSynchronize()); }

int do_cudaDeviceReset(struct fg_call *c)
{
	int err = bind();

	(void)c;
	if (err)
		return noted(err);
	pthread_mutex_lock(&lock);
	retained[thread_device] = NULL;
	pthread_mutex_unlock(&lock);
	bound = NULL;
	return noted(cuDevicePrimaryCtxReset_v2(thread_device));
}

int do_cudaMalloc(struct fg_call *c, void **ptr, size_t bytes)
{
	(void)c;
	CALL(cuMemAlloc_v2((uint64_t *)(void *)ptr, bytes));
}
int do_cudaFree(struct fg_call *c, void *ptr) { (void)c; CALL(ptr ? cuMemFree_v2((uintptr_t)ptr) : CU_OK); }
int do_cudaMallocHost(struct fg_call *c, void **ptr, size_t bytes) { (void)c; CALL(cuMemAllocHost_v2(ptr, bytes)); }
int do_cudaFreeHost(struct fg_call *c, void *ptr) { (void)c; CALL(ptr ? cuMemFreeHost(ptr) : CU_OK); }

int do_cudaMallocManaged(struct fg_call *c, void **ptr, size_t bytes, unsigned flags)
{
	(void)c;
	CALL(cuMemAllocManaged((uint64_t *)(void *)ptr, bytes, flags));
}

static int copy(void *dst, const void *src, size_t bytes, int kind, bool async, struct fg_stream *s)
{
	switch (kind) {
	case 1:
		return async ? cuMemcpyHtoDAsync_v2((uintptr_t)dst, src, bytes, s)
			     : cuMemcpyHtoD_v2((uintptr_t)dst, src, bytes);
	case 2:
		return async ? cuMemcpyDtoHAsync_v2(dst, (uintptr_t)src, bytes, s)
			     : cuMemcpyDtoH_v2(dst, (uintptr_t)src, bytes);
	case 3:
		return async ? cuMemcpyDtoDAsync_v2((uintptr_t)dst, (uintptr_t)src, bytes, s)
			     : cuMemcpyDtoD_v2((uintptr_t)dst, (uintptr_t)src, bytes);
	case 0:
	case 4:
		return async ? cuMemcpyAsync((uintptr_t)dst, (uintptr_t)src, bytes, s)
			     : cuMemcpy((uintptr_t)dst, (uintptr_t)src, bytes);
	default: return 21;                          /* invalid memcpy direction: a code of the runtime's own */
	}
}

int do_cudaMemcpy(struct fg_call *c, void *dst, const void *src, size_t bytes, int kind)
{
	(void)c;
	CALL(copy(dst, src, bytes, kind, false, NULL));
}

int do_cudaMemcpyAsync(struct fg_call *c, void *dst, const void *src, size_t bytes, int kind, struct fg_stream *stream)
{
	(void)c;
	CALL(copy(dst, src, bytes, kind, true, stream));
}

int do_cudaMemcpyPeerAsync(struct fg_call *c, void *dst, int dst_device, const void *src, int src_device, size_t bytes,
	struct fg_stream *stream)
{
	struct fg_context *to = NULL, *from = NULL;
	int err = bind();

	(void)c;
	if (!err)
		err = cuDevicePrimaryCtxRetain(&to, dst_device);
	if (!err)
		err = cuDevicePrimaryCtxRetain(&from, src_device);
	return noted(err ? err : cuMemcpyPeerAsync((uintptr_t)dst, to, (uintptr_t)src, from, bytes, stream));
}

int do_cudaMemset(struct fg_call *c, void *ptr, int value, size_t bytes)
{
	(void)c;
	CALL(cuMemsetD8_v2((uintptr_t)ptr, (unsigned char)value, bytes));
}

int do_cudaMemsetAsync(struct fg_call *c, void *ptr, int value, size_t bytes, struct fg_stream *stream)
{
	(void)c;
	CALL(cuMemsetD8Async((uintptr_t)ptr, (unsigned char)value, bytes, stream));
}

int do_cudaLaunchKernel(struct fg_call *c, const void *func, struct fg_dim3 g, struct fg_dim3 b, void **args,
	size_t shared, struct fg_stream *stream)
{
	const struct fg_function *f = func;
	bool known = f && f->magic == FG_FUNCTION_;

	c->symbol = known ? f->name : NULL;
	/* invalid device function */
	CALL(known ? cuLaunchKernel((void *)func, g.x, g.y, g.z, b.x, b.y, b.z, (unsigned)shared, stream, args, NULL)
		   : 98);
}

int do_cudaLaunchCooperativeKernel(struct fg_call *c, const void *func, struct fg_dim3 g, struct fg_dim3 b, void **args,
	size_t shared, struct fg_stream *stream)
{
	const struct fg_function *f = func;
	bool known = f && f->magic == FG_FUNCTION_;

	c->symbol = known ? f->name : NULL;
	CALL(known ? cuLaunchCooperativeKernel(
			     (void *)func, g.x, g.y, g.z, b.x, b.y, b.z, (unsigned)shared, stream, args)
		   : 98);
}

int do_cudaLaunchKernelExC(struct fg_call *c, const struct fg_launch_config *config, const void *func, void **args)
{
	const struct fg_function *f = func;
	bool known = f && f->magic == FG_FUNCTION_;

	c->symbol = known ? f->name : NULL;
	CALL(known ? cuLaunchKernelEx(config, (void *)func, args, NULL) : 98);
}

int do_cudaLaunchHostFunc(struct fg_call *c, struct fg_stream *stream, fg_host_fn *fn, void *data)
{
	(void)c;
	CALL(cuLaunchHostFunc(stream, fn, data));
}

int do_cudaLibraryLoadData(struct fg_call *c, struct fg_module **library, const void *code, int *options,
	void **option_values, unsigned n_options, int *library_options, void **library_values, unsigned n_library)
{
	(void)c;
	CALL(cuLibraryLoadData(
		library, code, options, option_values, n_options, library_options, library_values, n_library));
}

int do_cudaLibraryGetKernel(struct fg_call *c, struct fg_function **kernel, struct fg_module *library, const char *name)
{
	(void)c;
	CALL(cuLibraryGetKernel(kernel, library, name));
}

int do_cudaLibraryUnload(struct fg_call *c, struct fg_module *library) { (void)c; CALL(cuLibraryUnload(library)); }
int do_cudaStreamCreate(struct fg_call *c, struct fg_stream **stream) { (void)c; CALL(cuStreamCreate(stream, 0)); }
int do_cudaStreamCreateWithFlags(struct fg_call *c, struct fg_stream **stream, unsigned flags)
{
	(void)c;
	CALL(cuStreamCreate(stream, flags));
}
int do_cudaStreamDestroy(struct fg_call *c, struct fg_stream *stream) { (void)c; CALL(cuStreamDestroy_v2(stream)); }
int do_cudaStreamSynchronize(struct fg_call *c, struct fg_stream *stream)
{
	(void)c;
	CALL(cuStreamSynchronize(stream));
}
int do_cudaStreamQuery(struct fg_call *c, struct fg_stream *stream) { (void)c; CALL(cuStreamQuery(stream)); }

int do_cudaStreamWaitEvent(struct fg_call *c, struct fg_stream *stream, struct fg_event *event, unsigned flags)
{
	(void)c;
	CALL(cuStreamWaitEvent(stream, event, flags));
}

int do_cudaStreamBeginCapture(struct fg_call *c, struct fg_stream *stream, int mode)
{
	(void)c;
	CALL(cuStreamBeginCapture_v2(stream, mode));
}
int do_cudaStreamEndCapture(struct fg_call *c, struct fg_stream *stream, struct fg_graph **graph)
{
	(void)c;
	CALL(cuStreamEndCapture(stream, graph));
}
int do_cudaEventCreate(struct fg_call *c, struct fg_event **event) { (void)c; CALL(cuEventCreate(event, 0)); }
int do_cudaEventCreateWithFlags(struct fg_call *c, struct fg_event **event, unsigned flags)
{
	(void)c;
	CALL(cuEventCreate(event, flags));
}
int do_cudaEventRecord(struct fg_call *c, struct fg_event *event, struct fg_stream *stream)
{
	(void)c;
	CALL(cuEventRecord(event, stream));
}
int do_cudaEventSynchronize(struct fg_call *c, struct fg_event *event) { (void)c; CALL(cuEventSynchronize(event)); }
int do_cudaEventQuery(struct fg_call *c, struct fg_event *event) { (void)c; CALL(cuEventQuery(event)); }

int do_cudaEventElapsedTime(struct fg_call *c, float *ms, struct fg_event *start, struct fg_event *end)
{
	(void)c;
	CALL(cuEventElapsedTime_v2(ms, start, end));
}

int do_cudaEventDestroy(struct fg_call *c, struct fg_event *event) { (void)c; CALL(cuEventDestroy_v2(event)); }
int do_cudaGraphCreate(struct fg_call *c, struct fg_graph **graph, unsigned flags)
{
	(void)c;
	CALL(cuGraphCreate(graph, flags));
}

int do_cudaGraphAddKernelNode(struct fg_call *c, struct fg_node **node, struct fg_graph *graph,
	struct fg_node *const *deps, size_t n_deps, const struct fg_rt_kernel_params *p)
{
	struct fg_kernel_params d = { p->func, p->grid.x, p->grid.y, p->grid.z, p->block.x, p->block.y, p->block.z,
		p->shared, p->params, p->extra, NULL, NULL };

	(void)c;
	CALL(cuGraphAddKernelNode_v2(node, graph, deps, n_deps, &d));
}

int fg_graph_add_copy(struct fg_node **node, struct fg_graph *g, struct fg_node *const *deps, size_t n_deps,
	uint64_t dst, uint64_t src, size_t bytes);
int fg_graph_add_set(struct fg_node **node, struct fg_graph *g, struct fg_node *const *deps, size_t n_deps,
	const struct fg_memset_params *p);

int do_cudaGraphAddMemcpyNode1D(struct fg_call *c, struct fg_node **node, struct fg_graph *graph,
	struct fg_node *const *deps, size_t n_deps, void *dst, const void *src, size_t bytes, int kind)
{
	(void)c; (void)kind;
	CALL(fg_graph_add_copy(node, graph, deps, n_deps, (uintptr_t)dst, (uintptr_t)src, bytes));
}

int do_cudaGraphAddMemsetNode(struct fg_call *c, struct fg_node **node, struct fg_graph *graph,
	struct fg_node *const *deps, size_t n_deps, const struct fg_memset_params *params)
{
	(void)c;
	CALL(fg_graph_add_set(node, graph, deps, n_deps, params));
}

int do_cudaGraphAddHostNode(struct fg_call *c, struct fg_node **node, struct fg_graph *graph,
	struct fg_node *const *deps, size_t n_deps, const struct fg_host_params *params)
{
	(void)c;
	CALL(cuGraphAddHostNode(node, graph, deps, n_deps, params));
}

int do_cudaGraphClone(struct fg_call *c, struct fg_graph **clone, struct fg_graph *original)
{
	(void)c;
	CALL(cuGraphClone(clone, original));
}

int do_cudaGraphInstantiate(struct fg_call *c, struct fg_graph **exec, struct fg_graph *graph, unsigned long long flags)
{
	(void)c;
	CALL(cuGraphInstantiateWithFlags(exec, graph, flags));
}

int do_cudaGraphLaunch(struct fg_call *c, struct fg_graph *exec, struct fg_stream *stream)
{
	(void)c;
	CALL(cuGraphLaunch(exec, stream));
}
int do_cudaGraphExecDestroy(struct fg_call *c, struct fg_graph *exec) { (void)c; CALL(cuGraphExecDestroy(exec)); }
int do_cudaGraphDestroy(struct fg_call *c, struct fg_graph *graph) { (void)c; CALL(cuGraphDestroy(graph)); }

int do_cudaMallocAsync(struct fg_call *c, void **ptr, size_t bytes, struct fg_stream *stream)
{
	(void)c;
	CALL(cuMemAllocAsync((uint64_t *)(void *)ptr, bytes, stream));
}

int do_cudaFreeAsync(struct fg_call *c, void *ptr, struct fg_stream *stream)
{
	(void)c;
	CALL(cuMemFreeAsync((uintptr_t)ptr, stream));
}

int do_cudaMallocFromPoolAsync(
	struct fg_call *c, void **ptr, size_t bytes, struct fg_pool *pool, struct fg_stream *stream)
{
	(void)c;
	CALL(cuMemAllocFromPoolAsync((uint64_t *)(void *)ptr, bytes, pool, stream));
}

int do_cudaMemPoolCreate(struct fg_call *c, struct fg_pool **pool, const void *props)
{
	(void)c;
	CALL(cuMemPoolCreate(pool, props));
}
int do_cudaMemPoolDestroy(struct fg_call *c, struct fg_pool *pool) { (void)c; CALL(cuMemPoolDestroy(pool)); }
int do_cudaMemPoolTrimTo(struct fg_call *c, struct fg_pool *pool, size_t keep)
{
	(void)c;
	CALL(cuMemPoolTrimTo(pool, keep));
}
int do_cudaDeviceGetDefaultMemPool(struct fg_call *c, struct fg_pool **pool, int device)
{
	(void)c;
	CALL(cuDeviceGetDefaultMemPool(pool, device));
}

FG_EXPORT const char *cudaGetErrorName(int error)
{
	static const struct {
		int code;
		const char *name;
	} names[] = { { CU_OK, "cudaSuccess" }, { CU_INVALID_VALUE, "cudaErrorInvalidValue" },
		{ CU_OUT_OF_MEMORY, "cudaErrorMemoryAllocation" }, { 21, "cudaErrorInvalidMemcpyDirection" },
		{ 98, "cudaErrorInvalidDeviceFunction" }, { CU_NO_DEVICE, "cudaErrorNoDevice" },
		{ CU_INVALID_DEVICE, "cudaErrorInvalidDevice" }, { CU_INVALID_PTX, "cudaErrorInvalidPtx" },
		{ CU_INVALID_HANDLE, "cudaErrorInvalidResourceHandle" }, { CU_NOT_FOUND, "cudaErrorSymbolNotFound" },
		{ CU_NOT_READY, "cudaErrorNotReady" }, { CU_LAUNCH_FAILED, "cudaErrorLaunchFailure" } };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].code == error)
			return names[i].name;
	return "cudaErrorUnknown";
}

FG_EXPORT const char *cudaGetErrorString(int error) { return error ? "an error of the gputap stand-in" : "no error"; }
