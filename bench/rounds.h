/*
 * bench/rounds.h - the frame of programs that make one call many times on some threads: arguments, blocks, times
 *
 *	PROGRAM KIND [-t THREADS] [-b BLOCKS] [-n CALLS]
 *
 * The first block of each thread warms up and does not count.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_BENCH_ROUNDS_H
#define GPUTAP_BENCH_ROUNDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS_THREADS 64

struct rounds {
	long calls, blocks;
	int threads;
	void *(*begin)(void);            /* on each thread before its first block: what once() is given; or NULL */
	void (*once)(void *own, long i); /* the call that is measured, and its number in its block */
	void (*end)(void *own);          /* on each thread behind its last block; or NULL */
};

static struct rounds rounds = { .blocks = 20, .threads = 1 };
static struct {
	pthread_barrier_t start;
	double best[ROUNDS_THREADS]; /* ns for one call; each is written by its thread */
} rounds_run;

struct rounds_kind {
	const char *name;
	void (*once)(void *, long);
	long calls; /* unless -n says how many */
};

/* Which of n kinds is measured: rounds_fit says afterwards whether it is one. */
static inline void rounds_choose(const char *name, const struct rounds_kind *kinds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(name, kinds[i].name)) {
			rounds.once = kinds[i].once;
			rounds.calls = rounds.calls ? rounds.calls : kinds[i].calls;
		}
}

/* Takes the option at argv[*i] with its value, which *i then stands at; false: it is none of these three. */
static inline bool rounds_argument(char **argv, int *i)
{
	long n = argv[*i + 1] ? atol(argv[*i + 1]) : 0;

	if (!strcmp(argv[*i], "-t"))
		rounds.threads = (int)n;
	else if (!strcmp(argv[*i], "-b"))
		rounds.blocks = n;
	else if (!strcmp(argv[*i], "-n"))
		rounds.calls = n;
	else
		return false;
	*i += argv[*i + 1] != NULL;
	return true;
}

static inline bool rounds_fit(void) { return rounds.once && rounds.threads >= 1 && rounds.threads <= ROUNDS_THREADS; }

static inline uint64_t rounds_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void *rounds_work(void *arg)
{
	double *best = arg;
	void *own = rounds.begin ? rounds.begin() : NULL;
	void (*once)(void *, long) = rounds.once;

	for (long b = 0; b <= rounds.blocks; b++) {
		pthread_barrier_wait(&rounds_run.start);
		uint64_t from = rounds_now_ns();

		for (long i = 0; i < rounds.calls; i++)
			once(own, i);
		double ns = (double)(rounds_now_ns() - from) / (double)rounds.calls;

		if (b && (*best == 0 || ns < *best))
			*best = ns;
	}
	if (rounds.end)
		rounds.end(own);
	return NULL;
}

/* Nanoseconds for one call: the best block of each thread, and the mean of the threads. */
static inline double rounds_measure(void)
{
	pthread_t id[ROUNDS_THREADS];
	double sum = 0;

	pthread_barrier_init(&rounds_run.start, NULL, (unsigned)rounds.threads);
	for (int i = 1; i < rounds.threads; i++)
		pthread_create(&id[i], NULL, rounds_work, &rounds_run.best[i]);
	rounds_work(&rounds_run.best[0]);
	for (int i = 1; i < rounds.threads; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < rounds.threads; i++)
		sum += rounds_run.best[i];
	return sum / rounds.threads;
}

#endif
