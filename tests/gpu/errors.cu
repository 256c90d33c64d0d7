/*
 * tests/gpu/errors.cu - calls that fail return what they should, and leave no work on the device
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

int main()
{
	unsigned *x;
	void *huge;
	cudaStream_t stream;
	cudaGraph_t graph;

	MUST(cudaMalloc(&x, 1024));
	FAILS(cudaMalloc(&huge, (size_t)1 << 50), cudaErrorMemoryAllocation);
	FAILS(cudaGetLastError(), cudaErrorMemoryAllocation);
	FAILS(cudaSetDevice(1000), cudaErrorInvalidDevice);
	cudaGetLastError();
	add_one<<<1, 4096>>>(x, 1);                     /* more threads than a block can have */
	FAILS(cudaGetLastError(), cudaErrorInvalidConfiguration);
	launch_add_one(x, 256, 0);
	MUST(cudaDeviceSynchronize());
	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	FAILS(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
	FAILS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
	cudaGetLastError();
	MUST(cudaStreamDestroy(stream));
	MUST(cudaFree(x));
	return done("errors", true);
}
