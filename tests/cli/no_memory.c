/*
 * tests/cli/no_memory.c - preloaded into the tool: its FAIL_AT-th request for memory gets none, nor does any later one
 *
 * Without FAIL_AT the number of requests is written to descriptor 9 at the end.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes), *__libc_calloc(size_t n, size_t bytes),
	*__libc_realloc(void *at, size_t bytes);

static long asked, fails_at;

__attribute__((constructor)) static void begin(void)
{
	fails_at = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
	asked = 0;
}

__attribute__((destructor)) static void end(void)
{
	if (!fails_at)
		dprintf(9, "%ld\n", asked);
}

static int fails(void)
{
	long n = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);

	if (!fails_at || n < fails_at)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void *calloc(size_t n, size_t bytes) { return fails() ? NULL : __libc_calloc(n, bytes); }
void *realloc(void *at, size_t bytes) { return fails() ? NULL : __libc_realloc(at, bytes); }
