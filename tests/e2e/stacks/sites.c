/*
 * tests/e2e/stacks/sites.c - API calls from everywhere; each line that makes one says in its comment who is on the
 * stack
 *
 * Built in many ways by tests/e2e/stack_sites.sh. The call's first argument is its line.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites.h"

#define NOINLINE __attribute__((noinline))

static volatile int sink;

static NOINLINE void leaf(void)
{
	CALL; /* stack: leaf < middle < main */
	sink++;
}

static NOINLINE void middle(void)
{
	leaf();
	sink++;
}

static inline __attribute__((always_inline)) void inner(void)
{
	CALL; /* stack: inner~ < outer < main */
	sink++;
}

static NOINLINE void outer(void)
{
	inner();
	sink++;
}

static NOINLINE void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		CALL; /* stack: deep < deep < deep < deep */
	sink++;
}

static void handler(int sig)
{
	(void)sig;
	CALL; /* stack: handler < ? < * < interrupted < main */
	sink++;
}

static NOINLINE void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

static int compare(const void *a, const void *b)
{
	if (!sink++)
		CALL; /* stack: compare < * < sorted < main */
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void sorted(void)
{
	int v[3] = { 3, 2, 1 };

	sink = 0;
	qsort(v, 3, sizeof *v, compare);
	sink += v[0];
}

static void *on_thread(void *arg)
{
	CALL; /* stack: on_thread < * */
	return arg;
}

static NOINLINE void with_room(int n)
{
	char room[n] __attribute__((aligned(64)));

	memset(room, 0, (size_t)n);
	CALL; /* stack: with_room < main */
	sink += room[n / 2];
}

int main(int argc, char **argv)
{
	void (*in_plugin)(void);
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	pthread_t t;

	signal(SIGUSR1, handler);
	middle();
	outer();
	deep(40);
	interrupted();
	sorted();
	with_room(argc * 100);
	pthread_create(&t, NULL, on_thread, NULL);
	pthread_join(t, NULL);
	if (plugin && (*(void **)&in_plugin = dlsym(plugin, "in_plugin")))
		in_plugin();
	in_archive();
	CALL; /* stack: main */
	return 0;
}
