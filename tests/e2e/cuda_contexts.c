/*
 * tests/e2e/cuda_contexts.c [turns|threads] - the same kernel on every device, and in a second context of the first one
 *
 * turns: a launch in each context after another, three times. threads: each context has a thread of its own with ten
 * launches. Each launch is waited for. The grid of context i is i + 1 blocks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_driver.h"
#include <pthread.h>
#include <string.h>

enum { MOST = 8, TURNS = 3, OF_A_THREAD = 10 };

static struct { void *context, *function; } all[MOST];
static unsigned n;

static void add(void *of)
{
	static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
		".visible .entry called()\n{\n\tret;\n}\n"
		".visible .entry everywhere()\n{\n\tret;\n}\n"
		".visible .entry called_too()\n{\n\tret;\n}\n";
	void *module;

	MUST(F(cuCtxSetCurrent, void *)(of));
	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	MUST(F(cuModuleGetFunction, void **, void *, const char *)(&all[n].function, module, "everywhere"));
	all[n++].context = of;
}

static void launch_in(unsigned i)
{
	void *args[] = { NULL };

	MUST(F(cuCtxSetCurrent, void *)(all[i].context));
	MUST(launch_function(all[i].function, i + 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL));
	MUST(F(cuCtxSynchronize, void)());
}

static void *thread(void *number)
{
	for (int k = 0; k < OF_A_THREAD; k++)
		launch_in((unsigned)(size_t)number);
	return NULL;
}

int main(int argc, char **argv)
{
	int devices = 0;
	void *one;

	open_driver();
	load_kernel();
	MUST(F(cuDeviceGetCount, int *)(&devices));
	for (int i = 0; i < devices && n < MOST - 1; i++) {
		MUST(F(cuDevicePrimaryCtxRetain, void **, int)(&one, i));
		add(one);
	}
	MUST(F(cuCtxCreate_v2, void **, unsigned, int)(&one, 0, 0));
	add(one);
	if (argc < 2 || !strcmp(argv[1], "turns")) {
		for (unsigned k = 0; k < TURNS * n; k++)
			launch_in(k % n);
	} else {
		pthread_t threads[MOST];

		for (unsigned i = 0; i < n; i++)
			pthread_create(&threads[i], NULL, thread, (void *)(size_t)i);
		for (unsigned i = 0; i < n; i++)
			pthread_join(threads[i], NULL);
	}
	printf("%u contexts\n", n);
	return 0;
}
