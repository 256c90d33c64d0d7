/*
 * tests/e2e/ways/plugin.c - plug-in linked with an OpenCL library; two calls in run()
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>

int run(void)
{
	cl_uint n = 0;
	int a = clGetPlatformIDs(0, NULL, &n), b = clGetPlatformIDs(0, NULL, NULL);

	printf("plugin: %d %u %d\n", a, n, b);
	fflush(stdout);
	return 0;
}
