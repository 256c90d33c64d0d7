/*
 * tests/e2e/ways/cuda_jumps.c - leaves a CUDA call in the way that its argument names, five times, then makes another
 * one
 *
 *	jump     siglongjmp out of a signal handler that comes while the call sleeps
 *	cancel   its thread is cancelled inside the call
 *	end      its thread ends itself, in a handler, inside the call
 *	pass     nothing is left
 *
 * The stand-in's mode slow-kernels=MS makes cuCtxSynchronize wait. The driver is loaded by name.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../cuda_driver.h"
#include "asleep.h"

enum { TIMES = 5 };

static sigjmp_buf out;

static void wait_for_it(void) { F(cuCtxSynchronize, void)(); }

static void leave_by_jump(int number) { (void)number, siglongjmp(out, 1); }
static void leave_by_end(int number) { (void)number, pthread_exit(NULL); }

static void jump(void)
{
	if (sigsetjmp(out, 1))
		return;
	interrupted_by(leave_by_jump);
	wait_for_it();
}

static _Atomic pid_t waiting;   /* the thread that the main thread cancels, once it is on its way into the call */

static void *waits(void *unused)
{
	MUST(F(cuCtxSetCurrent, void *)(context));
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	waiting = (pid_t)syscall(SYS_gettid);
	wait_for_it();
	return unused;
}

static void *waits_for_alarm(void *unused)
{
	MUST(F(cuCtxSetCurrent, void *)(context));
	interrupted_by(leave_by_end);
	wait_for_it();
	return unused;
}

static void thread(void *(*run)(void *), int cancel)
{
	pthread_t t;

	waiting = 0;
	pthread_create(&t, NULL, run, NULL);
	if (cancel) {
		while (!waiting)
			usleep(1000);
		until_asleep(waiting);
		pthread_cancel(t);
	}
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	int n;

	open_driver();
	load_kernel();
	MUST(launch_kernel(NULL));
	for (volatile int i = 0; i < TIMES; i++) {
		if (!strcmp(way, "jump"))
			jump();
		else if (strcmp(way, "pass"))
			thread(!strcmp(way, "cancel") ? waits : waits_for_alarm, !strcmp(way, "cancel"));
	}
	MUST(F(cuDeviceGetCount, int *)(&n));
	printf("end %d\n", n);
	fflush(stdout);
	_exit(0);                               /* a lock of the driver's may be held for good */
}
