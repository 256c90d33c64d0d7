/*
 * tests/gpu/copies.cu - pageable, pinned, device to device, to itself and managed memory; sets; synchronous and not
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"

int main()
{
	const size_t n = 1 << 22, bytes = n * sizeof(unsigned);
	std::vector<unsigned> pageable(n, 7);
	unsigned *pinned, *a, *b, *managed;
	cudaStream_t stream;
	bool right = true;

	MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	MUST(cudaMallocHost(&pinned, bytes));
	MUST(cudaMalloc(&a, bytes));
	MUST(cudaMalloc(&b, bytes));
	COPY(cudaMemcpy(a, pageable.data(), bytes, cudaMemcpyHostToDevice));
	COPY(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
	launch_add_one(b, n, 0);
	COPY(cudaMemcpy(pageable.data(), b, bytes, cudaMemcpyDeviceToHost));
	right &= all_are(pageable.data(), n, 8);
	std::memset(pinned, 0, bytes);
	MUST(cudaDeviceSynchronize());
	COPY(cudaMemcpyAsync(a, pinned, bytes, cudaMemcpyHostToDevice, stream));
	launch_add_one(a, n, stream);
	COPY(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream));
	COPY(cudaMemcpyAsync(pinned, b, bytes, cudaMemcpyDeviceToHost, stream));
	MUST(cudaStreamSynchronize(stream));
	right &= all_are(pinned, n, 1);
	SET(cudaMemset(a, 0x5a, bytes));
	SET(cudaMemsetAsync(b, 0, bytes / 2, stream));
	MUST(cudaStreamSynchronize(stream));
	COPY(cudaMemcpy(pinned, a, bytes, cudaMemcpyDeviceToHost));
	right &= all_are(pinned, n, 0x5a5a5a5a);
	MUST(cudaMallocManaged(&managed, 1 << 20));                 /* a megabyte: pages go there and back */
	for (unsigned i = 0; i < (1 << 18); i++)
		managed[i] = 1;
	launch_add_one(managed, 1 << 18, 0);
	MUST(cudaDeviceSynchronize());
	right &= all_are(managed, 1 << 18, 2);
	MUST(cudaFree(managed));
	MUST(cudaFree(a));
	MUST(cudaFree(b));
	MUST(cudaFreeHost(pinned));
	MUST(cudaStreamDestroy(stream));
	return done("copies", right);
}
