/*
 * tests/e2e/cl_long_args.c - calls with long lists and texts of every kind
 *
 * cl_long_args N: each list has N elements, each text 8 N bytes. Prints for each "function parameter elements sum": the
 * sum of the elements (handles, addresses), of the bytes of a value or of the characters of a text, modulo 2^64.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>

#include "cl_common.h"

static void say_list(const char *function, const char *parameter, const void *list, size_t n)
{
	const uint64_t *element = list;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += element[i];
	printf("%s %s %zu %llu\n", function, parameter, n, (unsigned long long)sum);
}

static void say_bytes(const char *function, const char *parameter, const void *bytes, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += ((const unsigned char *)bytes)[i];
	printf("%s %s %zu %llu\n", function, parameter, n, (unsigned long long)sum);
}

static char *long_text(const char *begin, size_t n, const char *end)
{
	char *text = malloc(n + 1);

	memset(text, ' ', n);
	memcpy(text, begin, strlen(begin));
	memcpy(text + n - strlen(end), end, strlen(end));
	text[n] = 0;
	return text;
}

static void wait_for_many(cl_command_queue queue, cl_uint n)
{
	cl_event *event = calloc(n, sizeof *event);

	for (cl_uint i = 0; i < n; i++)
		event[i] = i < 50 ? NULL : event[i % 50];
	for (cl_uint i = 0; i < 50 && i < n; i++)
		CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event[i]));
	for (cl_uint i = 50; i < n; i++)
		event[i] = event[i % 50];
	CHECK(run_kernel(queue, n, event, NULL));
	say_list("clEnqueueNDRangeKernel", "event_wait_list", event, n);
	CHECK(clWaitForEvents(n, event));
	say_list("clWaitForEvents", "event_list", event, n);
	for (cl_uint i = 0; i < 50 && i < n; i++)
		clReleaseEvent(event[i]);
	free(event);
}

static void migrate_many(cl_command_queue queue, cl_uint n)
{
	cl_mem *memory = malloc(n * sizeof *memory), other = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);

	for (cl_uint i = 0; i < n; i++)
		memory[i] = i % 3 ? buffer : other;
	CHECK(clEnqueueMigrateMemObjects(queue, n, memory, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
	say_list("clEnqueueMigrateMemObjects", "mem_objects", memory, n);
	CHECK(clFinish(queue));
	clReleaseMemObject(other);
	free(memory);
}

static void point_to_many(cl_uint n)
{
	char *base = clSVMAlloc(context, CL_MEM_READ_WRITE, n + 64, 0);
	void **pointer = malloc(n * sizeof *pointer);

	for (cl_uint i = 0; base && i < n; i++)
		pointer[i] = base + i;
	if (base && !clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, n * sizeof *pointer, pointer))
		say_list("clSetKernelExecInfo", "param_value", pointer, n);
	if (base)
		clSVMFree(context, base);
	free(pointer);
}

/* Built of a source that is longer than every limit of old, with long options; a kernel of it takes a long argument. */
static void program_of_many(cl_uint n)
{
	char begin[200], *source, *options = long_text("-DFIRST=1", 8 * (size_t)n, "-DLAST=9"), *name, *answer;
	size_t bytes = 64 * (size_t)n, argument = n < 8000 ? 8 * (size_t)n : 64000;
	cl_program program;
	unsigned char *value = malloc(argument);
	cl_kernel of_program;

	snprintf(begin, sizeof begin,
		"typedef struct { char b[%zu]; } S; kernel void t(S s, global char *o) { o[0] = s.b[1]; }", argument);
	source = long_text(begin, bytes, "/* end */");
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, NULL);
	answer = malloc(bytes + 1);
	CHECK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, bytes + 1, answer, NULL));
	say_bytes("clGetProgramInfo", "param_value", answer, bytes);
	CHECK(clBuildProgram(program, 1, &device, options, NULL, NULL));
	say_bytes("clBuildProgram", "options", options, 8 * (size_t)n);
	of_program = clCreateKernel(program, "t", NULL);
	for (size_t i = 0; i < argument; i++)
		value[i] = (unsigned char)(i * 7 + 1);
	CHECK(clSetKernelArg(of_program, 0, argument, value));
	say_bytes("clSetKernelArg", "arg_value", value, argument);
	name = long_text("no_such_kernel", 8 * (size_t)n, "anywhere");
	if (!clCreateKernel(program, name, NULL))
		say_bytes("clCreateKernel", "kernel_name", name, 8 * (size_t)n);
	clReleaseKernel(of_program);
	clReleaseProgram(program);
	free(source);
	free(options);
	free(value);
	free(answer);
	free(name);
}

int main(int argc, char **argv)
{
	cl_uint n = argc > 1 ? (cl_uint)atoi(argv[1]) : 1000;

	open_context();
	open_kernel();
	cl_command_queue queue = open_queue(CL_QUEUE_PROFILING_ENABLE);

	wait_for_many(queue, n);
	migrate_many(queue, n);
	point_to_many(n);
	program_of_many(n);
	return 0;
}
