/*
 * trace/write/clock.h - the host clock as the shim reads it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_CLOCK_H
#define GPUTAP_TRACE_WRITE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "common/plain/counter.h"

/*
 * Set by the constructor; true when the kernel itself trusts the counter and this process may read it. Cleared for good
 * when the program forbids it.
 */
extern bool tap_clock_counter __attribute__((visibility("hidden")));
/* The counter is forbidden, and a filter may forbid the kernel's clock: no call can be stamped any more. */
extern bool tap_clock_blind __attribute__((visibility("hidden")));

uint64_t tap_tick_slow(void) __attribute__((visibility("hidden"), cold));

static inline uint64_t tap_tick(void)
{
	if (__builtin_expect(tap_clock_counter, 1))
		return gc_counter_read();
	return tap_tick_slow();
}

struct tap_clock_set { uint64_t tick, mono_ns, raw_ns, real_ns, boot_ns, bracket; };
void tap_clock_init(void);                       /* constructor: chooses the counter */
void tap_clock_forbid(void);                     /* the program is about to forbid its thread the counter */
void tap_clock_note(void);                       /* ... says so in the trace, if it has */
bool tap_clock_look(void);                       /* ... or a filter is there: sets tap_clock_blind and returns it */
uint64_t tap_clock_ns(clockid_t clock);          /* what a clock of the system shows */
void tap_clock_read(struct tap_clock_set *set);  /* bracketed, best of a few */
uint64_t tap_clock_elapsed_ns(void);             /* since tap_clock_init */
/* The tick ns after tap_clock_init, estimated from what passed so far. */
uint64_t tap_clock_tick_at(uint64_t ns);
/* Rate of the host counter, good to about a part in 10 000; 0 while less than 0.1 ms has passed since the start. */
double tap_clock_ticks_per_ns(void);
uint64_t tap_clock_ticks_at_least(uint64_t ns);  /* not less than ns, on any machine */
const char *tap_clock_source(void);              /* "tsc" "cntvct" "monotonic_raw" */

#endif
