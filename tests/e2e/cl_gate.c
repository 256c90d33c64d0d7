/*
 * tests/e2e/cl_gate.c - kernels on a GPU and on the host's processors; one waits for an event that the program sets
 * later
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

static const char *const source = "__kernel void on_gpu() {}\n__kernel void gated() {}\n__kernel void beside() {}\n"
				  "__kernel void behind() {}\n";
static cl_program program;

static void launch(cl_command_queue queue, const char *name, cl_uint n_waits, const cl_event *waits)
{
	const size_t global = 64;
	cl_int err;
	cl_kernel k = clCreateKernel(program, name, &err);

	CHECK(err);
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, n_waits, waits, NULL));
	clReleaseKernel(k);
	puts(name);
}

int main(void)
{
	cl_device_id devices[2];
	cl_command_queue queues[2];
	cl_event gate;
	cl_int err;

	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &devices[0], NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &devices[1], NULL));
	context = clCreateContext(NULL, 2, devices, NULL, NULL, &err);
	CHECK(err);
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 2, devices, "", NULL, NULL));
	for (int i = 0; i < 2; i++) {
		queues[i] = clCreateCommandQueue(context, devices[i], 0, &err);
		CHECK(err);
	}
	gate = clCreateUserEvent(context, &err);
	CHECK(err);
	launch(queues[0], "on_gpu", 0, NULL);
	launch(queues[1], "gated", 1, &gate);
	launch(queues[1], "beside", 0, NULL);
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFinish(queues[0]));
	CHECK(clFinish(queues[1]));
	launch(queues[1], "behind", 0, NULL);
	CHECK(clFinish(queues[1]));
	return 0;
}
