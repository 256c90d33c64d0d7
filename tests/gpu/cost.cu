/*
 * tests/gpu/cost.cu - time per operation on the host: cost launch|graph|copy|query [THREADS [OPERATIONS]]
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

static __global__ void nothing() { }

struct work {
	cudaStream_t stream;
	cudaGraphExec_t exec;
	void *pinned, *x;
};

static void open(struct work *w)
{
	cudaGraph_t graph;

	MUST(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
	MUST(cudaMallocHost(&w->pinned, 64));
	MUST(cudaMalloc(&w->x, 64));
	MUST(cudaStreamBeginCapture(w->stream, cudaStreamCaptureModeThreadLocal));
	for (int i = 0; i < 20; i++)
		nothing<<<1, 1, 0, w->stream>>>();
	MUST(cudaStreamEndCapture(w->stream, &graph));
	MUST(cudaGraphInstantiate(&w->exec, graph, 0));
}

static void one(const struct work *w, char what)
{
	switch (what) {
	case 'l': nothing<<<1, 1, 0, w->stream>>>(); break;
	case 'g': MUST(cudaGraphLaunch(w->exec, w->stream)); break;
	case 'c': MUST(cudaMemcpyAsync(w->x, w->pinned, 64, cudaMemcpyHostToDevice, w->stream)); break;
	default: (void)cudaStreamQuery(w->stream);
	}
}

/* The best block of 500, in ns per operation: issue alone, the queue is empty when a block begins. */
static void worker(char what, int operations, double *best)
{
	struct work w;

	MUST(cudaSetDevice(0));
	open(&w);
	*best = 1e18;
	for (int at = 0; at < operations; at += 500) {
		double start = now_ns();

		for (int i = 0; i < 500; i++)
			one(&w, what);
		double each = (now_ns() - start) / 500;

		if (each < *best && at)                 /* the first block loads */
			*best = each;
		MUST(cudaStreamSynchronize(w.stream));
	}
	MUST(cudaGetLastError());
}

int main(int argc, char **argv)
{
	char what = argc > 1 ? argv[1][0] : 'l';
	int n = argc > 2 ? std::atoi(argv[2]) : 1, operations = argc > 3 ? std::atoi(argv[3]) : 20000;
	std::vector<double> best(n);
	std::vector<std::thread> threads;
	double sum = 0;

	for (int i = 0; i < n; i++)
		threads.emplace_back(worker, what, operations, &best[i]);
	for (int i = 0; i < n; i++) {
		threads[i].join();
		sum += best[i];
	}
	std::printf("ns %.1f\n", sum / n);
	return 0;
}
