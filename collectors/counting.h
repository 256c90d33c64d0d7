/*
 * collectors/counting.h - what the collector of CUPTI tells the one that counts (profiler/): CUPTI serves one client
 *
 * Runs      inside the traced program, on its threads, inside its CUDA calls.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_COUNTING_H
#define GPUTAP_COLLECTORS_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

/* A call of the driver that launches a kernel, at its entry and at its exit. */
struct tap_counting_launch {
	void *context, *stream;
	uint32_t context_id, stream_id, device, correlation;
	uint32_t grid[3], block[3];
	const char *symbol;             /* the kernel's mangled name, or NULL */
	uint32_t kind;                  /* enum rec_counted: a graph has no grid and no block */
};

struct tap_counting {
	/* Inside cuInit, once: CUPTI is subscribed to. */
	void (*library)(void *handle, uint32_t version);
	void (*enter)(const struct tap_counting_launch *l);
	void (*leave)(const struct tap_counting_launch *l, bool launched);
	/* cuProfilerStart is over, cuProfilerStop begins. */
	void (*program_range)(bool begins);
	/* A call that ends a context begins, and that context may be the one that is counted in. */
	void (*context_ends)(void *context);
	/* Another client in the process is about to count, by this function of CUPTI: nothing is counted any more. */
	void (*give_way)(const char *who, const char *function);
};
/* Set in the constructor; NULL: nobody counts. */
extern const struct tap_counting *tap_counting __attribute__((visibility("hidden")));

#endif
