/*
 * tests/e2e/samples/wake.c - two threads on one processor; one of them waits for the other some times
 *
 *   wake MS N      both compute MS; then the thread `sleeper` is woken N times by a pipe. Prints the waker's number
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int channel[2];
static double ms;
static volatile double sink;

static void compute(void)
{
	struct timespec t;

	do {
		for (int i = 0; i < 10000; i++)
			sink = sink + i * 0.5;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while ((double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 < ms);
}

static void *sleeper(void *unused)
{
	char byte;

	pthread_setname_np(pthread_self(), "sleeper");
	compute();
	while (read(channel[0], &byte, 1) == 1)
		;
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 10;
	pthread_t thread;
	cpu_set_t one;

	ms = argc > 1 ? atof(argv[1]) : 100;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	if (pipe(channel))
		return 1;
	pthread_create(&thread, NULL, sleeper, NULL);
	compute();
	usleep((useconds_t)(ms * 1000));
	for (int i = 0; i < n; i++) {
		usleep(5000);
		if (write(channel[1], "", 1) != 1)
			return 1;
	}
	close(channel[1]);
	pthread_join(thread, NULL);
	printf("%d\n", (int)getpid());
	return 0;
}
