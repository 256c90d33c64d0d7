/*
 * tests/e2e/cl_place_rules.c - for each rule on a kernel's place in time one launch that deserves it (bad_RULE) and its
 * mended twin (good_RULE), the last one of each name; launches before them only compile
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

#include <unistd.h>

#define COPIED (64u << 20)
#define TINY 300                                  /* launches; the rule asks for 100 */
#define TINY_NS 9000                              /* on average; the rule asks for less than 10 us */

static const char *const source =
	"__kernel void first(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void bad_HostGap(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void good_HostGap(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void bad_CopyOverlap(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void good_CopyOverlap(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void bad_TinyKernels(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void good_TinyKernels(__global int *a) { for (int i = 0; i < 300; i++) a[get_global_id(0)] += 1; }\n"
	"__kernel void bad_UnusedBuffers(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void good_UnusedBuffers(__global int *a) { a[get_global_id(0)] += 1; }\n"
	"__kernel void bad_OpenCLPrivateMemory(__global int *a)\n"
	"{\n"
	"	int own[4096];\n"
	"	for (int i = 0; i < 4096; i++) own[i] = a[i] + i;\n"
	"	for (int i = 0; i < 4096; i++) own[own[i] & 4095] += own[(own[i] + 7) & 4095];\n"
	"	a[get_global_id(0)] += own[a[0] & 4095];\n"
	"}\n"
	"__kernel void good_OpenCLPrivateMemory(__global int *a) { a[get_global_id(0)] += 1; }\n";
static cl_program program;
static cl_mem a;
static char *host;

static void launch(cl_command_queue queue, const char *name, const cl_event *after)
{
	const size_t global = 64, local = 16;
	cl_int err;
	cl_kernel k = clCreateKernel(program, name, &err);

	CHECK(err);
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, after != NULL, after, NULL));
	clReleaseKernel(k);
}

/* What the runtime tells of their private memory: a number of bytes, for each of them. */
static void tell_private_memory(void)
{
	static const char *const names[] = { "bad_OpenCLPrivateMemory", "good_OpenCLPrivateMemory" };
	cl_ulong bytes;
	cl_int err;

	for (int i = 0; i < 2; i++) {
		cl_kernel k = clCreateKernel(program, names[i], &err);

		CHECK(err);
		CHECK(clGetKernelWorkGroupInfo(k, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
		printf(i ? " %llu\n" : "%llu", (unsigned long long)bytes);
		clReleaseKernel(k);
	}
}

static void compile_all(cl_command_queue queue)
{
	static const char *const names[] = { "first", "bad_HostGap", "good_HostGap", "bad_CopyOverlap",
		"good_CopyOverlap" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		launch(queue, names[i], NULL);
	CHECK(clFinish(queue));
}

/* The program comes late; both are there before the first begins. */
static void gap(cl_command_queue queue)
{
	cl_event gate;
	cl_int err;

	launch(queue, "first", NULL);
	CHECK(clFinish(queue));
	usleep(300000);
	launch(queue, "bad_HostGap", NULL);
	CHECK(clFinish(queue));
	gate = clCreateUserEvent(context, &err);
	CHECK(err);
	launch(queue, "first", &gate);
	launch(queue, "good_HostGap", NULL);
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clFinish(queue));
}

/* The kernel waits for its copy; another queue has copied before. */
static void copies(cl_command_queue queue, cl_command_queue other)
{
	CHECK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, COPIED, host, 0, NULL, NULL));
	launch(queue, "bad_CopyOverlap", NULL);
	CHECK(clFinish(queue));
	CHECK(clEnqueueWriteBuffer(other, a, CL_TRUE, 0, COPIED, host, 0, NULL, NULL));
	launch(queue, "first", NULL);
	launch(queue, "good_CopyOverlap", NULL);
	CHECK(clFinish(queue));
}

/* The same work in many launches and in one. Returns how long the many ran on average, in ns. */
static double tiny(cl_command_queue queue)
{
	const size_t global = 64, local = 16;
	cl_kernel k;
	cl_event events[TINY];
	cl_ulong from, to, all = 0;
	cl_int err;

	k = clCreateKernel(program, "bad_TinyKernels", &err);
	CHECK(err);
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	for (int i = 0; i < TINY; i++)
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, &events[i]));
	launch(queue, "good_TinyKernels", NULL);
	CHECK(clFinish(queue));
	for (int i = 0; i < TINY; i++) {
		CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
		CHECK(clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
		clReleaseEvent(events[i]);
		all += to - from;
	}
	clReleaseKernel(k);
	return (double)all / TINY;
}

/* Buffers of a MiB each: in bad ones nothing uses them, in good ones something does, each in another way. */
static void unused(cl_command_queue queue, const char *word)
{
	const cl_buffer_region half = { 0, COPIED / 128 };
	cl_mem b[7], part;
	cl_int err;
	int zero = 0;
	void *at;

	for (int i = 0; i < 7; i++) {
		b[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 20, NULL, &err);
		CHECK(err);
	}
	part = clCreateSubBuffer(b[6], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &err);
	CHECK(err);
	if (!strcmp(word, "good")) {
		a = b[0];
		launch(queue, "good_UnusedBuffers", NULL);
		CHECK(clEnqueueWriteBuffer(queue, b[1], CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
		CHECK(clEnqueueCopyBuffer(queue, b[1], b[2], 0, 0, 64, 0, NULL, NULL));
		CHECK(clEnqueueFillBuffer(queue, b[3], &zero, sizeof zero, 0, 64, 0, NULL, NULL));
		at = clEnqueueMapBuffer(queue, b[4], CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &err);
		CHECK(err);
		CHECK(clEnqueueUnmapMemObject(queue, b[4], at, 0, NULL, NULL));
		CHECK(clEnqueueMigrateMemObjects(queue, 1, &b[5], 0, 0, NULL, NULL));
		CHECK(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
	} else {
		cl_kernel k = clCreateKernel(program, "good_UnusedBuffers", &err);

		/* an argument of a kernel that is not launched */
		CHECK(err);
		CHECK(clSetKernelArg(k, 0, sizeof b[0], &b[0]));
		launch(queue, "bad_UnusedBuffers", NULL);
	}
	CHECK(clFinish(queue));
	for (int i = 0; i < 7; i++)
		clReleaseMemObject(b[i]);
}

int main(int argc, char **argv)
{
	cl_command_queue queues[2];
	cl_int err;

	open_context();
	program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	a = clCreateBuffer(context, CL_MEM_READ_WRITE, COPIED, NULL, &err);
	CHECK(err);
	host = calloc(1, COPIED);
	for (int i = 0; i < 2; i++)
		queues[i] = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &err);
	CHECK(err);
	/* Launches whose time the machine's load may stretch; of a runtime that tells of private memory. */
	if (argc > 1 && !strcmp(argv[1], "private")) {
		tell_private_memory();
		return 0;
	}
	if (argc > 2) {
		/* the one that the other rules need is used in any case */
		CHECK(clEnqueueWriteBuffer(queues[0], a, CL_TRUE, 0, 4, host, 0, NULL, NULL));
		unused(queues[0], argv[2]);
		puts(argv[1]);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "TinyKernels")) {
		double ns = tiny(queues[0]);

		printf("%s: %.0f ns\n", ns < TINY_NS ? argv[1] : "too slow", ns);
		return 0;
	}
	if (argc > 1) {
		launch(queues[0], "bad_OpenCLPrivateMemory", NULL);
		launch(queues[0], "good_OpenCLPrivateMemory", NULL);
		CHECK(clFinish(queues[0]));
		puts(argv[1]);
		return 0;
	}
	compile_all(queues[0]);
	gap(queues[0]);
	copies(queues[0], queues[1]);
	free(host);
	puts("HostGap\nCopyOverlap");
	return 0;
}
