/*
 * tests/e2e/cl_metrics.c - launches kernels of known sizes and prints what it knows of each: one line of name=value
 *
 * cl_metrics [second|unknown]: on the first device; on the second, with programs that are built for both; one launch
 * whose local size the runtime chooses
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

static const char *const source =
	"__kernel void plain(__global float *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void shared(__global float *a, __global float *b, __local float *l, int n, __global float *again) {\n"
	"	l[get_local_id(0)] = a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	b[get_global_id(0)] = l[0] + n + again[0]; }\n"
	"__kernel __attribute__((reqd_work_group_size(16, 2, 1))) void fixed(__global float *a) {\n"
	"	__local float own[256]; own[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"	a[get_global_id(0) + get_global_size(0) * get_global_id(1)] += own[0]; }\n";

static cl_command_queue queue;

static cl_ulong asked(cl_kernel k, cl_kernel_work_group_info what)
{
	cl_ulong v = 0;

	CHECK(clGetKernelWorkGroupInfo(k, device, what, sizeof v, &v, NULL));
	return v;
}

static cl_ulong span(cl_event e, cl_profiling_info from, cl_profiling_info to)
{
	cl_ulong a, b;

	CHECK(clGetEventProfilingInfo(e, from, sizeof a, &a, NULL));
	CHECK(clGetEventProfilingInfo(e, to, sizeof b, &b, NULL));
	return b - a;
}

struct expected { cl_uint dims; size_t global[3], local[3]; const char *source; size_t local_bytes, buffers, bytes; };

static void launch(cl_kernel k, const char *name, const struct expected *x)
{
	size_t groups = 1, global = 1, local = 1;
	cl_uint units, args;
	cl_ulong most;
	cl_event e;

	CHECK(clEnqueueNDRangeKernel(queue, k, x->dims, NULL, x->global, x->local[0] ? x->local : NULL, 0, NULL, &e));
	CHECK(clWaitForEvents(1, &e));
	CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
	CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
	CHECK(clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, sizeof args, &args, NULL));
	for (cl_uint i = 0; i < x->dims; i++) {
		global *= x->global[i];
		local *= x->local[i];
		groups *= x->local[i] ? (x->global[i] + x->local[i] - 1) / x->local[i] : 0;
	}
	printf("name=%s duration=%llu queue_delay=%llu submit_delay=%llu work_dim=%u global_size=%zu local_size=%zu "
	       "local_size_source=%s work_groups=%zu compute_units=%u max_local_size=%llu preferred_multiple=%llu "
	       "private_memory=%llu local_memory=%llu local_memory_limit=%llu arguments=%u buffer_arguments=%zu "
	       "buffer_bytes=%zu\n",
		name, (unsigned long long)span(e, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END),
		(unsigned long long)span(e, CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT),
		(unsigned long long)span(e, CL_PROFILING_COMMAND_SUBMIT, CL_PROFILING_COMMAND_START), x->dims, global,
		local, x->source, groups, units, (unsigned long long)asked(k, CL_KERNEL_WORK_GROUP_SIZE),
		(unsigned long long)asked(k, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE),
		(unsigned long long)asked(k, CL_KERNEL_PRIVATE_MEM_SIZE),
		(unsigned long long)x->local_bytes, (unsigned long long)most, args,
		x->buffers, x->bytes);
	clReleaseEvent(e);
}

static void open_second(void)
{
	cl_device_id both[2];
	cl_int err;

	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, both, NULL));
	context = clCreateContext(NULL, 2, both, NULL, NULL, &err);
	CHECK(err);
	device = both[1];
}

int main(int argc, char **argv)
{
	cl_kernel plain, shared, fixed, copy;
	cl_mem small, large, part;
	cl_program program;
	cl_buffer_region half = { 0, 2048 };
	size_t own;
	int n = 3;
	cl_int err;

	if (argc > 1 && !strcmp(argv[1], "second"))
		open_second();
	else
		open_context();
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
	CHECK(err);
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	plain = clCreateKernel(program, "plain", &err);
	shared = clCreateKernel(program, "shared", &err);
	fixed = clCreateKernel(program, "fixed", &err);
	CHECK(err);
	/* of its own array, some runtimes tell nothing; what they tell with an argument set may hold that one too */
	own = asked(fixed, CL_KERNEL_LOCAL_MEM_SIZE);
	small = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &err);
	large = clCreateBuffer(context, CL_MEM_READ_WRITE, 65536, NULL, &err);
	part = clCreateSubBuffer(small, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
	CHECK(err);

	CHECK(clSetKernelArg(plain, 0, sizeof small, &small));
	if (argc > 1 && !strcmp(argv[1], "unknown")) {
		launch(plain, "plain", &(struct expected){ 1, { 512 }, { 0 }, "unknown", 0, 1, 4096 });
		return 0;
	}
	launch(plain, "plain", &(struct expected){ 1, { 1024 }, { 64 }, "given", 0, 1, 4096 });
	/* another buffer in its place, and a size of which one group is not full */
	CHECK(clSetKernelArg(plain, 0, sizeof large, &large));
	launch(plain, "plain", &(struct expected){ 1, { 960 }, { 96 }, "given", 0, 1, 65536 });
	CHECK(clSetKernelArg(plain, 0, sizeof part, &part));
	launch(plain, "plain", &(struct expected){ 1, { 512 }, { 0 }, "unknown", 0, 1, 2048 });

	CHECK(clSetKernelArg(shared, 0, sizeof small, &small));
	CHECK(clSetKernelArg(shared, 1, sizeof large, &large));
	CHECK(clSetKernelArg(shared, 2, 256, NULL));
	CHECK(clSetKernelArg(shared, 3, sizeof n, &n));
	CHECK(clSetKernelArg(shared, 4, sizeof small, &small));
	launch(shared, "shared", &(struct expected){ 1, { 1024 }, { 64 }, "given", 256, 3, 4096 + 65536 });
	copy = platform_has(2, 1) ? clCloneKernel(shared, &err) : NULL;
	if (copy && !err) {
		CHECK(clSetKernelArg(copy, 1, sizeof small, &small));
		launch(copy, "shared", &(struct expected){ 1, { 128 }, { 64 }, "given", 256, 3, 4096 });
	}

	CHECK(clSetKernelArg(fixed, 0, sizeof large, &large));
	launch(fixed, "fixed", &(struct expected){ 2, { 64, 32 }, { 16, 2 }, "given", own, 1, 65536 });
	return 0;
}
