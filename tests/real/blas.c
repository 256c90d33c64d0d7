/*
 * tests/real/blas.c - a program on CLBlast: AXPY, DOT, GEMV and GEMM on small integers, so that results are exact
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <clblast_c.h>
#include <stdio.h>

#define N 96

static cl_context context;
static cl_command_queue queue;

static cl_mem filled(int seed)
{
	static float host[N * N];

	for (int i = 0; i < N * N; i++)
		host[i] = (float)((i * 7 + seed) % 5 - 2);
	cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof host, NULL, NULL);

	clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
	return mem;
}

static void show(const char *what, int status, cl_mem mem, size_t n)
{
	static float host[N * N];
	double sum = 0;

	clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, n * sizeof *host, host, 0, NULL, NULL);
	for (size_t i = 0; i < n; i++)
		sum += host[i] * (double)(1 + i % 11);
	printf("%s: status %d, checksum %.0f\n", what, status, sum);
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;

	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 2;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_mem a = filled(1), b = filled(2), c = filled(3);

	show("axpy", CLBlastSaxpy(N * N, 2, a, 0, 1, b, 0, 1, &queue, NULL), b, N * N);
	show("dot", CLBlastSdot(N * N, c, 0, a, 0, 1, b, 0, 1, &queue, NULL), c, 1);
	show("gemv",
		CLBlastSgemv(
			CLBlastLayoutRowMajor, CLBlastTransposeNo, N, N, 1, a, 0, N, b, 0, 1, 0, c, 0, 1, &queue, NULL),
		c, N);
	show("gemm",
		CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, N, N, N, 1, a, 0, N, b, 0,
			N, 1, c, 0, N, &queue, NULL),
		c, N * N);
	return CLBlastClearCache();
}
