/*
 * tests/e2e/cl_common.h - what the OpenCL test programs share: one device, one context, one kernel, plain output
 *
 * The programs print what an application can see and nothing that changes between two runs, so a bare run and a traced
 * one must agree byte by byte.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_CL_COMMON_H
#define GPUTAP_TESTS_CL_COMMON_H

#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_kernel kernel;
static cl_mem buffer;

#define CHECK(call) do { \
	cl_int err_ = (call); \
	if (err_ != CL_SUCCESS) { printf("%s: %d\n", #call, err_); exit(1); } } while (0)

static inline void open_context(void)
{
	cl_int err;

	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	CHECK(err);
}

/* A kernel that adds 1 to each of the buffer's ints. */
static inline void open_kernel(void)
{
	const char *source = "__kernel void add(__global int *a) { a[get_global_id(0)] += 1; }";
	cl_program program;
	cl_int err;

	program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	kernel = clCreateKernel(program, "add", &err);
	CHECK(err);
	buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
	CHECK(err);
	CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	CHECK(clReleaseProgram(program));
}

static inline cl_command_queue open_queue(cl_command_queue_properties properties)
{
	cl_int err;
	cl_command_queue queue = clCreateCommandQueue(context, device, properties, &err);

	CHECK(err);
	return queue;
}

static inline cl_int run_kernel(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event)
{
	size_t global = 16, local = 4;

	return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, n, waits, event);
}

static inline cl_int status_of(cl_event event)
{
	cl_int status = 99;

	CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	return status;
}

/* A function that is newer than its platform has no address there, and an old loader calls it all the same. */
static inline int platform_has(int major, int minor)
{
	char version[128] = "";
	int a = 0, b = 0;

	CHECK(clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, NULL));
	sscanf(version, "OpenCL %d.%d", &a, &b);
	return a > major || (a == major && b >= minor);
}

static inline cl_uint references(cl_event event)
{
	cl_uint n = 99;

	CHECK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL));
	return n;
}

#endif
