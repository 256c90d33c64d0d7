/*
 * tests/e2e/ways/fakeloader.c - a loader of its own: seven platforms, OpenCL 1.0 names only, no
 * clSetContextDestructorCallback
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *ids, cl_uint *n)
{
	(void)room, (void)ids;
	if (n)
		*n = 7;
	return n || ids ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *to, size_t *bytes)
{
	(void)platform, (void)what, (void)room, (void)to, (void)bytes;
	return CL_INVALID_PLATFORM;
}
