/*
 * tests/e2e/ways/unload.c - closes the OpenCL library with commands behind it: unload done|blocked|again|twice|flushed
 *
 * done: the last command is complete and was never waited for. blocked: it waits for a user event for ever. again: as
 * blocked, and the library is opened and used once more. twice: it was opened twice, so the first dlclose unloads
 * nothing. flushed: the last command is complete, and nobody has asked for it, where the runtime completes a blocking
 * write behind its call. left: likewise, and nothing is closed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *library;

#define CL(name) ((__typeof__(&name))dlsym(library, #name))

static cl_context context;
static cl_command_queue queue;
static cl_mem buffer;
static cl_int word = 1;

static void setup(void)
{
	cl_platform_id platform;
	cl_device_id device;

	library = dlopen("libOpenCL.so.1", RTLD_NOW);
	CL(clGetPlatformIDs)(1, &platform, NULL);
	CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
	context = CL(clCreateContext)(NULL, 1, &device, NULL, NULL, NULL);
	queue = CL(clCreateCommandQueue)(context, device, 0, NULL);
	buffer = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
}

/* A first write, waited for, shows when the second one, behind it in the same queue, is complete. */
static void write_and_flush(cl_event gate)
{
	cl_int status = CL_QUEUED;
	cl_event event;

	CL(clEnqueueWriteBuffer)
	(queue, buffer, CL_FALSE, 0, sizeof word, &word, gate != NULL, gate ? &gate : NULL, &event);
	CL(clFlush)(queue);
	while (!gate && status != CL_COMPLETE) {
		usleep(1000);
		CL(clGetEventInfo)(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	}
}

static void blocked(void)
{
	setup();
	write_and_flush(CL(clCreateUserEvent)(context, NULL));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "done")) {
		setup();
		write_and_flush(NULL);
		CL(clReleaseMemObject)(buffer);
		CL(clReleaseCommandQueue)(queue);
		CL(clReleaseContext)(context);
	} else if (!strcmp(how, "twice")) {
		dlopen("libOpenCL.so.1", RTLD_NOW);
		setup();
		printf("first close: %d\n", dlclose(library));
		write_and_flush(NULL);
	} else if (!strcmp(how, "flushed") || !strcmp(how, "left")) {
		setup();
		CL(clEnqueueWriteBuffer)(queue, buffer, CL_TRUE, 0, sizeof word, &word, 0, NULL, NULL);
		usleep(50000);
		if (!strcmp(how, "left"))
			return 0;
	} else {
		blocked();
	}
	printf("close: %d\n", dlclose(library));
	if (!strcmp(how, "again")) {
		setup();
		write_and_flush(NULL);
		printf("finish: %d\n", CL(clFinish)(queue));
	}
	return 0;
}
