/*
 * examples/cuda/managed.c - memory that moves between host and device by itself
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"

enum { N = 2048 };

int main(void)
{
	void *kernel = load_kernel("add_one");
	uint32_t *x;

	MUST(cudaMallocManaged((void **)&x, N * 4, 1));
	for (int i = 0; i < N; i++)
		x[i] = (uint32_t)i;
	for (int round = 0; round < 3; round++) {
		launch_add_one(kernel, x, N, NULL);
		MUST(cudaDeviceSynchronize());
		x[0] += 10;
	}
	printf("managed: first %u, sum %llu\n", x[0], sum_of(x, N));
	MUST(cudaFree(x));
	return 0;
}
