/*
 * collectors/ranges.h - which NVTX ranges are open, for a collector that chooses by them (profiler/)
 *
 * NVTX records keep no state of the program (nvtx/record.c, RANGE1). Where somebody asks for it, and on no other day,
 * nvtx/watch.c stands before them and keeps it.
 *
 * Runs      inside the traced program, on its threads.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_RANGES_H
#define GPUTAP_COLLECTORS_RANGES_H

#include <stdbool.h>

#include "common/plain/nvtx_filter.h"

/* Set by a collector's prepare, in the constructor: ranges are to be kept. */
extern bool tap_ranges_wanted __attribute__((visibility("hidden")));

/*
 * Tells each domain in which this thread has pushed ranges, or any thread started ones, and the default domain always,
 * until take returns false. Texts hold until the next call, which one thread at a time may make. NULL: NVTX is not
 * recorded.
 */
extern void (*tap_ranges_open)(bool (*take)(void *ctx, const struct gc_nvtx_open *domain), void *ctx)
	__attribute__((visibility("hidden")));

/* This thread pushed or popped a range, or a thread started or ended one: called by it. NULL: nobody asks. */
extern void (*tap_ranges_changed)(void) __attribute__((visibility("hidden")));

#endif
