/*
 * tests/e2e/cuda_well.c - three programs that no rule has anything to say of, and what spoils each of them
 *
 *   pipeline            parts of the data in two streams from pinned memory: one is copied while one is worked on
 *   pipeline spoiled    the same in one stream, from pageable memory
 *   steps               many launches in one stream, enqueued ahead, and one wait at the end
 *   steps spoiled       a wait and a sleep between the steps
 *   streams             kernels of many streams beside each other
 *
 * Copies are quick, and the second stream begins with a kernel: each stream copies while the other one computes.
 * Kernels take as long as the stand-in machine is told (slow-kernels).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "cuda_driver.h"

enum { STREAMS = 8, PARTS = 16, BYTES = 16 << 20, STEPS = 20, THREADS = 128, MULTIPROCESSORS = 16 };

static void *function;
static int units;

static void step(void *stream)
{
	unsigned zero = 0;
	void *args[] = { &zero };

	MUST(launch_function(function, (unsigned)units, 1, 1, THREADS, 1, 1, 0, stream, args, NULL));
}

static void pipeline(bool spoiled)
{
	static char pageable[BYTES];
	uint64_t on_device[2];
	void *pinned, *stream[2];

	MUST(F(cuMemAllocHost_v2, void **, size_t)(&pinned, BYTES));
	for (int i = 0; i < 2; i++) {
		MUST(F(cuMemAlloc_v2, uint64_t *, size_t)(&on_device[i], BYTES));
		MUST(F(cuStreamCreate, void **, unsigned)(&stream[i], 1));
	}
	if (!spoiled)
		step(stream[1]);
	for (int i = 0; i < PARTS; i++) {
		int use = spoiled ? 0 : i % 2;

		MUST(F(cuMemcpyHtoDAsync_v2, uint64_t, const void *, size_t, void *)(
			on_device[use], spoiled ? pageable : pinned, BYTES, stream[use]));
		step(stream[use]);
		MUST(F(cuMemcpyDtoHAsync_v2, void *, uint64_t, size_t, void *)(
			spoiled ? pageable : pinned, on_device[use], BYTES, stream[use]));
	}
	for (int i = 0; i < 2; i++)
		MUST(F(cuStreamSynchronize, void *)(stream[i]));
}

static void steps(bool spoiled)
{
	void *stream;

	MUST(F(cuStreamCreate, void **, unsigned)(&stream, 1));
	for (int i = 0; i < STEPS; i++) {
		step(stream);
		if (spoiled) {
			MUST(F(cuStreamSynchronize, void *)(stream));
			usleep(5000);
		}
	}
	MUST(F(cuStreamSynchronize, void *)(stream));
}

static void streams(bool spoiled)
{
	void *stream[STREAMS];

	(void)spoiled;
	for (int i = 0; i < STREAMS; i++)
		MUST(F(cuStreamCreate, void **, unsigned)(&stream[i], 1));
	for (int i = 0; i < 3 * STREAMS; i++)
		step(stream[i % STREAMS]);
	for (int i = 0; i < STREAMS; i++)
		MUST(F(cuStreamSynchronize, void *)(stream[i]));
}

int main(int argc, char **argv)
{
	static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
				  ".visible .entry work(.param .u32 n)\n{\n\tret;\n}\n";
	void *module;

	if (argc < 2)
		return 2;
	open_driver();
	load_kernel();
	MUST(F(cuModuleLoadData, void **, const void *)(&module, ptx));
	MUST(F(cuModuleGetFunction, void **, void *, const char *)(&function, module, "work"));
	MUST(F(cuDeviceGetAttribute, int *, int, int)(&units, MULTIPROCESSORS, device));
	(!strcmp(argv[1], "steps") ? steps : !strcmp(argv[1], "streams") ? streams : pipeline)(argc > 2);
	puts(argv[1]);
	return 0;
}
