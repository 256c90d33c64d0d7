/*
 * tests/gpu/blas.cu - one matrix product by cuBLAS, checked
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"
#include <cublas_v2.h>

int main()
{
	const int n = 256;
	std::vector<float> a(n * n, 1), b(n * n, 2), c(n * n);
	float *da, *db, *dc, one = 1, zero = 0;
	cublasHandle_t handle;
	bool right = true;

	MUST(cudaMalloc(&da, a.size() * 4));
	MUST(cudaMalloc(&db, a.size() * 4));
	MUST(cudaMalloc(&dc, a.size() * 4));
	COPY(cudaMemcpy(da, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
	COPY(cudaMemcpy(db, b.data(), a.size() * 4, cudaMemcpyHostToDevice));
	right &= cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS;
	for (int i = 0; i < 10; i++)
		right &= cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, da, n, db, n, &zero, dc, n) ==
			 CUBLAS_STATUS_SUCCESS;
	COPY(cudaMemcpy(c.data(), dc, a.size() * 4, cudaMemcpyDeviceToHost));
	for (float v : c)
		right &= v == 2.0f * n;
	cublasDestroy(handle);
	kernels = -1;                                   /* the library's business */
	sets = copies = -1;
	return done("blas", right);
}
