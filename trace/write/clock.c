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
#include <errno.h>

#include "trace/write/internal.h"

#include "common/plain/counter.h"

bool tap_clock_counter, tap_clock_blind;

static uint64_t init_tick, init_ns;             /* one instant, for estimates */
static bool ticks_are_counts;                   /* what a tick is, for good */
static bool forbidden;                          /* to a thread at least: no thread reads it any more */

/* What the counter would show, by CLOCK_MONOTONIC_RAW: written once, before tap_clock_counter is cleared. */
static struct { uint64_t tick, raw_ns, ticks_per_ns /* 32 bits behind the point */; } instead;

/*
 * Where the counter is forbidden, so is glibc's clock_gettime: the kernel's code that it runs in the program (vDSO)
 * reads the counter too.
 */
uint64_t tap_clock_ns(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	if (!TAP_READ_ONCE(forbidden))
		clock_gettime(clock, &t);
	else if (!tap_seccomp)
		TAP_SYS(clock_gettime, clock, &t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool counter_is_trusted(void)
{
	char name[32];
	int fd = tap_sys_open(GC_CLOCKSOURCE_FILE, O_RDONLY, 0);
	long n = fd < 0 ? 0 : tap_sys_read(fd, name, sizeof name);

	if (fd >= 0)
		tap_sys_close(fd);
	int mode = 0;

	/* aarch64: since Linux 6.12, an error before */
	forbidden = TAP_SYS(prctl, 25 /* PR_GET_TSC */, &mode, 0, 0, 0, 0) == 0 && mode != 1 /* PR_TSC_ENABLE */;
	return gc_counter_is_trusted(name, n > 0 ? (size_t)n : 0, forbidden, gc_counter_is_invariant());
}

void tap_clock_init(void)
{
	uint64_t best = UINT64_MAX;

	tap_clock_counter = ticks_are_counts = counter_is_trusted();
	/* an interruption between the two would spoil each estimate made soon after */
	for (int i = 0; i < 3; i++) {
		uint64_t before = tap_tick(), ns = tap_clock_ns(CLOCK_MONOTONIC), after = tap_tick();

		if (after - before >= best)
			continue;
		best = after - before;
		init_tick = before + best / 2;
		init_ns = ns;
	}
}

const char *tap_clock_source(void) { return gc_counter_source(ticks_are_counts); }

/* ------------------------------------------------------ a counter that the program forbids */

/* Also where the counter was not trusted from the first. */
uint64_t tap_tick_slow(void)
{
	uint64_t raw = tap_clock_ns(CLOCK_MONOTONIC_RAW);

	if (!ticks_are_counts)
		return raw;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);        /* pairs with the release in tap_clock_forbid */
	return instead.tick + (uint64_t)(((__uint128_t)(raw - instead.raw_ns) * instead.ticks_per_ns) >> 32);
}

/* The counter just behind a reading of CLOCK_MONOTONIC_RAW: of a few tries the tightest. */
static uint64_t counter_beside(uint64_t *raw_ns)
{
	uint64_t best = UINT64_MAX, tick = 0;

	for (int i = 0; i < 16; i++) {
		uint64_t before = gc_counter_read(), raw = tap_clock_ns(CLOCK_MONOTONIC_RAW),
			 after = gc_counter_read();

		if (after - before >= best)
			continue;
		best = after - before;
		tick = after;
		*raw_ns = raw;
	}
	return tick;
}

/* Over 10 ms where calls may have been recorded: readings that are 10 ns off make a microsecond in a second. */
static void measure_rate(void)
{
	struct timespec wait = { 0, tap_ready ? 10000000 : 1000 };
	uint64_t raw_ns = 0, tick = counter_beside(&raw_ns);

	while (TAP_SYS(nanosleep, &wait, &wait, 0, 0, 0, 0) == -EINTR)
		;
	instead.tick = counter_beside(&instead.raw_ns);
	if (instead.raw_ns > raw_ns)                    /* else the system has no such clock, and ticks stand still */
		instead.ticks_per_ns = ((instead.tick - tick) << 32) / (instead.raw_ns - raw_ns);
}

/* Another thread measures; in a child that was forked meanwhile nobody does. */
static void wait_for_rate(void)
{
	for (int i = 0; i < 100 && TAP_READ_ONCE(tap_clock_counter); i++)
		TAP_SYS(nanosleep, (&(struct timespec){ 0, 1000000 }), NULL, 0, 0, 0, 0);
}

/*
 * PR_SET_TSC is a thread's own, and its children's. Ticks stay what they are: from here on every thread computes the
 * counter from the kernel's clock, by a rate that is measured now; from the end of the readings, so that no call ends
 * before it began. It stays so if the program allows the counter again. Behind a filter, which may forbid to sleep, no
 * call can be stamped any more, and no rate is needed.
 */
void tap_clock_forbid(void)
{
	static bool begun;

	if (!TAP_READ_ONCE(tap_clock_counter)) {
		/* that is so already */
	} else if (!__atomic_exchange_n(&begun, true, __ATOMIC_ACQUIRE)) {
		if (!tap_seccomp)
			measure_rate();
		TAP_WRITE_ONCE(forbidden, true);
		__atomic_store_n(&tap_clock_counter, false, __ATOMIC_RELEASE);
		if (TAP_READ_ONCE(tap_gate->alive))
			tap_clock_note();
	} else if (!tap_seccomp) {
		wait_for_rate();
	}
	TAP_WRITE_ONCE(tap_clock_counter, false);
	TAP_WRITE_ONCE(forbidden, true);
	tap_clock_look();
}

void tap_clock_note(void)
{
	if (forbidden)
		tap_note(TAP_PART_CLOCK,
			"the program forbids the processor's counter (PR_SET_TSC): the kernel's clock stamps, "
			"which takes longer");
}

bool tap_clock_look(void)
{
	if (forbidden && tap_seccomp) {
		TAP_WRITE_ONCE(tap_clock_blind, true);
		TAP_WRITE_ONCE(tap_gate->until_tick, 0);
		TAP_WRITE_ONCE(tap_gate->ranges_until_tick, 0);
	}
	return tap_clock_blind;
}

/* ----------------------------------------------------------------------- sets and rates */

/* What `clock` showed when MONOTONIC showed mono_ns, a moment ago. */
static uint64_t clock_beside(clockid_t clock, uint64_t mono_ns)
{
	uint64_t before = tap_clock_ns(CLOCK_MONOTONIC), value = tap_clock_ns(clock),
		 after = tap_clock_ns(CLOCK_MONOTONIC);

	return value - (before + (after - before) / 2 - mono_ns);
}

/* The tightest of a few tries: an interruption between two reads shows as a wide bracket. */
void tap_clock_read(struct tap_clock_set *set)
{
	set->bracket = UINT64_MAX;
	for (int i = 0; i < 4; i++) {
		uint64_t before = tap_tick(), mono = tap_clock_ns(CLOCK_MONOTONIC), after = tap_tick();

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

uint64_t tap_clock_elapsed_ns(void) { return tap_clock_ns(CLOCK_MONOTONIC) - init_ns; }

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
	if (!ticks_are_counts)
		return ns;
#if defined(__aarch64__)
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return (uint64_t)((double)ns * (double)hz / 1e9) + 1;
#else
	return ns * 6;                          /* no counter runs faster than 6 GHz */
#endif
}
