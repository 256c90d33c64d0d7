/*
 * tests/gpu/vector_add.cu - the first program of every tutorial
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

static __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

int main()
{
	const int n = 1 << 20;
	std::vector<float> a(n), b(n), c(n);
	float *da, *db, *dc;
	bool right = true;

	for (int i = 0; i < n; i++)
		a[i] = i, b[i] = 2 * i;
	MUST(cudaMalloc(&da, n * sizeof *da));
	MUST(cudaMalloc(&db, n * sizeof *db));
	MUST(cudaMalloc(&dc, n * sizeof *dc));
	COPY(cudaMemcpy(da, a.data(), n * sizeof *da, cudaMemcpyHostToDevice));
	COPY(cudaMemcpy(db, b.data(), n * sizeof *db, cudaMemcpyHostToDevice));
	vector_add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
	LAUNCHED();
	COPY(cudaMemcpy(c.data(), dc, n * sizeof *dc, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		right &= c[i] == a[i] + b[i];
	MUST(cudaFree(da));
	MUST(cudaFree(db));
	MUST(cudaFree(dc));
	return done("vector_add", right);
}
