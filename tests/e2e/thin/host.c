/*
 * tests/e2e/thin/host.c - calls work_add N times, in between opens the library that it is told; prints what it sees
 *
 * host N [LIBRARY]. Any change that the thin object made to results, errno or dlerror is told by the exit status.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int work_add(int a, int b);

static int calls(int from, int to)
{
	int wrong = 0;

	for (int i = from; i < to; i++)
		wrong += work_add(i, 1000) != i + 1000 || errno != i || dlerror() != NULL;
	return wrong;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, wrong = calls(0, n / 2);

	if (argc > 2 && !dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL)) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	wrong += calls(n / 2, n);
	printf("%d calls, %d wrong\n", n, wrong);
	return wrong != 0;
}
