/*
 * tests/gpu/graphs.cu - a graph captured from a stream, its clone, and an update of the instantiated graph
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

int main()
{
	const unsigned n = 1 << 12;
	std::vector<unsigned> host(n);
	unsigned *x;
	cudaStream_t stream;
	cudaGraph_t graph, clone, other;
	cudaGraphExec_t exec, second;
	cudaGraphExecUpdateResultInfo info;
	bool right = true;

	MUST(cudaMalloc(&x, n * sizeof *x));
	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int adds = 2; adds <= 3; adds++) {         /* "other" has another grid, the same shape */
		MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
		MUST(cudaMemsetAsync(x, 0, n * sizeof *x, stream));
		for (int i = 0; i < 2; i++)
			add_one<<<n / 256 * (adds - 1), 256, 0, stream>>>(x, n);
		MUST(cudaStreamEndCapture(stream, adds == 2 ? &graph : &other));
	}
	MUST(cudaGraphInstantiate(&exec, graph, 0));
	MUST(cudaGraphClone(&clone, graph));
	MUST(cudaGraphInstantiate(&second, clone, 0));
	for (int i = 0; i < 20; i++)
		LAUNCH_GRAPH(cudaGraphLaunch(exec, stream));
	for (int i = 0; i < 10; i++)
		LAUNCH_GRAPH(cudaGraphLaunch(second, stream));
	MUST(cudaGraphExecUpdate(exec, other, &info));
	LAUNCH_GRAPH(cudaGraphLaunch(exec, stream));
	MUST(cudaStreamSynchronize(stream));
	COPY(cudaMemcpy(host.data(), x, n * sizeof *x, cudaMemcpyDeviceToHost));
	right = all_are(host.data(), n, 2);
	MUST(cudaGraphExecDestroy(exec));
	MUST(cudaGraphExecDestroy(second));
	MUST(cudaGraphDestroy(graph));
	MUST(cudaGraphDestroy(clone));
	MUST(cudaGraphDestroy(other));
	MUST(cudaStreamDestroy(stream));
	MUST(cudaFree(x));
	return done("graphs", right);
}
