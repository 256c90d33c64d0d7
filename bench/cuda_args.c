/*
 * bench/cuda_args.c - what our part of a CUDA callback pair costs, without CUPTI and without a driver (bench/README.md)
 *
 * Linked with the shim's objects. Entry and exit of one call are handed to the argument collector as CUPTI does. Prints
 * NAME ns N: the best of some rounds; "floor" is two clock reads.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collectors/cupti/internal.h"

#define CALLS 10000                     /* longer than two chunks of the trace: each round pays its share of them */
#define ROUNDS 80

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static __attribute__((noinline)) void one(int domain, uint32_t cbid, const void *params)
{
	uint64_t shared;
	int result = 0;
	struct tap_cupti_callback c = {
		.site = TAP_CUPTI_ENTER, .params = params, .result = &result, .shared = &shared, .correlation = 7
	};

	if (!domain) {
		uint64_t a = tap_tick();

		__asm__ volatile("" : : "r"(a) : "memory");
		a = tap_tick();
		__asm__ volatile("" : : "r"(a) : "memory");
		return;
	}
	tap_cupti_call(domain, cbid, &c);
	c.site = TAP_CUPTI_EXIT;
	tap_cupti_call(domain, cbid, &c);
}

int main(void)
{
	static void *memory;
	static struct { void *function; uint32_t grid[3], block[3]; void *args; size_t shared; void *stream; } launch;
	static struct { void **ptr; size_t bytes; } allocate = { &memory, 64 };
	static struct {
		void **function, *module;
		const char *name;
	} get = { &memory, NULL, "a_kernel_of_middling_length" };
	static struct { void *dst, *src; size_t bytes; int kind; } copy;
	static const struct { const char *name; int domain; uint32_t cbid; const void *params; } kinds[] = {
		{ "floor", 0, 0, NULL }, { "launch", TAP_CUPTI_RUNTIME, 211, &launch },
		{ "copy", TAP_CUPTI_RUNTIME, 31, &copy },
		{ "output", TAP_CUPTI_RUNTIME, 20, &allocate }, { "text", TAP_CUPTI_DRIVER, 23, &get },
	};

	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		double best = 1e18;

		for (int r = 0; r < ROUNDS; r++) {
			uint64_t from = now_ns();

			for (int i = 0; i < CALLS; i++)
				one(kinds[k].domain, kinds[k].cbid, kinds[k].params);
			double ns = (double)(now_ns() - from) / CALLS;

			best = ns < best ? ns : best;
		}
		printf("%s ns %.1f\n", kinds[k].name, best);
	}
	return 0;
}
