/*
 * tests/fault/lib/counting.c - another tool in the process: counts calls of two OpenCL functions and says so at the end
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

static unsigned retains, finishes;

cl_int clRetainKernel(cl_kernel k)
{
	cl_int (*real)(cl_kernel) = (cl_int (*)(cl_kernel))dlsym(RTLD_NEXT, "clRetainKernel");

	retains++;
	return real(k);
}

cl_int clFinish(cl_command_queue q)
{
	cl_int (*real)(cl_command_queue) = (cl_int (*)(cl_command_queue))dlsym(RTLD_NEXT, "clFinish");

	finishes++;
	return real(q);
}

__attribute__((destructor)) static void end(void) { fprintf(stderr, "counted %u %u\n", retains, finishes); }
