/*
 * tests/cli/no_memory.c - preloaded into the tool: its FAIL_AT-th request for memory gets none, nor does any later one
 *
 * With FAIL_ONCE later ones do. Without FAIL_AT the number of requests is written to descriptor 9 at the end; with
 * CHAINS the number of each request that is the first from its chain of callers instead.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t n, size_t bytes),
	*__libc_realloc(void *at, size_t bytes);

static long asked, fails_at;
static int once, chains;

enum { MAX = 1 << 14 };

static long firsts[MAX];
static int n_firsts;

__attribute__((constructor)) static void begin(void)
{
	fails_at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
	once = getenv("FAIL_ONCE") && *getenv("FAIL_ONCE");
	backtrace(&(void *){ NULL }, 1);        /* asks for memory the first time, and cannot be asked meanwhile */
	chains = getenv("CHAINS") != NULL;
	asked = 0;
}

__attribute__((destructor)) static void end(void)
{
	if (!fails_at && !n_firsts)
		dprintf(9, "%ld\n", asked);
	for (int i = 0; i < n_firsts; i++)
		dprintf(9, "%ld\n", firsts[i]);
}

/* Is this chain of callers a new one? On one thread. */
static int is_new(void)
{
	static uint64_t seen[MAX];
	static __thread int inside;
	void *callers[12];
	uint64_t sum = 1;
	int n;

	if (inside)
		return 0;
	inside = 1;
	n = backtrace(callers, 12);
	inside = 0;
	for (int i = 0; i < n; i++)
		sum = (sum ^ (uintptr_t)callers[i]) * 0x9e3779b97f4a7c15;
	for (uint64_t i = sum >> 50;; i = (i + 1) % MAX)
		if (seen[i] == sum)
			return 0;
		else if (!seen[i])
			return seen[i] = sum, 1;
}

static int fails(void)
{
	long n = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);

	if (chains && is_new() && n_firsts < MAX)
		firsts[n_firsts++] = n;         /* told at the end: printing asks for memory */
	if (!fails_at || n < fails_at || (once && n > fails_at))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return fails() ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *at, size_t bytes) { return fails() ? NULL : __libc_realloc(at, bytes); }
