/*
 * trace/write/clock.c - which counter stamps the records, and how it relates to the system's clocks
 *
 * Runs      init: in the constructor. The rest: anywhere.
 * Must not  allocate, lock, change errno.
 *
 * The raw counter is used only when the kernel itself keeps time by it: it has checked then that it neither stops nor
 * differs between cores. A process may also have been forbidden to read it (PR_SET_TSC).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "trace/write/internal.h"

bool tap_clock_counter;

static uint64_t init_tick, init_ns;             /* one instant, for estimates */

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t = { 0, 0 };

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(__x86_64__)
static bool invariant_tsc(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

static bool counter_is_trusted(void)
{
	char name[32] = "";
	int mode = 0, fd;

	if (TAP_SYS(prctl, 25 /* PR_GET_TSC */, &mode, 0, 0, 0, 0) == 0 && mode != 1 /* PR_TSC_ENABLE */)
		return false;
	fd = tap_sys_open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY, 0);
	if (fd < 0)
		return false;
	long n = tap_sys_read(fd, name, sizeof name - 1);
	tap_sys_close(fd);
	if (n > 0 && name[n - 1] == '\n')
		name[n - 1] = 0;
	return tap_text_equal(name, "tsc") || (tap_text_equal(name, "kvm-clock") && invariant_tsc());
}
#else
/* the architecture's own time base, readable and shared by all cores */
static bool counter_is_trusted(void) { return true; }
#endif

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

const char *tap_clock_source(void)
{
	if (!tap_clock_counter)
		return "monotonic_raw";
#if defined(__x86_64__)
	return "tsc";
#else
	return "cntvct";
#endif
}

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
