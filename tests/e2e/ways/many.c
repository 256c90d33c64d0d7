/*
 * tests/e2e/ways/many.c - COUNT calls; at the half of them COMMAND is run by a shell, if one is given
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < calls; i++) {
		cl_uint n;

		clGetPlatformIDs(0, NULL, &n);
		if (argc > 2 && i == calls / 2 && system(argv[2]))
			return 1;
	}
	printf("%d\n", calls);
	return 0;
}
