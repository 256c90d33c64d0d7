/*
 * examples/cuda/pools.c - allocations in stream order, from the default pool and from one of its own
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"

enum { N = 1024, BYTES = N * 4 };

int main(void)
{
	static uint32_t out[N];
	struct pool_props props = { .allocation_type = 1, .location_type = 1 };
	void *kernel = load_kernel("add_one"), *stream, *pool, *standard, *x;
	unsigned long long sum = 0;

	MUST(cudaStreamCreate(&stream));
	MUST(cudaDeviceGetDefaultMemPool(&standard, 0));
	MUST(cudaMemPoolCreate(&pool, &props));
	for (int i = 0; i < 6; i++) {
		MUST(i % 2 ? cudaMallocFromPoolAsync(&x, BYTES, pool, stream) : cudaMallocAsync(&x, BYTES, stream));
		MUST(cudaMemsetAsync(x, 0, BYTES, stream));
		launch_add_one(kernel, x, N, stream);
		MUST(cudaMemcpyAsync(out, x, BYTES, DEVICE_TO_HOST, stream));
		MUST(cudaFreeAsync(x, stream));
		MUST(cudaStreamSynchronize(stream));
		sum += sum_of(out, N);
	}
	MUST(cudaMemPoolTrimTo(pool, 0));
	MUST(cudaMemPoolDestroy(pool));
	MUST(cudaStreamDestroy(stream));
	printf("pools: 6 allocations, sum %llu\n", sum);
	return 0;
}
