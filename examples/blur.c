/*
 * examples/blur.c - a small real OpenCL program to try gputap on
 *
 * Blurs a picture some times with two kernels on one queue, copies it in and out, and checks the result against the
 * host. It knows nothing of gputap and does not ask for profiling.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 512, HEIGHT = 384, PASSES = 20 };

static const char source[] =
	"__kernel void blur_rows(__global const float *in, __global float *out, int w) {\n"
	"	size_t x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
	"	out[i] = x && x + 1 < w ? (in[i - 1] + in[i] + in[i + 1]) / 3 : in[i];\n"
	"}\n"
	"__kernel void blur_columns(__global const float *in, __global float *out, int w, int h) {\n"
	"	size_t x = get_global_id(0), y = get_global_id(1), i = y * w + x;\n"
	"	out[i] = y && y + 1 < h ? (in[i - w] + in[i] + in[i + w]) / 3 : in[i];\n"
	"}\n";

static void check(cl_int err, const char *what)
{
	if (err == CL_SUCCESS)
		return;
	fprintf(stderr, "blur: %s: error %d\n", what, err);
	exit(1);
}

static void blur_host(float *a, float *b)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			int i = y * WIDTH + x;

			b[i] = x && x + 1 < WIDTH ? (a[i - 1] + a[i] + a[i + 1]) / 3 : a[i];
		}
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			int i = y * WIDTH + x;

			a[i] = y && y + 1 < HEIGHT ? (b[i - WIDTH] + b[i] + b[i + WIDTH]) / 3 : b[i];
		}
}

int main(void)
{
	static float picture[WIDTH * HEIGHT], result[WIDTH * HEIGHT], other[WIDTH * HEIGHT];
	const size_t bytes = sizeof picture, global[2] = { WIDTH, HEIGHT }, local[2] = { 16, 8 };
	const cl_int w = WIDTH, h = HEIGHT;
	const char *text = source;
	cl_platform_id platform;
	cl_device_id device;
	cl_int err;
	char name[128];
	static char log[4096];
	double worst = 0;

	check(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no OpenCL device");
	check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "device name");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	check(err, "context");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
	check(err, "queue");
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
	check(err, "program");
	err = clBuildProgram(program, 1, &device, "-cl-fast-relaxed-math", NULL, NULL);
	if (err == CL_BUILD_PROGRAM_FAILURE &&
		!clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL))
		fputs(log, stderr);
	check(err, "build");
	cl_kernel rows = clCreateKernel(program, "blur_rows", &err),
		  columns = clCreateKernel(program, "blur_columns", &err);
	check(err, "kernel");
	cl_mem a = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err),
	       b = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &err);
	check(err, "buffer");

	for (int i = 0; i < WIDTH * HEIGHT; i++)
		picture[i] = (float)((i * 7919) % 256);
	check(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, bytes, picture, 0, NULL, NULL), "write");
	clSetKernelArg(rows, 0, sizeof a, &a);
	clSetKernelArg(rows, 1, sizeof b, &b);
	clSetKernelArg(rows, 2, sizeof w, &w);
	clSetKernelArg(columns, 0, sizeof b, &b);
	clSetKernelArg(columns, 1, sizeof a, &a);
	clSetKernelArg(columns, 2, sizeof w, &w);
	clSetKernelArg(columns, 3, sizeof h, &h);
	for (int i = 0; i < PASSES; i++) {
		check(clEnqueueNDRangeKernel(queue, rows, 2, NULL, global, local, 0, NULL, NULL), "blur_rows");
		check(clEnqueueNDRangeKernel(queue, columns, 2, NULL, global, local, 0, NULL, NULL), "blur_columns");
	}
	check(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, bytes, result, 0, NULL, NULL), "read");

	for (int i = 0; i < PASSES; i++)
		blur_host(picture, other);
	for (int i = 0; i < WIDTH * HEIGHT; i++)
		if (fabs(picture[i] - result[i]) > worst)
			worst = fabs(picture[i] - result[i]);
	printf("%s: %d passes over %dx%d, largest difference %s\n", name, PASSES, WIDTH, HEIGHT,
		worst < 1e-2 ? "under 0.01" : "TOO LARGE");
	clReleaseMemObject(a);
	clReleaseMemObject(b);
	clReleaseKernel(rows);
	clReleaseKernel(columns);
	clReleaseProgram(program);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return worst < 1e-2 ? 0 : 1;
}
