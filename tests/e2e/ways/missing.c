/*
 * tests/e2e/ways/missing.c - what the library lacks stays missing, and dlerror says what it says without the tool
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>

#pragma weak clSetContextDestructorCallback
extern cl_int clSetContextDestructorCallback(cl_context, void (*)(cl_context, void *), void *);

static void ask(const char *what, void *handle, const char *name)
{
	dlerror();
	void *found = dlsym(handle, name);
	const char *error = dlerror();

	printf("%s %s: %s, %s\n", what, name, found ? "found" : "missing", error ? "error" : "no error");
}

static void message(void)
{
	const char *error = dlerror();

	puts(error ? error : "no error");
}

int main(int argc, char **argv)
{
	void *lib = dlopen(argc > 1 ? argv[1] : "libOpenCL.so.1", RTLD_NOW);

	if (!lib)
		return puts(dlerror()), 1;
	ask("handle", lib, "clGetPlatformIDs");
	ask("handle", lib, "clSetContextDestructorCallback");
	ask("handle", lib, "clCreateSubDevicesEXT");
	ask("handle", lib, "clNoSuchFunction");
	ask("default", RTLD_DEFAULT, "clGetPlatformIDs");
	ask("default", RTLD_DEFAULT, "clSetContextDestructorCallback");
	ask("next", RTLD_NEXT, "clGetPlatformIDs");
	ask("program", dlopen(NULL, RTLD_NOW), "clGetPlatformIDs");
	dlsym(lib, "clNoSuchFunction");
	message();
	dlvsym(lib, "clGetPlatformIDs", "OPENCL_9.9");
	message();
	printf("weak: %s\n", clSetContextDestructorCallback ? "there" : "missing");
	return 0;
}
