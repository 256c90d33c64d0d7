/*
 * bench/stack_calls.c - how long an API call takes below so many functions: with call stacks and without
 *
 *	stack_calls DEPTH [BLOCKS [CALLS]]
 *
 * Prints "stack ns NUMBER": the best of BLOCKS blocks of CALLS calls (clRetainMemObject), in nanoseconds per call.
 * Built twice: with unwind tables and without frame pointers, and the other way round.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static cl_mem object;
static long blocks = 20, calls = 2000;
static volatile int sink;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static __attribute__((noinline)) double measure(void)
{
	double best = 1e18;

	for (long b = 0; b < blocks; b++) {
		double start = now_ns();

		for (long i = 0; i < calls; i++)
			clRetainMemObject(object);
		start = (now_ns() - start) / (double)calls;
		best = start < best ? start : best;
	}
	return best;
}

static __attribute__((noinline)) double below(int depth)
{
	double ns = depth > 0 ? below(depth - 1) : measure();

	sink++;
	return ns;
}

int main(int argc, char **argv)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;

	blocks = argc > 2 ? atol(argv[2]) : blocks;
	calls = argc > 3 ? atol(argv[3]) : calls;
	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 3;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	object = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
	if (!object)
		return 3;
	printf("stack ns %.2f\n", below(argc > 1 ? atoi(argv[1]) : 10));
	return 0;
}
