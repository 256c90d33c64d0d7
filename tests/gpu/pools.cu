/*
 * tests/gpu/pools.cu - memory pools: the device's own, and one of the program's
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

int main()
{
	cudaMemPoolProps props = {};
	cudaMemPool_t pool;
	cudaStream_t stream;
	unsigned *x, host[256];
	bool right = true;

	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	MUST(cudaMemPoolCreate(&pool, &props));
	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; i < 8; i++) {
		if (i % 2)
			MUST(cudaMallocFromPoolAsync(&x, sizeof host << i, pool, stream));
		else
			MUST(cudaMallocAsync(&x, sizeof host << i, stream));
		SET(cudaMemsetAsync(x, 0, sizeof host, stream));
		launch_add_one(x, 256, stream);
		COPY(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
		MUST(cudaFreeAsync(x, stream));
		MUST(cudaStreamSynchronize(stream));
		right &= all_are(host, 256, 1);
	}
	MUST(cudaMemPoolTrimTo(pool, 0));
	MUST(cudaMemPoolDestroy(pool));
	MUST(cudaStreamDestroy(stream));
	return done("pools", right);
}
