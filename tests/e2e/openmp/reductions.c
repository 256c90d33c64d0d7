/*
 * tests/e2e/openmp/reductions.c - a reduction by one team of as many threads as the first argument says
 *
 * LLVM's runtime adds the parts up in a tree where the team has more than four threads, and reports that; smaller teams
 * take atomic additions, of which it reports nothing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	double sum = 0;
	long count = 0;

	omp_set_dynamic(0);
#pragma omp parallel for reduction(+ : sum) reduction(+ : count) num_threads(threads)
	for (int i = 0; i < 1000; i++) {
		sum += i;
		count++;
	}
	printf("%g %ld\n", sum, count);
	return 0;
}
