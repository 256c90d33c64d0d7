/*
 * tests/e2e/ways/opener.c - opens an OpenCL library and looks functions up: opener HOW FILE..., HOW of s(ym) v(ersion)
 * n(ew namespace)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef cl_int get_platforms(cl_uint, cl_platform_id *, cl_uint *);

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		void *lib = strchr(argv[1], 'n') ? dlmopen(LM_ID_NEWLM, argv[i], RTLD_NOW) : dlopen(argv[i], RTLD_NOW);

		if (!lib)
			return puts(dlerror()), 1;
		get_platforms *get = strchr(argv[1], 'v')
			? (get_platforms *)dlvsym(lib, "clGetPlatformIDs", "OPENCL_1.0")
			: (get_platforms *)dlsym(lib, "clGetPlatformIDs");
		cl_uint n = 0;

		if (!get)
			return puts(dlerror()), 1;
		int a = get(0, NULL, &n), b = get(0, NULL, NULL);

		printf("opener: %d %u %d\n", a, n, b);
	}
	return 0;
}
