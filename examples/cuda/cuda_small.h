/*
 * examples/cuda/cuda_small.h - the few CUDA declarations the examples need: no toolkit to build them, any CUDA 12.8 or
 * 13 to run them
 *
 * Kernels are PTX text: the driver compiles it for the device that is there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_EXAMPLES_CUDA_SMALL_H
#define GPUTAP_EXAMPLES_CUDA_SMALL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct dim { unsigned x, y, z; };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
int cudaMalloc(void **ptr, size_t bytes);
int cudaFree(void *ptr);
int cudaMallocHost(void **ptr, size_t bytes);
int cudaFreeHost(void *ptr);
int cudaMallocManaged(void **ptr, size_t bytes, unsigned flags);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemset(void *ptr, int value, size_t bytes);
int cudaMemsetAsync(void *ptr, int value, size_t bytes, void *stream);
int cudaLaunchKernel(const void *kernel, struct dim grid, struct dim block, void **args, size_t shared, void *stream);
struct launch_attribute { unsigned id, unused; uint64_t value[8]; };
struct launch_config {
	struct dim grid, block;
	size_t shared;
	void *stream;
	struct launch_attribute *attributes;
	unsigned n;
};
int cudaLaunchKernelExC(const struct launch_config *config, const void *kernel, void **args);
int cudaLaunchHostFunc(void *stream, void (*fn)(void *), void *data);
int cudaLibraryLoadData(void **library, const void *code, void *options, void **values, unsigned n,
	void *library_options, void **library_values, unsigned m);
int cudaLibraryGetKernel(void **kernel, void *library, const char *name);
int cudaLibraryUnload(void *library);
int cudaStreamCreate(void **stream);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaEventDestroy(void *event);
struct kernel_node { void *kernel; struct dim grid, block; unsigned shared; void **args, **extra; };
struct host_node { void (*fn)(void *); void *data; };
struct memset_node { void *dst; size_t pitch; unsigned value, element_bytes; size_t width, height; };
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphAddKernelNode(
	void **node, void *graph, void *const *deps, size_t n_deps, const struct kernel_node *params);
int cudaGraphAddMemcpyNode1D(
	void **node, void *graph, void *const *deps, size_t n_deps, void *dst, const void *src, size_t bytes, int kind);
int cudaGraphAddHostNode(void **node, void *graph, void *const *deps, size_t n_deps, const struct host_node *params);
int cudaGraphAddMemsetNode(
	void **node, void *graph, void *const *deps, size_t n_deps, const struct memset_node *params);
int cudaGraphClone(void **clone, void *graph);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphExecDestroy(void *exec);
int cudaGraphDestroy(void *graph);
struct pool_props {
	int allocation_type, handle_types, location_type, location_id;
	void *security;
	size_t max_bytes;
	uint16_t usage;
	uint8_t reserved[54];
};
int cudaMallocAsync(void **ptr, size_t bytes, void *stream);
int cudaFreeAsync(void *ptr, void *stream);
int cudaMallocFromPoolAsync(void **ptr, size_t bytes, void *pool, void *stream);
int cudaMemPoolCreate(void **pool, const struct pool_props *props);
int cudaMemPoolDestroy(void *pool);
int cudaMemPoolTrimTo(void *pool, size_t keep);
int cudaDeviceGetDefaultMemPool(void **pool, int device);

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void *context);
int cuCtxSynchronize(void);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleUnload(void *module);
int cuMemAlloc_v2(uint64_t *ptr, size_t bytes);
int cuMemFree_v2(uint64_t ptr);
int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t bytes);
int cuMemcpyDtoH_v2(void *dst, uint64_t src, size_t bytes);
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *stream, void **params, void **extra);

#define MUST(call) do { \
	int err_ = (call); \
	if (err_) { \
		fprintf(stderr, "%s:%d: error %d: %s\n", __FILE__, __LINE__, err_, #call); \
		exit(1); \
	} \
} while (0)

static const char kernels_ptx[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".visible .entry vector_add(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn)\n"
	"{\n"
	"\t.reg .pred %p<2>;\n\t.reg .f32 %f<4>;\n\t.reg .b32 %r<6>;\n\t.reg .b64 %rd<12>;\n"
	"\tld.param.u64 %rd1, [pa];\n\tld.param.u64 %rd2, [pb];\n\tld.param.u64 %rd3, [pc];\n\tld.param.u32 %r1, "
	"[pn];\n"
	"\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n\tmad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"\tsetp.ge.u32 %p1, %r5, %r1;\n\t@%p1 bra END;\n"
	"\tcvta.to.global.u64 %rd4, %rd1;\n\tcvta.to.global.u64 %rd5, %rd2;\n\tcvta.to.global.u64 %rd6, %rd3;\n"
	"\tmul.wide.u32 %rd7, %r5, 4;\n\tadd.s64 %rd8, %rd4, %rd7;\n\tadd.s64 %rd9, %rd5, %rd7;\n\tadd.s64 %rd10, "
	"%rd6, %rd7;\n"
	"\tld.global.f32 %f1, [%rd8];\n\tld.global.f32 %f2, [%rd9];\n\tadd.f32 %f3, %f1, %f2;\n\tst.global.f32 "
	"[%rd10], %f3;\n"
	"END:\n\tret;\n}\n"
	".visible .entry add_one(.param .u64 px, .param .u32 pn)\n"
	"{\n"
	"\t.reg .pred %p<2>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<5>;\n"
	"\tld.param.u64 %rd1, [px];\n\tld.param.u32 %r1, [pn];\n"
	"\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n\tmad.lo.s32 %r5, %r2, %r3, %r4;\n"
	"\tsetp.ge.u32 %p1, %r5, %r1;\n\t@%p1 bra END;\n"
	"\tcvta.to.global.u64 %rd2, %rd1;\n\tmul.wide.u32 %rd3, %r5, 4;\n\tadd.s64 %rd4, %rd2, %rd3;\n"
	"\tld.global.u32 %r6, [%rd4];\n\tadd.s32 %r7, %r6, 1;\n\tst.global.u32 [%rd4], %r7;\n"
	"END:\n\tret;\n}\n";

static inline void *load_kernel(const char *name)
{
	static void *library;
	void *kernel;

	if (!library)
		MUST(cudaLibraryLoadData(&library, kernels_ptx, NULL, NULL, 0, NULL, NULL, 0));
	MUST(cudaLibraryGetKernel(&kernel, library, name));
	return kernel;
}

/* x[i]++ for n values */
static inline void launch_add_one(void *kernel, void *x, unsigned n, void *stream)
{
	void *args[] = { &x, &n };

	MUST(cudaLaunchKernel(
		kernel, (struct dim){ (n + 127) / 128, 1, 1 }, (struct dim){ 128, 1, 1 }, args, 0, stream));
}

static inline unsigned long long sum_of(const uint32_t *x, unsigned n)
{
	unsigned long long sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

#endif
