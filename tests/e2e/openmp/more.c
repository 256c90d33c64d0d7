/*
 * tests/e2e/openmp/more.c - what the first program has not: combined and nested regions, loops of unsigned iterations,
 * task loops, tasks with large arguments, copied private data, named critical regions, nested locks, reductions
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

struct large { char text[3000]; };

static long sums(void)
{
	long a = 0, b = 0, c = 0, d = 0;

#pragma omp parallel for schedule(dynamic, 10) reduction(+ : a)
	for (int i = 0; i < 100; i++)
		a += i;
#pragma omp parallel for schedule(guided) reduction(+ : b)
	for (int i = 99; i >= 0; i -= 3)
		b += i;
#pragma omp parallel for schedule(runtime) reduction(+ : c)
	for (int i = 0; i < 50; i++)
		c += i;
#pragma omp parallel
#pragma omp for schedule(dynamic, 7) reduction(+ : d)
	for (unsigned long long i = 0xfffffffffffffff0ull; i < 0xfffffffffffffffeull; i += 2)
		d += (long)(i & 15);
	return a * 1000000 + b * 10000 + c + d;
}

static long tasks(void)
{
	struct large large;
	long length = 0, loop = 0, ran = 0, early = 0;

	memset(&large, 'x', sizeof large);
	large.text[2999] = 0;
#pragma omp parallel
#pragma omp single
	{
#pragma omp task firstprivate(large) shared(length)
		length += (long)strlen(large.text);
#pragma omp taskwait
#pragma omp task if (0) shared(early)
		early = 5;
#pragma omp taskloop num_tasks(4) shared(loop)
		for (int i = 0; i < 20; i++) {
#pragma omp atomic
			loop += i;
		}
#pragma omp taskloop num_tasks(3) shared(loop)
		for (unsigned long long i = 0; i < 9; i++) {
#pragma omp atomic
			loop += (long)i;
		}
		for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : ran)
			ran = ran * 10 + i + 1;
		}
	}
	return length * 1000000 + loop * 1000 + ran + early;
}

static long copied(void)
{
	long value = 0, sum = 0;

#pragma omp parallel firstprivate(value)
	{
#pragma omp single copyprivate(value)
		value = 21;
#pragma omp critical(named)
		sum += value;
	}
	return sum;
}

static int nested(void)
{
	omp_nest_lock_t lock;
	int depth = 0, regions = 0;

	omp_init_nest_lock(&lock);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		{
			omp_set_nest_lock(&lock);
			omp_set_nest_lock(&lock);
			regions++;
			omp_unset_nest_lock(&lock);
			omp_unset_nest_lock(&lock);
		}
	}
	depth = omp_test_nest_lock(&lock);
	omp_unset_nest_lock(&lock);
	omp_destroy_nest_lock(&lock);
	return regions * 10 + depth;
}

int more(void);
int more(void)
{
	omp_set_dynamic(0);
	omp_set_num_threads(2);
	printf("%ld %ld %ld %d\n", sums(), tasks(), copied(), nested());
	return 0;
}

#ifndef PLUGIN
int main(void) { return more(); }
#endif
