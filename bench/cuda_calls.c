/*
 * bench/cuda_calls.c - CUDA calls many times on the stand-in machine, for what the collector's own part of recording
 * them costs
 *
 * Usage     cuda_calls KIND [-t THREADS] [-b BLOCKS] [-n CALLS] [--self=activity|callbacks] [--buffer=BYTES]
 * KIND last-error: a runtime call without arguments; stream-query: a driver call with one; launch: a kernel,
 * synchronised each 1000 Prints KIND ns N buffers M: nanoseconds for one call of the best block, mean of the threads;
 * activity buffers completed (--self) --self the program is CUPTI's client itself and does nothing with what it gets:
 * what the stand-in takes for it. activity: records of
 *           calls, kernels and copies, in buffers of its own; callbacks: also a callback at both ends of each call
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "examples/cuda/cuda_small.h"

#define THREADS_MAX 64

int cuStreamQuery(void *stream);

static const char *kind;
static long calls, blocks = 20;
static int threads = 1;
static size_t buffer_bytes = 4 << 20;
static atomic_ulong buffers;
static pthread_barrier_t start;
static void *kernel, *memory;

/* ------------------------------------------------------------ CUPTI's client */

/* A few buffers in turn, zeroed once: a client that throws away what it gets. */
static void request(uint8_t **buffer, size_t *bytes, size_t *records)
{
	static uint8_t *ring[64];
	static atomic_uint next;
	unsigned i = atomic_fetch_add(&next, 1) % 64;

	if (!ring[i])
		ring[i] = aligned_alloc(4096, buffer_bytes);
	*buffer = ring[i];
	*bytes = buffer_bytes;
	*records = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	(void)context, (void)stream, (void)buffer, (void)bytes, (void)valid;
	atomic_fetch_add(&buffers, 1);
}

static void nothing(void *user, int domain, uint32_t cbid, const void *data)
{
	(void)user, (void)domain, (void)cbid, (void)data;
}

static void *function(void *library, const char *name)
{
	void *f = library ? dlsym(library, name) : NULL;

	if (!f) {
		fprintf(stderr, "no CUPTI: %s\n", name);
		exit(3);
	}
	return f;
}

static void be_client(bool callbacks)
{
	static const unsigned kinds[] = { 1 /* copies */, 2 /* sets */, 4 /* driver */, 5 /* runtime */,
		10 /* kernels */ };
	void *cupti = dlopen("libcupti.so.13", RTLD_NOW), *handle;

	MUST(((int (*)(void **, void *, void *))function(cupti, "cuptiSubscribe"))(&handle, (void *)nothing, NULL));
	MUST(((int (*)(void *, void *))function(cupti, "cuptiActivityRegisterCallbacks"))(
		(void *)request, (void *)complete));
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		MUST(((int (*)(unsigned))function(cupti, "cuptiActivityEnable"))(kinds[i]));
	for (int domain = 1; callbacks && domain <= 2; domain++)
		MUST(((int (*)(uint32_t, void *, int))function(cupti, "cuptiEnableDomain"))(1, handle, domain));
}

/* -------------------------------------------------------------------- calls */

static void once(void *stream, long i)
{
	switch (kind[0]) {
	case 'l':
		if (kind[1] == 'a' && kind[2] == 's') {
			cudaGetLastError();
			break;
		}
		launch_add_one(kernel, memory, 64, stream);
		if (i % 1000 == 999)
			MUST(cudaStreamSynchronize(stream));
		break;
	default:
		cuStreamQuery(stream);
	}
}

static void *work(void *arg)
{
	double *best = arg;
	struct timespec t[2];
	void *stream;

	MUST(cudaSetDevice(0));
	MUST(cudaStreamCreateWithFlags(&stream, 1));
	for (long b = 0; b <= blocks; b++) {
		pthread_barrier_wait(&start);
		clock_gettime(CLOCK_MONOTONIC, &t[0]);
		for (long i = 0; i < calls; i++)
			once(stream, i);
		clock_gettime(CLOCK_MONOTONIC, &t[1]);
		double ns = ((double)(t[1].tv_sec - t[0].tv_sec) * 1e9 + (double)(t[1].tv_nsec - t[0].tv_nsec)) /
			(double)calls;

		if (b && (*best == 0 || ns < *best))
			*best = ns;
	}
	MUST(cudaStreamSynchronize(stream));
	return NULL;
}

static void measure(void)
{
	double best[THREADS_MAX] = { 0 }, sum = 0;
	pthread_t id[THREADS_MAX];

	pthread_barrier_init(&start, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++)
		pthread_create(&id[i], NULL, work, &best[i]);
	work(&best[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < threads; i++)
		sum += best[i];
	printf("%s ns %.3f buffers %lu\n", kind, sum / threads, atomic_load(&buffers));
}

int main(int argc, char **argv)
{
	const char *self = NULL;

	kind = argc > 1 ? argv[1] : "";
	for (int i = 2; i < argc; i++) {
		long n = i + 1 < argc ? atol(argv[i + 1]) : 0;

		if (!strcmp(argv[i], "-t"))
			threads = (int)n;
		else if (!strcmp(argv[i], "-b"))
			blocks = n;
		else if (!strcmp(argv[i], "-n"))
			calls = n;
		else if (!strncmp(argv[i], "--self=", 7))
			self = argv[i] + 7;
		else if (!strncmp(argv[i], "--buffer=", 9))
			buffer_bytes = (size_t)atol(argv[i] + 9);
	}
	if (!calls)
		calls = !strcmp(kind, "launch") ? 3000 : 20000;
	if ((strcmp(kind, "last-error") && strcmp(kind, "stream-query") && strcmp(kind, "launch")) || threads < 1 ||
		threads > THREADS_MAX) {
		fprintf(stderr, "usage: cuda_calls last-error|stream-query|launch [-t THREADS] [-b BLOCKS] [-n CALLS] "
		                "[--self=activity|callbacks] [--buffer=BYTES]\n");
		return 2;
	}
	if (self)
		be_client(!strcmp(self, "callbacks"));
	kernel = load_kernel("add_one");
	MUST(cudaMalloc(&memory, 256));
	measure();
	return 0;
}
