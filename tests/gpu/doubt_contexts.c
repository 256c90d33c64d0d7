/*
 * tests/gpu/doubt_contexts.c - contexts that come and go while the collector flushes: [THREADS [ROUNDS [SECONDS]]]
 *
 * Ends before ROUNDS when SECONDS are over: making a context takes long on a real device. A hang is seen by whoever
 * started it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdatomic.h>

#include "doubt.h"

enum { LAUNCHES = 10, MOST = 64 };
static int rounds = 500;
static uint64_t until_ns;
static atomic_long launched, contexts;

static void one_context(void)
{
	void *context, *module, *kernel, *args[] = { &(uint32_t){ 0 } };

	MUST(cuCtxCreate_v2(&context, 0, 0));
	MUST(cuModuleLoadData(&module, doubt_ptx));
	MUST(cuModuleGetFunction(&kernel, module, "nothing"));
	for (int i = 0; i < LAUNCHES; i++)
		MUST(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
	MUST(cuCtxSynchronize());
	MUST(cuCtxDestroy_v2(context));
	launched += LAUNCHES;
	contexts++;
}

static void *worker(void *unused)
{
	for (int i = 0; i < rounds && doubt_now_ns() < until_ns; i++)
		one_context();
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t thread[MOST];

	rounds = argc > 2 ? atoi(argv[2]) : rounds;
	until_ns = doubt_now_ns() + (argc > 3 ? strtoull(argv[3], NULL, 10) : 40) * 1000000000u;
	if (n < 1 || n > MOST)
		return 2;
	MUST(cuInit(0));
	for (int i = 0; i < n; i++)
		MUST(pthread_create(&thread[i], NULL, worker, NULL));
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("contexts %ld\n", (long)contexts);
	doubt_counts(launched, 0);
	return 0;
}
