/*
 * tests/e2e/ways/cost.c - prints ns per dlsym of a C function, per dlsym of an OpenCL function and per linked call;
 * judged by nobody
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double per_look_up(void *handle, const char *name)
{
	double best = 1e9;

	for (int r = 0; r < 15; r++) {
		double start = now_ns();

		for (int i = 0; i < 20000; i++)
			dlsym(handle, name);
		double ns = (now_ns() - start) / 20000;

		best = ns < best ? ns : best;
	}
	return best;
}

int main(void)
{
	void *lib = dlopen("libOpenCL.so.1", RTLD_NOW);

	fprintf(stderr, "dlsym(libc) %.1f ns, dlsym(OpenCL) %.1f ns\n", per_look_up(RTLD_DEFAULT, "clock_gettime"),
		per_look_up(lib, "clFinish"));
	return 0;
}
