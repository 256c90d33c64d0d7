/*
 * trace/read/clock.h - from host ticks to CLOCK_MONOTONIC: knots and the lines between them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_CLOCK_H
#define GPUTAP_TRACE_READ_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One reading of all clocks, as REC_CLOCK and `clock=` lines hold it. */
struct gt_clock_set { uint64_t tick; int64_t mono_ns, raw_ns, real_ns, boot_ns; uint64_t bracket; };

#define GT_CLOCK_SHIFT 48

struct gt_knot {
	uint64_t tick;
	int64_t mono_ns;
	uint64_t mult;                    /* ns per tick, 48 binary places, from here on */
	uint64_t limit_ns;                /* to the next knot: never beyond it */
};

struct gt_clock {
	struct gt_knot *knots;
	size_t n;
	uint64_t back_mult;               /* before the first knot */
	double ns_per_tick;               /* of the longest segment; 0 unknown */
	bool guessed;                     /* no rate was measured: ns_per_tick is not to be trusted */
	int64_t error_ns;                 /* half the widest bracket used; -1 unknown */
	unsigned breaks;
	bool has_real;
	int64_t real_minus_mono_ns;       /* of the first set */
	uint32_t hint;                    /* knot of the last look-up; only ever an index, read and written relaxed */
};

/*
 * Fits *out to the sets (they are sorted and thinned in place). fallback_ns_per_tick serves when they do not show a
 * rate themselves (fewer than two); 0 = none. -1: out of memory. An empty list gives 1 ns a tick, marked guessed.
 */
int gt_clock_fit(struct gt_clock *out, struct gt_clock_set *sets, size_t n, double fallback_ns_per_tick);
void gt_clock_free(struct gt_clock *c);
/* Grows with tick, never falls; passes through every knot. */
int64_t gt_clock_mono_ns(const struct gt_clock *c, uint64_t tick);
/* The other way: a tick of that time, or the first behind it when no tick has it. */
uint64_t gt_clock_tick(const struct gt_clock *c, int64_t mono_ns);
/* "TICK MONO RAW REAL BOOT BRACKET" */
bool gt_clock_parse(const char *text, struct gt_clock_set *out);
#endif
