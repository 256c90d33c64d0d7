/*
 * tests/e2e/samples/leaves.c - main ends its thread at once; another one computes and ends the process with status 3
 *
 *   leaves MS      of processor time
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static double ms;
static volatile double sink;

static void *stays(void *unused)
{
	struct timespec t;

	(void)unused;
	pthread_setname_np(pthread_self(), "stays");
	do {
		for (int i = 0; i < 10000; i++)
			sink = sink + i * 0.5;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 < ms);
	exit(3);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	ms = argc > 1 ? atof(argv[1]) : 100;
	if (pthread_create(&thread, NULL, stays, NULL))
		return 1;
	pthread_exit(NULL);
}
