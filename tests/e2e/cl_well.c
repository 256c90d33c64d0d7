/*
 * tests/e2e/cl_well.c - a program that no rule has anything to say of, and what spoils it
 *
 * It computes on memory that it shares with the device, in sizes that fit the device, and waits once. With an argument:
 *   copies      the data are written to the device before each launch
 *   builds      a program is built between launches
 *   kernels     many kernels, each launched once, with a sleep before each
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/e2e/cl_common.h"

#include <unistd.h>

enum { LAUNCHES = 21, KERNELS = 21, ITEMS = 1 << 16, LOCAL = 64, BYTES = 8 << 20, TURNS = 40 };

static cl_program build(int kernels, int turns)
{
	static char source[KERNELS * 200];
	const char *text = source;
	cl_program program;
	cl_int err;

	source[0] = 0;
	for (int i = 0; i < kernels; i++)
		snprintf(source + strlen(source), 200,
			"__kernel void k%d(__global float *a) {\n"
			"	float v = a[get_global_id(0)];\n"
			"	for (int i = 0; i < %d; i++) v = v * 0.5f + 1.0f;\n"
			"	a[get_global_id(0)] = v;\n"
			"}\n", i, turns);
	program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	CHECK(err);
	CHECK(clBuildProgram(program, 1, &device, "-D PRIVATE_OPTION=1", NULL, NULL));
	return program;
}

static void launch(cl_command_queue queue, cl_program program, int number)
{
	const size_t global = ITEMS, local = LOCAL;
	char name[20];
	cl_kernel k;
	cl_int err;

	snprintf(name, sizeof name, "k%d", number);
	k = clCreateKernel(program, name, &err);
	CHECK(err);
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
	CHECK(clReleaseKernel(k));
}

int main(int argc, char **argv)
{
	const char *spoiled = argc > 1 ? argv[1] : "";
	static char data[BYTES] __attribute__((aligned(4096)));
	cl_command_queue queue;
	cl_program program;
	cl_int err;
	void *at;

	open_context();
	queue = open_queue(0);
	program = build(strcmp(spoiled, "kernels") ? 1 : KERNELS, TURNS);
	if (!strcmp(spoiled, "copies"))
		buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &err);
	else
		buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES, data, &err);
	CHECK(err);
	for (int i = 0; i < LAUNCHES; i++) {
		if (!strcmp(spoiled, "copies"))
			CHECK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, BYTES, data, 0, NULL, NULL));
		if (!strcmp(spoiled, "builds")) {
			CHECK(clFinish(queue));
			CHECK(clReleaseProgram(build(1, TURNS + i)));
		}
		if (!strcmp(spoiled, "kernels")) {
			CHECK(clFinish(queue));
			usleep(2000);
		}
		launch(queue, program, strcmp(spoiled, "kernels") ? 0 : i);
	}
	at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
	CHECK(err);
	CHECK(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL));
	CHECK(clFinish(queue));
	CHECK(clReleaseProgram(program));
	CHECK(clReleaseMemObject(buffer));
	CHECK(clReleaseCommandQueue(queue));
	puts("done");
	return 0;
}
