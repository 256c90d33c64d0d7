/*
 * examples/cuda/graphs.c - a graph by nodes, its clone, and one captured from a stream; each launched several times
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"

enum { N = 512, BYTES = N * 4 };

int main(void)
{
	static uint32_t out[N];
	void *graph, *clone, *captured, *exec[3], *node[3], *stream, *x, *kernel = load_kernel("add_one");
	unsigned n = N;
	unsigned long long sum[3];

	MUST(cudaMalloc(&x, BYTES));
	MUST(cudaStreamCreateWithFlags(&stream, 1));
	void *args[] = { &x, &n };
	struct memset_node zero = { .dst = x, .value = 0, .element_bytes = 4, .width = N, .height = 1 };
	struct kernel_node add = { kernel, { (N + 127) / 128, 1, 1 }, { 128, 1, 1 }, 0, args, NULL };

	MUST(cudaGraphCreate(&graph, 0));
	MUST(cudaGraphAddMemsetNode(&node[0], graph, NULL, 0, &zero));
	MUST(cudaGraphAddKernelNode(&node[1], graph, node, 1, &add));
	MUST(cudaGraphAddMemcpyNode1D(&node[2], graph, node + 1, 1, out, x, BYTES, DEVICE_TO_HOST));
	MUST(cudaGraphInstantiate(&exec[0], graph, 0));
	MUST(cudaGraphClone(&clone, graph));
	MUST(cudaGraphInstantiate(&exec[1], clone, 0));
	MUST(cudaStreamBeginCapture(stream, 0));
	launch_add_one(kernel, x, N, stream);
	launch_add_one(kernel, x, N, stream);
	MUST(cudaStreamEndCapture(stream, &captured));
	MUST(cudaGraphInstantiate(&exec[2], captured, 0));
	for (int e = 0; e < 3; e++) {
		for (int i = 0; i < 5; i++)
			MUST(cudaGraphLaunch(exec[e], stream));
		MUST(cudaStreamSynchronize(stream));
		MUST(cudaMemcpy(out, x, BYTES, DEVICE_TO_HOST));
		sum[e] = sum_of(out, N);
	}
	for (int e = 0; e < 3; e++)
		MUST(cudaGraphExecDestroy(exec[e]));
	MUST(cudaGraphDestroy(graph));
	MUST(cudaGraphDestroy(clone));
	MUST(cudaGraphDestroy(captured));
	MUST(cudaStreamDestroy(stream));
	MUST(cudaFree(x));
	printf("graphs: sums %llu %llu %llu\n", sum[0], sum[1], sum[2]);
	return 0;
}
