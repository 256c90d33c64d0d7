/*
 * collectors/profiler/range.c - --replay-mode=range and app-range: what is counted is a range of the program
 *
 * A range begins where --nvtx-include begins to fit in a thread, and ends where it fits there no more; without the
 * option it lies between cudaProfilerStart and cudaProfilerStop. Kernels in it run as ever, beside each other.
 *
 * Runs      on the program's threads, in its NVTX calls and in CUPTI's callbacks, by the holder of the gate.
 * Must not  allocate, lock.
 *
 * SPAN1  One range at a time is open: one that begins in another one is a part of it.
 * SPAN2  The thread that began a pushed range is the one that ends it; a started one anybody may end.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/profiler/internal.h"
#include "collectors/ranges.h"

static struct {
	struct tap_counting_launch l;
	struct tap_profiler_choice choice;
	char name[1024 + 1];
	uint32_t owner, number;         /* tid, 0: none is open; ranges of this process so far */
	bool counted, shared;           /* shared: a started one */
} range;

static void begin(const char *name, size_t bytes, bool shared, bool *gone)
{
	memset(&range.l, 0, sizeof range.l);
	bytes = bytes < sizeof range.name ? bytes : sizeof range.name - 1;
	memcpy(range.name, name, bytes);
	range.name[bytes] = 0;
	range.l.symbol = range.name;
	range.l.kind = REC_COUNTED_RANGE;
	range.l.correlation = ++range.number;
	range.shared = shared;
	range.counted = tap_profiler_here(&range.l) && tap_profiler_range_chosen(&range.l, &range.choice) &&
		tap_profiler_begin(&range.l, range.choice.entry, gone);
	__atomic_store_n(&range.owner, (uint32_t)tap_sys_gettid(), __ATOMIC_RELEASE);
}

static void end(bool keep)
{
	if (range.counted)
		tap_profiler_end(&range.l, &range.choice, keep);
	range.counted = false;
	__atomic_store_n(&range.owner, 0, __ATOMIC_RELEASE);
}

void tap_profiler_range_changed(bool *gone)
{
	uint32_t owner = TAP_READ_ONCE(range.owner);
	const char *name = "";
	size_t bytes = 0;
	bool shared, fits;

	if (owner && !range.shared && owner != (uint32_t)tap_sys_gettid())
		return;
	fits = tap_profiler_range_fits(&name, &bytes, &shared);
	if (!owner && fits)
		begin(name, bytes, shared, gone);
	else if (owner && !fits)
		end(true);
}

void tap_profiler_range_of_program(bool begins, bool *gone)
{
	static const char name[] = "cudaProfilerStart";

	if (begins && !range.owner)
		begin(name, sizeof name - 1, true, gone);
	else if (!begins && range.owner)
		end(true);
}

void tap_profiler_range_lost(void)
{
	if (!TAP_READ_ONCE(range.owner) || !range.counted)
		return;
	tap_lost(REC_LOSS_COUNTERS_LOST, 1);
	TAP_DEGRADE(TAP_PART_CUPTI,
		"a range was open when its context or the program ended: its counters are not collected");
}

void tap_profiler_range_left(void)
{
	tap_profiler_range_lost();
	if (range.owner)
		end(false);
}
