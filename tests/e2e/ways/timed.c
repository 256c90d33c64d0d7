/*
 * tests/e2e/ways/timed.c - three commands on a queue without profiling; the program asks for times, and gets none
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_event event;
	cl_ulong ns;
	cl_uint n = 0;
	int word = 7;

	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);

	clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof(word), &word, 0, NULL, NULL);
	clEnqueueFillBuffer(queue, buffer, &word, sizeof(word), 0, 64, 0, NULL, &event);
	clFinish(queue);
	printf("%d\n", clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(ns), &ns, NULL));
	usleep(20000); /* PoCL's worker lets go of the last command, and of its queue, when it gets to it */
	clRetainCommandQueue(queue);
	clReleaseCommandQueue(queue);
	clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof(n), &n, NULL);
	clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof(word), &word, 0, NULL, NULL);
	printf("%u %d\n", n, word);
	clReleaseEvent(event);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return 0;
}
