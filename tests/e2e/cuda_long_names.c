/*
 * tests/e2e/cuda_long_names.c BYTES... - launches for each BYTES a kernel whose symbol is so long, as C++ templates
 * make them, and then each of them again with another grid
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_driver.h"
#include <string.h>

enum { MOST = 8, LONGEST = 8000 };

static const char first[] = "_Z5namedIJ", last[] = "EEvv";      /* void named<int, ..., int>() */
static char names[MOST][LONGEST + 1], ptx[MOST * (LONGEST + 100) + 100];

static void name(char *to, size_t bytes)
{
	memset(to, 'i', bytes);
	memcpy(to, first, sizeof first - 1);
	memcpy(to + bytes - (sizeof last - 1), last, sizeof last - 1);
}

int main(int argc, char **argv)
{
	void *module, *function, *args[] = { NULL };
	size_t used = (size_t)sprintf(ptx, ".version 7.0\n.target sm_75\n.address_size 64\n");
	int n = argc - 1 < MOST ? argc - 1 : MOST;

	for (int i = 0; i < n; i++) {
		size_t bytes = strtoul(argv[i + 1], NULL, 10);

		if (bytes < sizeof first + sizeof last || bytes > LONGEST)
			return 2;
		name(names[i], bytes);
		used += (size_t)sprintf(ptx + used, ".visible .entry %s()\n{\n\tret;\n}\n", names[i]);
	}
	open_driver();
	load_kernel();
	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	for (unsigned grid = 1; grid <= 2; grid++)
		for (int i = 0; i < n; i++) {
			MUST(F(cuModuleGetFunction, void **, void *, const char *)(&function, module, names[i]));
			MUST(launch_function(function, grid, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
			MUST(F(cuCtxSynchronize, void)());
		}
	return 0;
}
