/*
 * tests/long/unwind/main.c - main N [PLUGIN]: walks at random through functions of many kinds, down to N API calls
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "wander.h"

int clGetPlatformIDs(unsigned n, void **none, unsigned *nothing);

static int (*functions[1024])(int);
static unsigned n_functions;
static unsigned long state = 88172645463325252ul;
static long calls, wanted;

unsigned wander_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 11);
}

void wander_add(int (*function)(int))
{
	if (n_functions < sizeof functions / sizeof *functions)
		functions[n_functions++] = function;
}

int wander(int depth)
{
	static volatile int sink;

	if (depth <= 0) {
		if (calls < wanted) {
			calls++;
			clGetPlatformIDs((unsigned)calls, NULL, NULL);
		}
		return sink;
	}
	return functions[wander_random() % n_functions](depth) + sink;
}

static void *walk(void *unused)
{
	for (long end = calls + 50; calls < end && calls < wanted;)
		wander((int)(wander_random() % 14) + 1);
	return unused;
}

int main(int argc, char **argv)
{
	wanted = argc > 1 ? atol(argv[1]) : 10;
	if (argc > 2 && !dlopen(argv[2], RTLD_NOW)) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	while (calls < wanted) {
		pthread_t thread;

		walk(NULL);
		pthread_create(&thread, NULL, walk, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
