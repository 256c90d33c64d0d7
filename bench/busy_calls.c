/*
 * bench/busy_calls.c - a thread that computes, and two that take turns, for what samples and context switches cost
 *
 * Usage     busy_calls KIND
 * KIND compute: a loop of fixed length, 300 times; turn: a byte from one thread to another and back through pipes, on
 * one processor, in blocks
 * Prints KIND ns N: nanoseconds for one loop, or for there and back: mean of the blocks within a tenth of the fastest.
 * Others were shared with another program; a sample or two fit in
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOPS = 300, LOOP = 4000000, TURN_BLOCKS = 100, TURNS = 200 };

static double ns[LOOPS];
static int there[2], back[2];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double undisturbed(size_t n)
{
	double least = ns[0], sum = 0, kept = 0;

	for (size_t i = 1; i < n; i++)
		least = ns[i] < least ? ns[i] : least;
	for (size_t i = 0; i < n; i++)
		if (ns[i] < 1.1 * least) {
			sum += ns[i];
			kept++;
		}
	return sum / kept;
}

static double compute(void)
{
	static volatile uint64_t sink;

	for (int i = 0; i < LOOPS; i++) {
		double begin = now_ns();

		for (int k = 0; k < LOOP; k++)
			sink += (uint64_t)k;
		ns[i] = now_ns() - begin;
	}
	return undisturbed(LOOPS);
}

static void *answer(void *unused)
{
	char c;

	while (read(there[0], &c, 1) == 1)
		if (write(back[1], &c, 1) != 1)
			exit(1);
	return unused;
}

static double turn(void)
{
	pthread_t other;
	cpu_set_t one;
	char c = 0;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (sched_setaffinity(0, sizeof one, &one) || pipe(there) || pipe(back) ||
		pthread_create(&other, NULL, answer, NULL))
		exit(1);
	for (int i = 0; i < TURN_BLOCKS; i++) {
		double begin = now_ns();

		for (int k = 0; k < TURNS; k++)
			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				exit(1);
		ns[i] = (now_ns() - begin) / TURNS;
	}
	close(there[1]);
	pthread_join(other, NULL);
	return undisturbed(TURN_BLOCKS);
}

int main(int argc, char **argv)
{
	if (argc != 2 || (strcmp(argv[1], "compute") && strcmp(argv[1], "turn")))
		return 2;
	printf("%s ns %.3f\n", argv[1], strcmp(argv[1], "turn") ? compute() : turn());
	return 0;
}
