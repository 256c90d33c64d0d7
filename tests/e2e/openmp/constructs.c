/*
 * tests/e2e/openmp/constructs.c - OpenMP constructs in known numbers, by two threads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <omp.h>
#include <stdio.h>

int main(void)
{
	omp_lock_t lock;
	long sum = 0, done = 0, order = 0;

	omp_set_dynamic(0);
	omp_set_num_threads(2);
#pragma omp parallel
	{
#pragma omp for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 100; i++)
			sum += i;
#pragma omp for ordered schedule(dynamic, 1)
		for (int i = 0; i < 6; i++) {
#pragma omp ordered
			order += i;
		}
#pragma omp sections
		{
#pragma omp section
			order++;
#pragma omp section
			__asm__ volatile("");
		}
#pragma omp barrier
#pragma omp critical
		done++;
#pragma omp master
		order++;
#pragma omp single
		{
#pragma omp taskgroup
			for (int i = 0; i < 10; i++) {
#pragma omp task
				__asm__ volatile("");
			}
#pragma omp taskwait
		}
	}
	omp_init_lock(&lock);
#pragma omp parallel
	{
		omp_set_lock(&lock);
		done++;
		omp_unset_lock(&lock);
#pragma omp flush
	}
	omp_destroy_lock(&lock);
#pragma omp parallel num_threads(2)
	{
#pragma omp for
		for (int i = 0; i < 1000; i++) {
			if (i == 3) {
#pragma omp cancel for
			}
		}
	}
	printf("%ld %ld %ld\n", sum, done, order);
	return 0;
}
