/*
 * tests/e2e/cl_prototypes.c - a recording call whose prototype changed, called as the platform's version wants it
 *
 *	cl_prototypes PATCH    the stand-in reports cl_khr_command_buffer 0.9.PATCH; from 5 on there is a property list
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

typedef struct _cl_command_buffer_khr *command_buffer;
typedef command_buffer (CL_API_CALL *create_fn)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
typedef cl_int (CL_API_CALL *release_fn)(command_buffer);
typedef cl_int (CL_API_CALL *barrier_fn)(
	command_buffer, cl_command_queue, cl_uint n, const cl_uint *points, cl_uint *point, void **handle);
typedef cl_int (CL_API_CALL *barrier_2_fn)(command_buffer, cl_command_queue, const cl_ulong *properties, cl_uint n,
	const cl_uint *points, cl_uint *point, void **handle);

static void *named(const char *name) { return clGetExtensionFunctionAddressForPlatform(platform, name); }

int main(int argc, char **argv)
{
	const cl_ulong properties[3] = { 0x12b1, 7, 0 };
	const cl_uint points[2] = { 3, 4 };
	int patch = argc > 1 ? atoi(argv[1]) : 0;
	cl_uint point = 0;
	cl_int err = 99;

	open_context();
	create_fn create = (create_fn)named("clCreateCommandBufferKHR");
	release_fn release = (release_fn)named("clReleaseCommandBufferKHR");
	void *barrier = named("clCommandBarrierWithWaitListKHR");
	cl_command_queue q = clCreateCommandQueue(context, device, 0, NULL);
	command_buffer b = create(1, &q, NULL, &err);

	printf("create %d\n", err);
	if (patch < 5)
		err = ((barrier_fn)barrier)(b, q, 2, points, &point, NULL);
	else
		err = ((barrier_2_fn)barrier)(b, q, properties, 2, points, &point, NULL);
	printf("barrier %d, point %u\n", err, point);
	printf("release %d\n", release(b));
	clReleaseCommandQueue(q);
	puts("end");
	return 0;
}
