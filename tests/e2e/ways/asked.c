/*
 * tests/e2e/ways/asked.c - a signal handler that makes two calls each time; it comes while somebody asks a driver
 *
 * "asked marks": two marks of NVTX instead, if there is a tool that takes them; only these are told then.
 *
 * Who asks sends the signal (FAKECL_FAULTS=info-signals). The program asks three times itself; how often gputap does,
 * where it is there, only the handler sees. Prints on stdout what does not depend on that, on stderr how many calls
 * there were in all.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/nvtx_hand.h"

static volatile int handled, failed;

static void two_marks(int number)
{
	(void)number;
	if (!core[2])
		return;
	((void (*)(const char *))core[2])("one");
	((void (*)(const char *))core[2])("another");
	handled += 2;
}

static void look_for_tool(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t)) =
		library ? (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2") : NULL;

	for (int i = 0; i < 16; i++) {
		core_slots[i] = &core[i];
		core2_slots[i] = &core2[i];
	}
	if (init)
		init(table);
}

static void two_calls(int number)
{
	cl_uint n = 0;

	(void)number;
	failed += clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS || clGetPlatformIDs(0, NULL, &n) != CL_SUCCESS;
	handled += 2;
}

int main(int argc, char **argv)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_device_type type;
	cl_int err;

	(void)argv;
	(void)argv;
	if (argc > 1)
		look_for_tool();
	signal(SIGUSR1, argc > 1 ? two_marks : two_calls);
	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 2;
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);

	for (int i = 0; i < 3; i++)
		err |= clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
	err |= clReleaseCommandQueue(queue) | clReleaseContext(context);
	printf("%d, %d in the handler\n", err, failed);
	fprintf(stderr, "%d\n", (argc > 1 ? 0 : 9) + handled);
	return 0;
}
