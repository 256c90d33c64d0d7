/*
 * tests/e2e/ways/asked.c - a signal handler that makes two calls each time; it comes while somebody asks a driver
 *
 * Who asks sends the signal (FAKECL_FAULTS=info-signals). The program asks three times itself; how often gputap does,
 * where it is there, only the handler sees. Prints on stdout what does not depend on that, on stderr how many calls
 * there were in all.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>

static volatile int handled, failed;

static void two_calls(int number)
{
	cl_uint n = 0;

	(void)number;
	failed += clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS || clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS;
	handled += 2;
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_device_type type;
	cl_int err;

	signal(SIGUSR1, two_calls);
	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 2;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);

	for (int i = 0; i < 3; i++)
		err |= clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	err |= clReleaseCommandQueue(queue) | clReleaseContext(context);
	printf("%d, %d in the handler\n", err, failed);
	fprintf(stderr, "%d\n", 9 + handled);
	return 0;
}
