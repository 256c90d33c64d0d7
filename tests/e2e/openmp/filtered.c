/*
 * tests/e2e/openmp/filtered.c - a seccomp filter is installed before the first OpenMP region
 *
 * It allows everything, but nobody can tell: nothing may be mapped from then on for what is kept of a thread.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>

int main(void)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog filter = { 1, &allow };
	int sum = 0;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 77;
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic) reduction(+ : sum)
		for (int i = 0; i < 10; i++)
			sum += i;
#pragma omp single
		for (int i = 0; i < 4; i++) {
#pragma omp task shared(sum)
#pragma omp critical
			sum++;
		}
	}
	printf("%d\n", sum);
	return 0;
}
