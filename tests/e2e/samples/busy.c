/*
 * tests/e2e/samples/busy.c - a program whose time is known: `outer` and `thread` compute in `inner`, `pause` waits
 *
 *   busy MS [WAIT_MS]      compute MS on the first thread and half of it on another, then wait
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

__attribute__((noinline)) static void inner(double ms)
{
	double end = used() + ms;

	while (used() < end)
		for (int i = 0; i < 100000; i++)
			sink = sink + i * 0.5;
}

__attribute__((noinline)) static void outer(double ms)
{
	inner(ms);
	sink = sink + 1;
}

static void *thread(void *ms)
{
	pthread_setname_np(pthread_self(), "worker");
	inner(*(double *)ms / 2);
	sink = sink + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 100;
	struct timespec wait = { .tv_nsec = argc > 2 ? atol(argv[2]) * 1000000 : 0 };
	pthread_t other;

	pthread_create(&other, NULL, thread, &ms);
	outer(ms);
	pthread_join(other, NULL);
	nanosleep(&wait, NULL);
	return 3;
}
