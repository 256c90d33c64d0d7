/*
 * tests/e2e/cl_late.c [task] - two kernels, made at once and launched by turns until a second is over
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t enough;

static void on_alarm(int number)
{
	(void)number;
	enough = 1;
}

int main(int argc, char **argv)
{
	const char *source = "kernel void first(global int *x) { x[get_global_id(0)]++; }\n"
			     "kernel void second(global int *x) { x[get_global_id(0)] *= 3; }\n";
	size_t size = 64;
	cl_platform_id platform;
	cl_device_id device;
	cl_int e;

	(void)argv;
	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &e);

	clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
	cl_kernel kernel[2] = { clCreateKernel(program, "first", &e), clCreateKernel(program, "second", &e) };
	cl_mem memory = clCreateBuffer(context, 0, 4096, NULL, &e);

	for (int i = 0; i < 2; i++)
		clSetKernelArg(kernel[i], 0, sizeof memory, &memory);
	signal(SIGALRM, on_alarm);
	alarm(1);
	for (unsigned i = 0; !enough; i++) {
		if (argc > 1)
			e = clEnqueueTask(queue, kernel[i % 2], 0, NULL, NULL);
		else
			e = clEnqueueNDRangeKernel(queue, kernel[i % 2], 1, NULL, &size, NULL, 0, NULL, NULL);
		clFinish(queue);
		usleep(1000);
	}
	printf("%d\n", e);
	return 0;
}
