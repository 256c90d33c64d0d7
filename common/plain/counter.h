/*
 * common/plain/counter.h - the processor's counter, and whether it stamps the records: once for shim and launcher
 *
 * Runs      anywhere. The caller reads the facts, each with the means that it may use.
 * Must not  use the C library.
 *
 * The raw counter is used only when the kernel itself keeps time by it: it has checked then that it neither stops nor
 * differs between cores. A process may also have been forbidden to read it (PR_SET_TSC).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_COUNTER_H
#define GPUTAP_COMMON_PLAIN_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_CLOCKSOURCE_FILE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/*
 * clocksource  what that file says, `bytes` of it; 0: it cannot be read
 * forbidden    reading the counter is an error here (PR_GET_TSC)
 * invariant    the processor says that the counter runs at one rate (gc_counter_is_invariant)
 */
bool gc_counter_is_trusted(const char *clocksource, size_t bytes, bool forbidden, bool invariant);
bool gc_counter_is_invariant(void);
/* What the trace calls the source of its stamps. */
const char *gc_counter_source(bool trusted);

/* The counter itself; only where it is trusted. */
static inline uint64_t gc_counter_read(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
	return 0;
#endif
}

#endif
