/*
 * examples/cuda/order.c - functions of the host's in a stream and in a graph, and launches whose attributes let them
 * begin before the work in front of them has ended
 *
 * Prints the handle of its stream, of its event, and the thread that ran its functions.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda_small.h"

enum { N = 256, SERIALISATION = 6, PROGRAMMATIC_EVENT = 7, PRIORITY = 8 };

static long ran_in;

static void on_host(void *data)
{
	ran_in = syscall(SYS_gettid);
	++*(int *)data;
	nanosleep(&(struct timespec){ 0, 3000000 }, NULL);
}

static void launch_with(void *kernel, void *x, void *stream, struct launch_attribute *attributes, unsigned n)
{
	unsigned count = N;
	void *args[] = { &x, &count };
	struct launch_config config = { { 1, 1, 1 }, { N, 1, 1 }, 0, stream, attributes, n };

	MUST(cudaLaunchKernelExC(&config, kernel, args));
}

int main(void)
{
	void *kernel = load_kernel("add_one"), *stream, *event, *x, *graph, *node, *exec;
	int calls = 0;
	struct host_node params = { on_host, &calls };

	MUST(cudaStreamCreateWithFlags(&stream, 1));
	MUST(cudaEventCreate(&event));
	MUST(cudaMalloc(&x, N * 4));
	launch_with(kernel, x, stream, NULL, 0);
	launch_with(kernel, x, stream, &(struct launch_attribute){ SERIALISATION, 0, { 1 } }, 1);
	launch_with(kernel, x, stream,
		(struct launch_attribute[]){
			{ PRIORITY, 0, { 0 } }, { PROGRAMMATIC_EVENT, 0, { (uintptr_t)event } } },
		2);
	launch_with(kernel, x, stream, &(struct launch_attribute){ SERIALISATION, 0, { 0 } }, 1);
	MUST(cudaLaunchHostFunc(stream, on_host, &calls));
	MUST(cudaStreamSynchronize(stream));
	MUST(cudaGraphCreate(&graph, 0));
	MUST(cudaGraphAddHostNode(&node, graph, NULL, 0, &params));
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	MUST(cudaGraphLaunch(exec, stream));
	MUST(cudaEventRecord(event, stream));
	MUST(cudaStreamSynchronize(stream));
	printf("order: %d calls\n", calls);
	fprintf(stderr, "stream %p event %p thread %ld\n", stream, event, ran_in);
	MUST(cudaGraphExecDestroy(exec));
	MUST(cudaGraphDestroy(graph));
	MUST(cudaFree(x));
	MUST(cudaEventDestroy(event));
	MUST(cudaStreamDestroy(stream));
	return 0;
}
