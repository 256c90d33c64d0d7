/*
 * tests/gpu/streams.cu - four streams with copies and kernels that overlap, ordered by events
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

static __global__ void spin(unsigned *x, unsigned n, int rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int r = 0; i < n && r < rounds; r++)
		x[i] = x[i] * 3 + 1;
}

int main()
{
	const unsigned n = 1 << 16, streams = 4;
	unsigned *host, *x[streams];
	cudaStream_t stream[streams];
	cudaEvent_t first, last;
	float ms;

	MUST(cudaMallocHost(&host, streams * n * sizeof *host));
	MUST(cudaEventCreate(&first));
	MUST(cudaEventCreate(&last));
	for (unsigned s = 0; s < streams; s++) {
		MUST(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
		MUST(cudaMalloc(&x[s], n * sizeof *host));
	}
	MUST(cudaEventRecord(first, stream[0]));
	for (int round = 0; round < 8; round++)
		for (unsigned s = 0; s < streams; s++) {
			SET(cudaMemsetAsync(x[s], 0, n * sizeof *host, stream[s]));
			spin<<<8, 256, 0, stream[s]>>>(x[s], n, 2000);
			LAUNCHED();
			launch_add_one(x[s], n, stream[s]);
			COPY(cudaMemcpyAsync(host + s * n, x[s], n * sizeof *host, cudaMemcpyDeviceToHost, stream[s]));
		}
	for (unsigned s = 1; s < streams; s++) {
		cudaEvent_t e;

		MUST(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
		MUST(cudaEventRecord(e, stream[s]));
		MUST(cudaStreamWaitEvent(stream[0], e, 0));
		MUST(cudaEventDestroy(e));
	}
	MUST(cudaEventRecord(last, stream[0]));
	MUST(cudaEventSynchronize(last));
	MUST(cudaEventElapsedTime(&ms, first, last));
	bool right = ms > 0;

	for (unsigned s = 0; s < streams; s++) {
		right &= host[s * n] == host[0] && host[s * n + n - 1] == 1;    /* spun; only one more */
		MUST(cudaFree(x[s]));
		MUST(cudaStreamDestroy(stream[s]));
	}
	return done("streams", right);
}
