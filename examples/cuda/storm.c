/*
 * examples/cuda/storm.c - launches from many threads at once: storm [THREADS [LAUNCHES]]
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"
#include <pthread.h>

enum { N = 64, BYTES = N * 4, MAX_THREADS = 64 };

static void *kernel;
static int launches = 1000;

static void *worker(void *result)
{
	uint32_t out[N];
	void *stream, *x;

	MUST(cudaSetDevice(0));
	MUST(cudaStreamCreateWithFlags(&stream, 1));
	MUST(cudaMalloc(&x, BYTES));
	MUST(cudaMemsetAsync(x, 0, BYTES, stream));
	for (int i = 0; i < launches; i++)
		launch_add_one(kernel, x, N, stream);
	MUST(cudaStreamSynchronize(stream));
	MUST(cudaMemcpy(out, x, BYTES, DEVICE_TO_HOST));
	MUST(cudaFree(x));
	MUST(cudaStreamDestroy(stream));
	*(unsigned long long *)result = sum_of(out, N);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t id[MAX_THREADS];
	unsigned long long sum[MAX_THREADS];
	int wrong = 0;

	launches = argc > 2 ? atoi(argv[2]) : launches;
	if (threads < 1 || threads > MAX_THREADS || launches < 1)
		return 2;
	kernel = load_kernel("add_one");
	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, worker, &sum[i]);
	for (int i = 0; i < threads; i++) {
		pthread_join(id[i], NULL);
		wrong += sum[i] != (unsigned long long)launches * N;
	}
	printf("storm: %d threads, %d launches each, %d wrong\n", threads, launches, wrong);
	return wrong != 0;
}
