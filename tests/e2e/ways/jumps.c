/*
 * tests/e2e/ways/jumps.c - leaves a call in the way that its argument names, then has a library make three calls
 *
 *	jump     siglongjmp out of a signal handler, three calls, and once more
 *	jump-higher  the same, but the calls are made further up the stack: what the jump left lies below them
 *	cancel   its thread is cancelled inside the call
 *	end      its thread ends itself, in a handler, inside the call
 *	fiber    a handler goes to another stack, which lies close by, makes calls there and comes back
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "asleep.h"

void jumper_wait(cl_event event);
int jumper_ask(cl_platform_id platform, int times);

static cl_platform_id platform;
static cl_context context;
static cl_event never;
static sigjmp_buf out;
static ucontext_t waiting, other;
static char stacks[2][256 << 10] __attribute__((aligned(4096)));

static void open_all(void)
{
	cl_device_id device;
	cl_int err;

	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		exit(2);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	never = clCreateUserEvent(context, &err);
	if (err)
		exit(2);
}

static void leave_by_jump(int number) { (void)number, siglongjmp(out, 1); }
static void leave_by_end(int number) { (void)number, pthread_exit(NULL); }
static void leave_to_other(int number) { (void)number, swapcontext(&waiting, &other); }

static void jump(void)
{
	if (!sigsetjmp(out, 1)) {
		interrupted_by(leave_by_jump);
		jumper_wait(never);
	}
	printf("asked %d\n", jumper_ask(platform, 3));
}

static __attribute__((noinline)) void wait_further_down(void)
{
	volatile char room[8192];

	room[0] = 0;
	jumper_wait(never);
	room[1] = room[0];
}

static void jump_higher(void)
{
	size_t bytes;

	if (!sigsetjmp(out, 1)) {
		interrupted_by(leave_by_jump);
		wait_further_down();
	}
	for (int i = 0; i < 3; i++)
		clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &bytes);
	printf("asked 3\n");
}

static _Atomic pid_t cancelled; /* by the main thread, when it sleeps in the call */

static void *waits(void *unused)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	cancelled = (pid_t)syscall(SYS_gettid);
	jumper_wait(never);
	return unused;
}

static void *waits_for_alarm(void *unused)
{
	interrupted_by(leave_by_end);
	jumper_wait(never);
	return unused;
}

static void thread(void *(*run)(void *), int cancel)
{
	pthread_t t;

	pthread_create(&t, NULL, run, NULL);
	if (cancel) {
		while (!cancelled)
			usleep(1000);
		until_asleep(cancelled);
		pthread_cancel(t);
	}
	pthread_join(t, NULL);
	printf("asked %d\n", jumper_ask(platform, 3));
}

static void on_other_stack(void)
{
	printf("asked %d\n", jumper_ask(platform, 3));
	clSetUserEventStatus(never, CL_COMPLETE);
	swapcontext(&other, &waiting);
}

static void on_stack(void)
{
	interrupted_by(leave_to_other);
	jumper_wait(never);
	printf("waited, asked %d\n", jumper_ask(platform, 2));
}

/* stacks[0] lies below stacks[1]: the calls of either direction are looked at. */
static void fiber(int below)
{
	static ucontext_t back, first;

	getcontext(&first);
	getcontext(&other);
	first.uc_stack.ss_sp = stacks[!below];
	other.uc_stack.ss_sp = stacks[below];
	first.uc_stack.ss_size = other.uc_stack.ss_size = sizeof stacks[0];
	first.uc_link = &back;
	makecontext(&first, on_stack, 0);
	makecontext(&other, on_other_stack, 0);
	swapcontext(&back, &first);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";

	open_all();
	if (!strcmp(way, "jump"))
		jump();
	else if (!strcmp(way, "jump-higher"))
		jump_higher();
	else if (!strcmp(way, "cancel"))
		thread(waits, 1);
	else if (!strcmp(way, "end"))
		thread(waits_for_alarm, 0);
	else
		fiber(!strcmp(way, "fiber-below"));
	printf("end\n");
	fflush(stdout);
	_exit(0);                               /* a lock of the runtime's may be held for good */
}
