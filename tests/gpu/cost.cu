/*
 * tests/gpu/cost.cu - time per operation on the host: cost launch|graph|copy|query [THREADS [OPERATIONS]]
 *
 * Each operation is timed by itself (one clock reading more, bare and traced alike), in blocks of 500 that begin with
 * an empty queue. Last line: "ns best=... median=... mean=... p99=...": best and median of the blocks' means, mean
 * and 99th percentile of all operations. The first two say what an undisturbed call costs, the others see buffers
 * that are requested and flushed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <algorithm>

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

enum { BLOCK = 500 };
struct times { std::vector<double> each, blocks; };

static void worker(char what, int operations, struct times *t)
{
	struct work w;

	MUST(cudaSetDevice(0));
	open(&w);
	t->each.reserve(operations);
	for (int at = -BLOCK; at < operations; at += BLOCK) {
		double start = now_ns(), last = start;

		for (int i = 0; i < BLOCK; i++) {
			one(&w, what);
			double now = now_ns();

			if (at >= 0)                    /* the first block loads */
				t->each.push_back(now - last);
			last = now;
		}
		if (at >= 0)
			t->blocks.push_back((last - start) / BLOCK);
		MUST(cudaStreamSynchronize(w.stream));
	}
	MUST(cudaGetLastError());
}

static double at(std::vector<double> &sorted, int percent)
{
	return sorted[std::min(sorted.size() - 1, sorted.size() * percent / 100)];
}

int main(int argc, char **argv)
{
	char what = argc > 1 ? argv[1][0] : 'l';
	int n = argc > 2 ? std::atoi(argv[2]) : 1, operations = std::max(argc > 3 ? std::atoi(argv[3]) : 20000, +BLOCK);
	std::vector<struct times> times(n);
	std::vector<std::thread> threads;
	struct times all;
	double sum = 0;

	for (int i = 0; i < n; i++)
		threads.emplace_back(worker, what, operations, &times[i]);
	for (int i = 0; i < n; i++) {
		threads[i].join();
		all.each.insert(all.each.end(), times[i].each.begin(), times[i].each.end());
		all.blocks.insert(all.blocks.end(), times[i].blocks.begin(), times[i].blocks.end());
	}
	for (double ns : all.each)
		sum += ns;
	std::sort(all.each.begin(), all.each.end());
	std::sort(all.blocks.begin(), all.blocks.end());
	std::printf("ns best=%.1f median=%.1f mean=%.1f p99=%.1f\n", all.blocks[0], at(all.blocks, 50),
	            sum / all.each.size(), at(all.each, 99));
	return 0;
}
