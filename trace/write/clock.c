/*
 * trace/write/clock.c - which counter stamps the records, and how it relates to the system's clocks
 *
 * Runs      init: in the constructor. The rest: anywhere.
 * Must not  allocate, lock, change errno.
 *
 * Whether the counter is good enough is decided by common/plain/counter.c, for the launcher too.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/internal.h"

#include "common/plain/counter.h"

bool tap_clock_counter;

static uint64_t init_tick, init_ns;             /* one instant, for estimates */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool counter_is_trusted(void)
{
	char name[32];
	bool forbidden = false;
	int fd = tap_sys_open(GC_CLOCKSOURCE_FILE, O_RDONLY, 0);
	long n = fd < 0 ? 0 : tap_sys_read(fd, name, sizeof name);

	if (fd >= 0)
		tap_sys_close(fd);
#if defined(__x86_64__)
	int mode = 0;

	forbidden = TAP_SYS(prctl, 25 /* PR_GET_TSC */, &mode, 0, 0, 0, 0) == 0 && mode != 1 /* PR_TSC_ENABLE */;
#endif
	return gc_counter_is_trusted(name, n > 0 ? (size_t)n : 0, forbidden, gc_counter_is_invariant());
}

void tap_clock_init(void)
{
	uint64_t best = UINT64_MAX;

	tap_clock_counter = counter_is_trusted();
	/* an interruption between the two would spoil each estimate made soon after */
	for (int i = 0; i < 3; i++) {
		uint64_t before = tap_tick(), ns = now_ns(CLOCK_MONOTONIC), after = tap_tick();

		if (after - before >= best)
			continue;
		best = after - before;
		init_tick = before + best / 2;
		init_ns = ns;
	}
}

const char *tap_clock_source(void) { return gc_counter_source(tap_clock_counter); }

/* What `clock` showed when MONOTONIC showed mono_ns, a moment ago. */
static uint64_t clock_beside(clockid_t clock, uint64_t mono_ns)
{
	uint64_t before = now_ns(CLOCK_MONOTONIC), value = now_ns(clock), after = now_ns(CLOCK_MONOTONIC);

	return value - (before + (after - before) / 2 - mono_ns);
}

/* The tightest of a few tries: an interruption between two reads shows as a wide bracket. */
void tap_clock_read(struct tap_clock_set *set)
{
	set->bracket = UINT64_MAX;
	for (int i = 0; i < 4; i++) {
		uint64_t before = tap_tick(), mono = now_ns(CLOCK_MONOTONIC), after = tap_tick();

		if (after - before < set->bracket) {
			set->bracket = after - before;
			set->tick = before + (after - before) / 2;
			set->mono_ns = mono;
		}
	}
	set->raw_ns = clock_beside(CLOCK_MONOTONIC_RAW, set->mono_ns);
	set->real_ns = clock_beside(CLOCK_REALTIME, set->mono_ns);
	set->boot_ns = clock_beside(CLOCK_BOOTTIME, set->mono_ns);
}

uint64_t tap_clock_elapsed_ns(void) { return now_ns(CLOCK_MONOTONIC) - init_ns; }

uint64_t tap_clock_tick_at(uint64_t ns)
{
	uint64_t ticks = tap_tick() - init_tick, passed = tap_clock_elapsed_ns();

	return passed ? init_tick + (uint64_t)((double)ns * (double)ticks / (double)passed) : init_tick;
}

double tap_clock_ticks_per_ns(void)
{
	uint64_t ticks = tap_tick() - init_tick, passed = tap_clock_elapsed_ns();

	return passed >= 100000 ? (double)ticks / (double)passed : 0;
}

uint64_t tap_clock_ticks_at_least(uint64_t ns)
{
	if (!tap_clock_counter)
		return ns;
#if defined(__aarch64__)
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return (uint64_t)((double)ns * (double)hz / 1e9) + 1;
#else
	return ns * 6;                          /* no counter runs faster than 6 GHz */
#endif
}
