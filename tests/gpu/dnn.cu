/*
 * tests/gpu/dnn.cu - an activation by cuDNN, checked
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"
#include <cudnn.h>

int main()
{
	const int n = 1 << 12;
	std::vector<float> host(n);
	float *x, one = 1, zero = 0;
	cudnnHandle_t handle;
	cudnnTensorDescriptor_t shape;
	cudnnActivationDescriptor_t relu;
	bool right = true;

	for (int i = 0; i < n; i++)
		host[i] = i % 2 ? -1.0f : i;
	MUST(cudaMalloc(&x, n * 4));
	COPY(cudaMemcpy(x, host.data(), n * 4, cudaMemcpyHostToDevice));
	right &= cudnnCreate(&handle) == CUDNN_STATUS_SUCCESS;
	right &= cudnnCreateTensorDescriptor(&shape) == CUDNN_STATUS_SUCCESS;
	right &= cudnnSetTensor4dDescriptor(shape, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, 1, n) ==
		 CUDNN_STATUS_SUCCESS;
	right &= cudnnCreateActivationDescriptor(&relu) == CUDNN_STATUS_SUCCESS;
	right &= cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0) ==
		 CUDNN_STATUS_SUCCESS;
	right &= cudnnActivationForward(handle, relu, &one, shape, x, &zero, shape, x) == CUDNN_STATUS_SUCCESS;
	COPY(cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		right &= host[i] == (i % 2 ? 0.0f : i);
	cudnnDestroy(handle);
	kernels = sets = copies = -1;
	return done("dnn", right);
}
