/*
 * examples/cuda/streams.c - two streams with pinned memory, a pageable copy, one stream waiting for an event of the
 * other
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"

enum { N = 4096, BYTES = N * 4 };

int main(void)
{
	static uint32_t pageable[N];
	void *stream[2], *event[2], *x, *y, *kernel;
	uint32_t *pinned;
	float ms = -1;

	kernel = load_kernel("add_one");
	for (int i = 0; i < 2; i++) {
		MUST(cudaStreamCreateWithFlags(&stream[i], (unsigned)i));
		MUST(cudaEventCreate(&event[i]));
	}
	MUST(cudaMallocHost((void **)&pinned, BYTES));
	MUST(cudaMalloc(&x, BYTES));
	MUST(cudaMalloc(&y, BYTES));
	for (int i = 0; i < N; i++)
		pinned[i] = (uint32_t)i;
	MUST(cudaEventRecord(event[0], stream[0]));
	MUST(cudaMemcpyAsync(x, pinned, BYTES, HOST_TO_DEVICE, stream[0]));
	launch_add_one(kernel, x, N, stream[0]);
	MUST(cudaEventRecord(event[1], stream[0]));
	MUST(cudaStreamWaitEvent(stream[1], event[1], 0));
	MUST(cudaMemcpyAsync(y, x, BYTES, DEVICE_TO_DEVICE, stream[1]));
	launch_add_one(kernel, y, N, stream[1]);
	MUST(cudaMemcpyAsync(pinned, y, BYTES, DEVICE_TO_HOST, stream[1]));
	MUST(cudaStreamSynchronize(stream[1]));
	MUST(cudaMemcpy(pageable, x, BYTES, DEVICE_TO_HOST));
	MUST(cudaEventSynchronize(event[1]));
	MUST(cudaEventElapsedTime(&ms, event[0], event[1]));
	printf("streams: pinned sum %llu, pageable sum %llu, time %s\n", sum_of(pinned, N), sum_of(pageable, N),
		ms >= 0 ? "known" : "unknown");
	for (int i = 0; i < 2; i++) {
		MUST(cudaStreamDestroy(stream[i]));
		MUST(cudaEventDestroy(event[i]));
	}
	MUST(cudaFree(x));
	MUST(cudaFree(y));
	MUST(cudaFreeHost(pinned));
	return 0;
}
