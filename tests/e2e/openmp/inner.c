/*
 * tests/e2e/openmp/inner.c - a league of three teams inside a target region, without a device of OpenMP
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

int main(void)
{
	int teams = 0;

#pragma omp target teams num_teams(3) reduction(+ : teams) map(tofrom : teams)
	teams++;
#pragma omp parallel num_threads(1)
#pragma omp task
	__asm__ volatile("");
	printf("%d\n", teams);
	return 0;
}
