/*
 * tests/e2e/stacks/retains.c - retains N: that many cheap calls of OpenCL
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;

	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	for (int i = argc > 1 ? atoi(argv[1]) : 10; i > 0; i--)
		clRetainContext(context);
	return !context;
}
