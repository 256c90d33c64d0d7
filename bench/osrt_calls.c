/*
 * bench/osrt_calls.c - calls of the C library many times, for what recording them costs (bench/README.md)
 *
 * Usage     osrt_calls KIND [-t THREADS] [-b BLOCKS] [-n CALLS]
 * KIND try: a lock that is held, asked for without waiting: a call without a system call; write: one byte to
 * /dev/null; lock: a lock that is free, taken and given back; condition: a signal that nobody waits for
 * Prints KIND ns N: nanoseconds for one call (lock: for the pair) of the best block, mean of the threads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct own { pthread_mutex_t held, lock; pthread_cond_t condition; char apart[128]; };
static struct own all[THREADS_MAX];
static const char *kind;
static long calls = 50000, blocks = 20;
static int threads = 1, nowhere;
static pthread_barrier_t start;

static void ask(struct own *o) { pthread_mutex_trylock(&o->held); }
static void put(struct own *o)
{
	(void)o;
	if (write(nowhere, "", 1) != 1)
		exit(1);
}
static void lock(struct own *o)
{
	pthread_mutex_lock(&o->lock);
	pthread_mutex_unlock(&o->lock);
}
static void wake(struct own *o) { pthread_cond_signal(&o->condition); }

static const struct { const char *name; void (*once)(struct own *); } kinds[] = {
	{ "try", ask }, { "write", put }, { "lock", lock }, { "condition", wake }
};
static void (*once)(struct own *);

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double best[THREADS_MAX];

static void *work(void *arg)
{
	struct own *o = arg;
	double *mine = &best[o - all];

	pthread_mutex_init(&o->held, NULL);
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->condition, NULL);
	pthread_mutex_lock(&o->held);
	for (long b = 0; b <= blocks; b++) {
		pthread_barrier_wait(&start);
		uint64_t from = now_ns();

		for (long i = 0; i < calls; i++)
			once(o);
		double ns = (double)(now_ns() - from) / (double)calls;

		if (b && (*mine == 0 || ns < *mine))
			*mine = ns;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[THREADS_MAX];
	double sum = 0;

	kind = argc > 1 ? argv[1] : "";
	for (int i = 2; i + 1 < argc; i += 2) {
		long n = atol(argv[i + 1]);

		if (!strcmp(argv[i], "-t"))
			threads = (int)n;
		else if (!strcmp(argv[i], "-b"))
			blocks = n;
		else if (!strcmp(argv[i], "-n"))
			calls = n;
	}
	for (unsigned i = 0; i < COUNT(kinds); i++)
		if (!strcmp(kind, kinds[i].name))
			once = kinds[i].once;
	if (!once || threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: osrt_calls try|write|lock|condition [-t THREADS] [-b BLOCKS] [-n CALLS]\n");
		return 2;
	}
	nowhere = open("/dev/null", O_WRONLY);
	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++)
		pthread_create(&id[i], NULL, work, &all[i]);
	work(&all[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < threads; i++)
		sum += best[i];
	printf("%s ns %.3f\n", kind, sum / threads);
	return 0;
}
