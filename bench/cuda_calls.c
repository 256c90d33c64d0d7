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
#include <stdatomic.h>

#include "bench/rounds.h"
#include "examples/cuda/cuda_small.h"

int cuStreamQuery(void *stream);

static size_t buffer_bytes = 4 << 20;
static atomic_ulong buffers;
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

static void *begin(void)
{
	void *stream;

	MUST(cudaSetDevice(0));
	MUST(cudaStreamCreateWithFlags(&stream, 1));
	return stream;
}

static void last_error(void *stream, long i) { (void)stream, (void)i, cudaGetLastError(); }
static void query(void *stream, long i) { (void)i, cuStreamQuery(stream); }
static void launch(void *stream, long i)
{
	launch_add_one(kernel, memory, 64, stream);
	if (i % 1000 == 999)
		MUST(cudaStreamSynchronize(stream));
}

static void end(void *stream) { MUST(cudaStreamSynchronize(stream)); }

static const struct rounds_kind kinds[] = {
	{ "last-error", last_error, 20000 }, { "stream-query", query, 20000 }, { "launch", launch, 3000 }
};

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "", *self = NULL;

	rounds.begin = begin;
	rounds.end = end;
	for (int i = 2; i < argc; i++) {
		if (rounds_argument(argv, &i))
			continue;
		if (!strncmp(argv[i], "--self=", 7))
			self = argv[i] + 7;
		else if (!strncmp(argv[i], "--buffer=", 9))
			buffer_bytes = (size_t)atol(argv[i] + 9);
	}
	rounds_choose(kind, kinds, sizeof kinds / sizeof *kinds);
	if (!rounds_fit()) {
		fprintf(stderr, "usage: cuda_calls last-error|stream-query|launch [-t THREADS] [-b BLOCKS] [-n CALLS] "
		                "[--self=activity|callbacks] [--buffer=BYTES]\n");
		return 2;
	}
	if (self)
		be_client(!strcmp(self, "callbacks"));
	kernel = load_kernel("add_one");
	MUST(cudaMalloc(&memory, 256));
	double ns = rounds_measure();

	printf("%s ns %.3f buffers %lu\n", kind, ns, atomic_load(&buffers));
	return 0;
}
