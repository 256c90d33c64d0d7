/*
 * tests/e2e/ways/pending.c - a dlerror message waits while OpenCL is called
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	cl_uint n = 0;

	dlopen("libnothing-of-the-kind.so", RTLD_NOW);
	clGetPlatformIDs(0, NULL, &n);
	const char *error = dlerror();

	printf("%s\n", error ? error : "the message is gone");
	error = dlerror();
	printf("%s\n", error ? error : "no message");
	return n == 0;
}
