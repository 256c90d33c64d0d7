/*
 * tests/gpu/cooperative.cu - a cooperative launch: blocks that wait for each other
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"
#include <cooperative_groups.h>

static __global__ void rounds(unsigned *x)
{
	cooperative_groups::grid_group grid = cooperative_groups::this_grid();

	for (int i = 0; i < 4; i++) {
		if (threadIdx.x == 0)
			atomicAdd(&x[i], 1u);
		grid.sync();
		if (x[i] != gridDim.x)
			atomicAdd(&x[7], 1u);
	}
}

int main()
{
	unsigned *x, host[8];
	int able = 0;
	void *args[] = { &x };

	MUST(cudaDeviceGetAttribute(&able, cudaDevAttrCooperativeLaunch, 0));
	MUST(cudaMalloc(&x, sizeof host));
	SET(cudaMemset(x, 0, sizeof host));
	if (able) {
		MUST(cudaLaunchCooperativeKernel(rounds, dim3(8), dim3(64), args, 0, nullptr));
		kernels++;
	}
	COPY(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
	MUST(cudaFree(x));
	return done("cooperative", !able || (host[0] == 8 && host[3] == 8 && host[7] == 0));
}
