/*
 * examples/cuda/vector_add.c - one kernel by the driver's own calls: copy in, launch, copy out
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_small.h"

enum { N = 1000 };

int main(void)
{
	static float a[N], b[N], c[N];
	void *context, *module, *kernel;
	uint64_t da, db, dc;
	unsigned n = N;
	void *args[] = { &da, &db, &dc, &n };
	int device, wrong = 0;

	for (int i = 0; i < N; i++) {
		a[i] = (float)i;
		b[i] = 2.0f * (float)i;
	}
	MUST(cuInit(0));
	MUST(cuDeviceGet(&device, 0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	MUST(cuModuleLoadData(&module, kernels_ptx));
	MUST(cuModuleGetFunction(&kernel, module, "vector_add"));
	MUST(cuMemAlloc_v2(&da, sizeof a));
	MUST(cuMemAlloc_v2(&db, sizeof b));
	MUST(cuMemAlloc_v2(&dc, sizeof c));
	MUST(cuMemcpyHtoD_v2(da, a, sizeof a));
	MUST(cuMemcpyHtoD_v2(db, b, sizeof b));
	MUST(cuLaunchKernel(kernel, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
	MUST(cuCtxSynchronize());
	MUST(cuMemcpyDtoH_v2(c, dc, sizeof c));
	for (int i = 0; i < N; i++)
		wrong += c[i] != 3.0f * (float)i;
	MUST(cuMemFree_v2(da));
	MUST(cuMemFree_v2(db));
	MUST(cuMemFree_v2(dc));
	MUST(cuModuleUnload(module));
	MUST(cuDevicePrimaryCtxRelease_v2(device));
	printf("vector_add: %d values, %d wrong\n", N, wrong);
	return wrong != 0;
}
