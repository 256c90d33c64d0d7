/*
 * tests/e2e/cuda_threads.c together|waiting|turns THREADS [LAUNCHES] - many threads that launch a little each
 *
 * together: all are there before the first launches. waiting: likewise, and none leaves before the last has launched,
 * nor for half a second then. turns: each is gone before the next comes.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_driver.h"
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t all_here, all_done;
static int launches = 1, waits, together;

static void *worker(void *unused)
{
	if (together)
		pthread_barrier_wait(&all_here);
	MUST(F(cuCtxSetCurrent, void *)(context));
	for (int i = 0; i < launches; i++)
		MUST(launch_kernel(NULL));
	if (waits)
		pthread_barrier_wait(&all_done);
	return unused;
}

static pthread_t start(void)
{
	pthread_attr_t attr;
	pthread_t id;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 131072);
	MUST(pthread_create(&id, &attr, worker, NULL));
	return id;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 0;

	if (threads < 1)
		return 2;
	launches = argc > 3 ? atoi(argv[3]) : 1;
	waits = !strcmp(argv[1], "waiting");
	together = waits || !strcmp(argv[1], "together");
	open_driver();
	load_kernel();
	if (!together) {
		for (int i = 0; i < threads; i++)
			pthread_join(start(), NULL);
		goto done;
	}
	pthread_t *id = calloc((size_t)threads, sizeof *id);

	pthread_barrier_init(&all_here, NULL, (unsigned)threads + 1);
	pthread_barrier_init(&all_done, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		id[i] = start();
	pthread_barrier_wait(&all_here);
	if (waits) {
		usleep(500000);
		pthread_barrier_wait(&all_done);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	free(id);
done:
	MUST(F(cuCtxSynchronize, void)());
	printf("launched %d\n", threads * launches);
	return 0;
}
