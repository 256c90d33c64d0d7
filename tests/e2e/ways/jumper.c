/*
 * tests/e2e/ways/jumper.c - a library of the program's, no part of OpenCL: it makes all calls that matter to jumps.c
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stddef.h>

void jumper_wait(cl_event event);
int jumper_ask(cl_platform_id platform, int times);

void jumper_wait(cl_event event)
{
	clWaitForEvents(1, &event);
}

/* A large frame that writes nothing to its variable: what a jump left stays as it was inside it. */
__attribute__((noinline)) int jumper_ask(cl_platform_id platform, int times)
{
	volatile char room[65536];
	size_t bytes = 0;

	room[0] = 0;
	for (int i = 0; i < times; i++)
		clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &bytes);
	return bytes ? times : room[0];
}
