/*
 * tests/e2e/cl_sycl.c - what a C++ runtime above OpenCL does: kernels with C++ names, local sizes left to the runtime,
 * copies between pointers of unified shared memory
 *
 * Prints for each copy where its pointers lead, in order.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

#define LAMBDA "_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_EUlNS0_2idILi1EEEE_"
#define FUNCTION "_ZN3gpu6kernel5scaleIfLi4EEEvPT_i"

typedef void *(CL_API_CALL *host_alloc)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef void *(CL_API_CALL *device_alloc)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int (CL_API_CALL *mem_free)(cl_context, void *);
typedef cl_int (CL_API_CALL *mem_fill)(
	cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);
typedef cl_int (CL_API_CALL *mem_copy)(
	cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *, cl_event *);

static void launch(cl_command_queue q, const char *name)
{
	char source[512];
	const char *text = source;
	size_t global = 128;
	cl_program program;
	cl_kernel k;
	cl_int err;

	snprintf(source, sizeof source, "__kernel void %s(__global int *a) { a[get_global_id(0)] += 1; }", name);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	k = clCreateKernel(program, name, &err);
	CHECK(err);
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	CHECK(clFinish(q));
	CHECK(clReleaseKernel(k));
	CHECK(clReleaseProgram(program));
}

static void *named(const char *name) { return clGetExtensionFunctionAddressForPlatform(platform, name); }

static void copies(cl_command_queue q)
{
	host_alloc host = (host_alloc)named("clHostMemAllocINTEL");
	device_alloc on_device = (device_alloc)named("clDeviceMemAllocINTEL");
	device_alloc shared = (device_alloc)named("clSharedMemAllocINTEL");
	mem_free release = (mem_free)named("clMemFreeINTEL");
	mem_fill fill = (mem_fill)named("clEnqueueMemFillINTEL");
	mem_copy copy = (mem_copy)named("clEnqueueMemcpyINTEL");
	const char *names[] = { "system", "host", "device", "shared" };
	char *at[4], pattern = 3;
	cl_int err;

	if (!host || !on_device || !shared || !release || !fill || !copy)
		return;
	at[0] = malloc(4096);
	at[1] = host(context, NULL, 4096, 0, &err);
	at[2] = on_device(context, device, NULL, 4096, 0, &err);
	at[3] = shared(context, device, NULL, 4096, 0, &err);
	for (int from = 0; from < 4; from++)
		for (int to = 0; to < 4; to++) {
			/* into the middle, and up to the last byte */
			CHECK(copy(q, CL_TRUE, at[to] + 3072, at[from] + 64, 1024, 0, NULL, NULL));
			printf("%s %s\n", names[from], names[to]);
		}
	CHECK(fill(q, at[2] + 16, &pattern, 1, 64, 0, NULL, NULL));
	CHECK(clFinish(q));
	/* What was the device's is the program's own when it is given back; this one is not used again. */
	CHECK(release(context, at[2]));
	char *again = on_device(context, device, NULL, 1 << 20, 0, &err);

	CHECK(copy(q, CL_TRUE, at[0], again + (1 << 20) - 16, 16, 0, NULL, NULL));
	printf("device system\n");
	CHECK(release(context, again));
	CHECK(release(context, at[1]));
	CHECK(release(context, at[3]));
	free(at[0]);
}

int main(void)
{
	cl_command_queue q;

	open_context();
	open_kernel();
	q = open_queue(0);
	launch(q, LAMBDA);
	launch(q, FUNCTION);
	launch(q, "plain");
	copies(q);
	CHECK(clReleaseCommandQueue(q));
	return 0;
}
