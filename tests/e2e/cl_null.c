/*
 * tests/e2e/cl_null.c - a kernel, a copy, a fill and a finish on no queue at all, and nothing else on a device
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

int main(void)
{
	const size_t size = 16;
	cl_int word = 0;

	open_context();
	open_kernel();
	printf("kernel %d\n", clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
	printf("copy %d\n", clEnqueueReadBuffer(NULL, buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL));
	printf("fill %d\n", clEnqueueFillBuffer(NULL, buffer, &word, sizeof word, 0, 64, 0, NULL, NULL));
	printf("marker %d\n", clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL));
	printf("finish %d\n", clFinish(NULL));
	return 0;
}
