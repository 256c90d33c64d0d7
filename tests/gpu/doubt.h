/*
 * tests/gpu/doubt.h - what the small programs share that ask the hardware one question each
 *
 * (doubt_*.c; part1_doubts.sh.) They need no nvcc: the driver compiles their PTX. The same binaries run on the
 * stand-in machine and on a real one. Their last line is that of gpu.h: "counts kernels=N copies=N sets=N graphs=N
 * failed=N".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_GPU_DOUBT_H
#define GPUTAP_TESTS_GPU_DOUBT_H

#include <time.h>

#include "examples/cuda/cuda_small.h"

int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);

static const char doubt_ptx[] =
	".version 7.0\n.target sm_75\n.address_size 64\n"
	".visible .entry nothing(.param .u32 pn)\n{\n\tret;\n}\n"
	".visible .entry spin(.param .u64 pn)\n"        /* for n nanoseconds of the device's clock */
	"{\n"
	"\t.reg .pred %p<2>;\n\t.reg .b64 %rd<5>;\n"
	"\tld.param.u64 %rd1, [pn];\n\tmov.u64 %rd2, %globaltimer;\n"
	"AGAIN:\n\tmov.u64 %rd3, %globaltimer;\n\tsub.s64 %rd4, %rd3, %rd2;\n"
	"\tsetp.lt.u64 %p1, %rd4, %rd1;\n\t@%p1 bra AGAIN;\n"
	"\tret;\n}\n";

static inline uint64_t doubt_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The runtime's way to a kernel of the text above. */
static inline void *doubt_kernel(const char *name)
{
	static void *library;
	void *kernel;

	if (!library)
		MUST(cudaLibraryLoadData(&library, doubt_ptx, NULL, NULL, 0, NULL, NULL, 0));
	MUST(cudaLibraryGetKernel(&kernel, library, name));
	return kernel;
}

static inline void doubt_launch(void *kernel, uint64_t argument, void *stream)
{
	void *args[] = { &argument };

	MUST(cudaLaunchKernel(kernel, (struct dim){ 1, 1, 1 }, (struct dim){ 1, 1, 1 }, args, 0, stream));
}

static inline void doubt_counts(long kernels, long graphs)
{
	printf("counts kernels=%ld copies=0 sets=0 graphs=%ld failed=0\n", kernels, graphs);
	fflush(stdout);
}

#endif
