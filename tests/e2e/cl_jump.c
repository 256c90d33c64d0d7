/*
 * tests/e2e/cl_jump.c - leaves a call by siglongjmp, then makes calls where what the call left on the stack is still as
 * it was
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "cl_common.h"

static sigjmp_buf out;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(out, 1);
}

/* A large frame that writes nothing to its variable: the jump's leavings lie inside. */
static __attribute__((noinline)) void ask(void)
{
	volatile char room[65536];
	cl_uint units;

	room[0] = 0;
	for (int i = 0; i < 3; i++)
		CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
	printf("asked %d\n", room[0]);
}

int main(void)
{
	cl_int err;
	cl_event never;

	open_context();
	never = clCreateUserEvent(context, &err);
	CHECK(err);
	signal(SIGALRM, leave);
	if (!sigsetjmp(out, 1)) {
		ualarm(50000, 0);
		clWaitForEvents(1, &never);
	}
	ask();
	printf("left\n");
	fflush(stdout);
	_exit(0);                       /* the event's lock may be held for good */
}
