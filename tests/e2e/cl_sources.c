/*
 * tests/e2e/cl_sources.c - COUNT programs, each of a small source of its own
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100;
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;

	if (clGetPlatformIDs(1, &platform, NULL) ||
		clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);

	for (int i = 0; i < count && !err; i++) {
		char text[300];
		const char *source = text;

		snprintf(text, sizeof text, "kernel void f%d(global int *a) { a[0] = %d; } /* %*d */", i, i, i % 200,
			i);
		cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);

		clReleaseProgram(program);
	}
	clReleaseContext(context);
	return err != 0;
}
