/*
 * tests/e2e/idle/regions.c - two kernels, and between them a loop of OpenMP that computes
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../cl_common.h"

int main(void)
{
	cl_command_queue queue;
	const size_t one = 1;
	double sum = 0;
	cl_int err;

	open_context();
	open_kernel();
	queue = clCreateCommandQueue(context, device, 0, &err);
	CHECK(err);
	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
	CHECK(clFinish(queue));
#pragma omp parallel for reduction(+ : sum) num_threads(2)
	for (long i = 0; i < 300000000; i++)
		sum += (double)i * 1e-9;
	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
	CHECK(clFinish(queue));
	return sum < 0;
}
