/*
 * tests/e2e/ways/early.c - a library that calls OpenCL from its constructor and from its destructor; two calls each
 *
 * Built three times: with `destructor` as a function of the library's .fini_array; as a handler that its constructor
 * registers, as objects with static storage do in C++ (AT_EXIT); and without calls in the constructor (FIRST_IN_MAIN),
 * so that our exit handler is registered later than the end of the libraries, and runs before it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void count(const char *when)
{
	cl_platform_id platform = NULL;
	cl_uint n = 0;
	cl_int first = clGetPlatformIDs(0, NULL, &n), second = clGetPlatformIDs(1, &platform, NULL);

	printf("%s: %d %d %u\n", when, first, second, n);
	fflush(stdout);
}

#ifndef AT_EXIT
__attribute__((destructor))
#endif
static void destructor(void)
{
	count("destructor");
}

__attribute__((constructor)) static void constructor(void)
{
#ifndef FIRST_IN_MAIN
	count("constructor");
#endif
#ifdef AT_EXIT
	atexit(destructor);
#endif
}

void early_work(void);
void early_work(void)
{
	count("work");
}
