/*
 * examples/cuda/errors.c - calls that fail: each error returned, the last one kept until asked for
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"

int main(void)
{
	void *p = NULL, *library = NULL, *kernel;
	int device;

	MUST(cudaSetDevice(0));
	printf("allocation too large: %s\n", cudaGetErrorName(cudaMalloc(&p, (size_t)1 << 50)));
	printf("peek: %s\n", cudaGetErrorName(cudaPeekAtLastError()));
	printf("get: %s\n", cudaGetErrorName(cudaGetLastError()));
	printf("get again: %s\n", cudaGetErrorName(cudaGetLastError()));
	printf("no such device: %s\n", cudaGetErrorName(cudaSetDevice(1000)));
	MUST(cudaMalloc(&p, 64));
	printf("copy in no direction: %s\n", cudaGetErrorName(cudaMemcpy(p, p, 64, 99)));
	printf("text that is not PTX: %s\n",
		cudaGetErrorName(
			cudaLibraryLoadData(&library, ".version 7.0\nnonsense\n", NULL, NULL, 0, NULL, NULL, 0)));
	MUST(cudaLibraryLoadData(&library, kernels_ptx, NULL, NULL, 0, NULL, NULL, 0));
	printf("no such kernel: %s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "nobody")));
	printf("driver, no such device: %d\n", cuDeviceGet(&device, 1000));
	MUST(cudaLibraryUnload(library));
	MUST(cudaFree(p));
	printf("last: %s\n", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
