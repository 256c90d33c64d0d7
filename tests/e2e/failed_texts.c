/*
 * tests/e2e/failed_texts.c - calls that fail, with texts that say why, and with texts that lie nowhere
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

#include <stdint.h>
#include <sys/mman.h>

int main(void)
{
	static char longer[3000];
	const char *source = "kernel void right(global int *p) { p[0] = N; }", *nowhere = (const char *)(uintptr_t)16;
	size_t page = 4096;
	char *edge;
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_program program;
	cl_int e;

	clGetPlatformIDs(1, &platform, NULL);
	clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
	program = clCreateProgramWithSource(context, 1, &source, NULL, &e);
	printf("%d\n", clBuildProgram(program, 1, &device, "-DN=missing", NULL, NULL));
	printf("%d\n", clBuildProgram(program, 1, &device, "-DN=1", NULL, NULL));
	memset(longer, 'x', sizeof longer - 1);
	clCreateKernel(program, "rihgt", &e), printf("%d\n", e);
	clCreateKernel(NULL, longer, &e), printf("%d\n", e);
	clCreateKernel(NULL, nowhere, &e), printf("%d\n", e);
	/* it begins in a page that is there, and does not end in it; the last one ends where the page does */
	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(edge + page, page);
	memset(edge + page - 5, 'y', 5);
	clCreateKernel(NULL, edge + page - 5, &e), printf("%d\n", e);
	edge[page - 1] = 0;
	clCreateKernel(NULL, edge + page - 5, &e), printf("%d\n", e);
	printf("%d\n", clBuildProgram(NULL, 1, &device, nowhere, NULL, NULL));
	return 0;
}
