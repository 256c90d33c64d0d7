/*
 * tests/e2e/ways/linked.c - linked with the OpenCL library; three calls
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
	cl_platform_id platform;
	cl_uint n = 0;
	char name[256] = "";

	printf("%d\n", clGetPlatformIDs(0, NULL, &n));
	printf("%d\n", clGetPlatformIDs(1, &platform, NULL));
	printf("%d\n", clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL));
	printf("%u %s\n", n, name);
	return 0;
}
