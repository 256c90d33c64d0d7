/*
 * collectors/table.c - the collectors that there are
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/collector.h"
#include "collectors/counting.h"
#include "collectors/ranges.h"

#include <stddef.h>

struct tap_way_in tap_way_in;
const struct tap_counting *tap_counting;
bool tap_ranges_wanted;
void (*tap_ranges_open)(bool (*take)(void *ctx, const struct gc_nvtx_open *domain), void *ctx);
void (*tap_ranges_changed)(void);

#define COLLECTORS COLLECTOR(stack) COLLECTOR(opencl) COLLECTOR(nvtx) COLLECTOR(cupti) COLLECTOR(perf) \
	COLLECTOR(profiler)
#define COLLECTOR(name) extern const struct tap_collector tap_collector_##name __attribute__((visibility("hidden")));
COLLECTORS
#undef COLLECTOR
const struct tap_collector *const tap_collectors[] = {
#define COLLECTOR(name) &tap_collector_##name,
	COLLECTORS
#undef COLLECTOR
	NULL,
};
