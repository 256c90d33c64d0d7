/*
 * tests/e2e/cl_deserve.c - for each rule on OpenCL launches a kernel that deserves it (bad_RULE) and its mended twin
 * (good_RULE); prints the rules that this device can show
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

#define PAIR(name, body) "__kernel void bad_" name body "__kernel void good_" name body
static const char *const source =
	PAIR("OpenCLLocalSize", "(__global int *a) { a[get_global_id(0)] += 1; }\n")
	PAIR("OpenCLFewGroups", "(__global int *a) { a[get_global_id(0)] += 1; }\n")
	PAIR("OpenCLTail", "(__global int *a) { a[get_global_id(0)] += 1; }\n")
	PAIR("OpenCLLocalMemory", "(__global int *a, __local int *l) {\n"
		"	l[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] += l[0]; }\n");

static cl_command_queue queue;
static cl_program program;

struct shape { size_t groups, local, local_bytes; };

static void launch(const char *word, const char *rule, const struct shape *s)
{
	size_t global = s->groups * s->local;
	char name[100];
	cl_kernel k;
	cl_mem a;
	cl_int err;

	snprintf(name, sizeof name, "%s_%s", word, rule);
	k = clCreateKernel(program, name, &err);
	CHECK(err);
	a = clCreateBuffer(context, CL_MEM_READ_WRITE, global * sizeof(cl_int), NULL, &err);
	CHECK(err);
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	if (s->local_bytes)
		CHECK(clSetKernelArg(k, 1, s->local_bytes, NULL));
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &s->local, 0, NULL, NULL));
	CHECK(clFinish(queue));
	clReleaseMemObject(a);
	clReleaseKernel(k);
}

static void both(const char *rule, struct shape bad, struct shape good)
{
	launch("bad", rule, &bad);
	launch("good", rule, &good);
	puts(rule);
}

/* The multiple of local sizes that the device likes. */
static size_t multiple_of(void)
{
	cl_int err;
	cl_kernel k = clCreateKernel(program, "bad_OpenCLTail", &err);
	size_t v = 1;

	CHECK(err);
	CHECK(clGetKernelWorkGroupInfo(
		k, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof v, &v, NULL));
	clReleaseKernel(k);
	return v;
}

int main(void)
{
	cl_ulong local_memory;
	cl_uint units;
	size_t multiple;
	cl_int err;

	open_context();
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	queue = open_queue(CL_QUEUE_PROFILING_ENABLE);
	CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
	CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local_memory, &local_memory, NULL));
	multiple = multiple_of();
	/* Twins have whole rounds of groups, whole vectors and little local memory: no other rule speaks of them. */
	const struct shape good = { 4 * units, 2 * multiple, 0 };
	if (multiple > 1)
		both("OpenCLLocalSize", (struct shape){ 4 * units, multiple + 1, 0 }, good);
	if (units > 1) {
		both("OpenCLFewGroups", (struct shape){ 1, 2 * multiple, 0 }, good);
		both("OpenCLTail", (struct shape){ units + 1, 2 * multiple, 0 }, good);
	}
	both("OpenCLLocalMemory", (struct shape){ 4 * units, 2 * multiple, (size_t)(local_memory / 8 * 5) },
		(struct shape){ 4 * units, 2 * multiple, (size_t)(local_memory / 8) });
	return 0;
}
