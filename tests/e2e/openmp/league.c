/*
 * tests/e2e/openmp/league.c - leagues of teams and target regions in known numbers, without a device of OpenMP
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

int main(void)
{
	int teams = 0, threads = 0, host = 0;

#pragma omp teams num_teams(3) reduction(+ : teams)
	teams++;
#pragma omp teams num_teams(2) reduction(+ : threads)
#pragma omp parallel num_threads(2) reduction(+ : threads)
	threads++;
#pragma omp target map(tofrom : host)
	host++;
#pragma omp target map(tofrom : host)
#pragma omp parallel num_threads(2) reduction(+ : host)
	host++;
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(1)
	__asm__ volatile("");
#pragma omp parallel num_threads(1)
#pragma omp task
	__asm__ volatile("");
	printf("%d %d %d\n", teams, threads, host);
	return 0;
}
