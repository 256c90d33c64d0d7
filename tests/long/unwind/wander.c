/*
 * tests/long/unwind/wander.c - functions of many kinds that call each other at random, and somewhere below the API
 *
 * Compiled several times, each with other options and another VARIANT. Who calls whom is decided by a generator of
 * random numbers, so a run is the same each time.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "wander.h"

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define F(name) JOIN(VARIANT, name)
#define FUNCTION __attribute__((noinline)) static int

static volatile int sink;

FUNCTION F(plain)(int n) { return wander(n - 1) + 1; }

static inline __attribute__((always_inline)) int inlined(int n) { return wander(n - 1) + sink; }
FUNCTION F(inlines)(int n) { return inlined(n) + inlined(n - 8); }

FUNCTION F(many_registers)(int n)
{
	long a = n * 3, b = n ^ 5, c = n + 7, d = n * n, e = n - 9, f = n << 2;

	n = wander(n - 1);
	return n + (int)(a * b + c * d + e * f + sink);
}

FUNCTION F(large)(int n)
{
	char room[9000];

	memset(room, n, sizeof room);
	n = wander(n - 1);
	return n + room[sink & 4095];
}

FUNCTION F(sized_at_run_time)(int n)
{
	char *room = __builtin_alloca((size_t)(wander_random() % 300 + 1));

	room[0] = (char)n;
	n = wander(n - 1);
	return n + room[0];
}

FUNCTION F(aligned)(int n)
{
	volatile char room[128] __attribute__((aligned(64)));

	room[n & 127] = 1;
	return wander(n - 1) + room[n & 127];
}

FUNCTION F(aligned_at_run_time)(int n)
{
	volatile char room[wander_random() % 100 + 64] __attribute__((aligned(64)));

	room[5] = 1;
	return wander(n - 1) + room[5];
}

FUNCTION F(variadic)(int n, ...)
{
	va_list list;

	va_start(list, n);
	n = wander(va_arg(list, int)) + n;
	va_end(list);
	return n;
}
FUNCTION F(calls_variadic)(int n) { return F(variadic)(n, n - 1, 2.5, "three"); }

FUNCTION F(recursion)(int n, int times) { return times ? F(recursion)(n, times - 1) + 1 : wander(n - 1) + 1; }
FUNCTION F(recursive)(int n) { return F(recursion)(n, (int)(wander_random() % 12)) + 1; }

FUNCTION F(tail)(int n) { return wander(n - 1); }
FUNCTION F(calls_tail)(int n) { return F(tail)(n) + 1; }

FUNCTION F(floats)(int n)
{
	double a = n * 1.5, b = n / 3.0;

	n = wander(n - 1);
	return n + (int)(a * b) + sink;
}

static int F(depth);
static int F(compare)(const void *a, const void *b)
{
	int n = F(depth);

	if (n > 0) {
		F(depth) = 0;
		wander(n - 1);
	}
	return *(const int *)a - *(const int *)b;
}
FUNCTION F(through_the_library)(int n)
{
	int v[3] = { 3, 1, 2 };

	F(depth) = n;
	qsort(v, 3, sizeof *v, F(compare));
	return v[0];
}

static void F(handler)(int signal)
{
	int n = F(depth);

	F(depth) = 0;
	if (signal && n > 0)
		wander(n - 1);
}
FUNCTION F(interrupted)(int n)
{
	struct sigaction act = { .sa_handler = F(handler), .sa_flags = SA_NODEFER }, old;

	sigaction(SIGUSR1, &act, &old);
	F(depth) = n;
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old, NULL);
	return sink;
}

FUNCTION F(jumps)(int n)
{
	jmp_buf back;

	if (setjmp(back))
		return sink;
	n = wander(n - 1);
	if (n > -1000000)
		longjmp(back, 1);
	return n;
}

__attribute__((constructor)) static void F(add_all)(void)
{
	static int (*const all[])(int) = { F(plain), F(inlines), F(many_registers), F(large), F(sized_at_run_time),
		F(aligned), F(aligned_at_run_time), F(calls_variadic), F(recursive), F(calls_tail), F(floats),
		F(through_the_library), F(interrupted), F(jumps) };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		wander_add(all[i]);
}
