/*
 * tests/e2e/cl_waits.c - commands that wait for many others, and launches of one kernel with two local sizes
 *
 * cl_waits N: N markers, one more that waits for them all, then a wait for them by the host; four launches.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(err) do { \
	if (err) { \
		fprintf(stderr, "%s:%d: error %d\n", __FILE__, __LINE__, err); \
		exit(1); \
	} \
} while (0)

int main(int argc, char **argv)
{
	const char *source = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }";
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	cl_event *event = calloc(n, sizeof *event), last;
	cl_platform_id platform;
	cl_device_id device;
	size_t global = 64, local[2] = { 1, 2 };
	cl_int err;

	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	cl_queue_properties asked[] = { CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0 };
	cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, asked, &err);
	cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, global * 4, NULL, &err);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);

	MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
	cl_kernel kernel = clCreateKernel(program, "k", &err);

	MUST(clSetKernelArg(kernel, 0, sizeof memory, &memory));
	for (unsigned i = 0; i < n; i++)
		MUST(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event[i]));
	MUST(clEnqueueMarkerWithWaitList(queue, n, event, &last));
	MUST(clWaitForEvents(n, event));
	for (int i = 0; i < 4; i++)
		MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local[i / 2], 0, NULL, NULL));
	MUST(clFinish(queue));
	for (unsigned i = 0; i < n; i++)
		clReleaseEvent(event[i]);
	clReleaseEvent(last);
	printf("%u events\n", n);
	return 0;
}
