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
#include <stdio.h>
#include <unistd.h>

#include "bench/rounds.h"

struct own { pthread_mutex_t held, lock; pthread_cond_t condition; char apart[128]; };
static int nowhere;

/* Of a thread: its locks share no cache line with another's. */
static void *begin(void)
{
	static struct own all[ROUNDS_THREADS];
	static int taken;
	struct own *o = &all[__atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED)];

	pthread_mutex_init(&o->held, NULL);
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->condition, NULL);
	pthread_mutex_lock(&o->held);
	return o;
}

static void ask(void *own, long i) { (void)i, pthread_mutex_trylock(&((struct own *)own)->held); }
static void put(void *own, long i)
{
	(void)own, (void)i;
	if (write(nowhere, "", 1) != 1)
		exit(1);
}
static void lock(void *own, long i)
{
	struct own *o = own;

	(void)i;
	pthread_mutex_lock(&o->lock);
	pthread_mutex_unlock(&o->lock);
}
static void wake(void *own, long i) { (void)i, pthread_cond_signal(&((struct own *)own)->condition); }

static const struct rounds_kind kinds[] = {
	{ "try", ask, 50000 }, { "write", put, 50000 }, { "lock", lock, 50000 }, { "condition", wake, 50000 }
};

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	rounds.begin = begin;
	for (int i = 2; i < argc; i++)
		rounds_argument(argv, &i);
	rounds_choose(kind, kinds, sizeof kinds / sizeof *kinds);
	if (!rounds_fit()) {
		fprintf(stderr, "usage: osrt_calls try|write|lock|condition [-t THREADS] [-b BLOCKS] [-n CALLS]\n");
		return 2;
	}
	nowhere = open("/dev/null", O_WRONLY);
	printf("%s ns %.3f\n", kind, rounds_measure());
	return 0;
}
