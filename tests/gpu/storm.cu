/*
 * tests/gpu/storm.cu - launches from 8 threads at once: storm [THREADS [LAUNCHES]]
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

static void worker(int launches, unsigned *result)
{
	unsigned *x;
	cudaStream_t stream;

	MUST(cudaSetDevice(0));
	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	MUST(cudaMalloc(&x, 256 * sizeof *x));
	SET(cudaMemsetAsync(x, 0, 256 * sizeof *x, stream));
	for (int i = 0; i < launches; i++)
		launch_add_one(x, 256, stream);
	MUST(cudaStreamSynchronize(stream));
	COPY(cudaMemcpy(result, x, sizeof *x, cudaMemcpyDeviceToHost));
	MUST(cudaFree(x));
	MUST(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? std::atoi(argv[1]) : 8, launches = argc > 2 ? std::atoi(argv[2]) : 20000;
	std::vector<unsigned> result(n);
	std::vector<std::thread> threads;
	bool right = true;

	for (int i = 0; i < n; i++)
		threads.emplace_back(worker, launches, &result[i]);
	for (int i = 0; i < n; i++) {
		threads[i].join();
		right &= result[i] == (unsigned)launches;
	}
	return done("storm", right);
}
