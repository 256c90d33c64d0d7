/*
 * trace/read/clock.c - fit CLOCK_MONOTONIC over host ticks
 *
 * CLOCK_MONOTONIC is slewed by NTP (up to 500 ppm), so no single line fits a long run: the map goes straight from one
 * knot (clock set) to the next. What lies before the first and behind the last is extended with the rate of the
 * segment.
 *
 * A segment is a row of knots on one line. A knot that lies off it by more than 50 us (and more than the brackets
 * explain), or before which the machine slept (BOOTTIME ran ahead of MONOTONIC), begins a new one and counts as a
 * break. Where the time in between did not pass evenly (sleep, step), the old line is followed until it meets the new
 * knot's time, and stands still there: whatever ran before the sleep keeps its time, nothing runs backwards.
 *
 * All look-ups are integer arithmetic in 128 bits: order of ticks is order of times.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/search.h"

#define OFF_LINE_NS 50000.0
#define SLEEP_NS 1000000                  /* BOOTTIME against MONOTONIC; reading noise is microseconds */
#define SLEW 600e-6                       /* adjtimex slews by 500 ppm at most, crystals err by less than 100 */
#define KNOT_DISTANCE_NS 500000           /* nearer sets say nothing about the rate */
/* Damaged sets must not overflow the sums of session.c: 18 years of uptime, REALTIME until 2043. */
#define NS_MAX (INT64_MAX / 16)
#define REAL_MAX (INT64_MAX / 4)

typedef __uint128_t u128;

static int by_tick(const void *a, const void *b)
{
	const struct gt_clock_set *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return x->mono_ns < y->mono_ns ? -1 : x->mono_ns > y->mono_ns;
}

static bool sane(const struct gt_clock_set *s)
{
	return s->mono_ns >= 0 && s->mono_ns < NS_MAX && s->tick < UINT64_MAX / 4;
}

/*
 * Sorted by tick, rising in time, at least KNOT_DISTANCE_NS apart (the tighter bracket stays). A set whose time runs
 * backwards by more than a reading's noise is a break of its own and left out.
 */
static size_t thin(struct gt_clock_set *sets, size_t n, unsigned *breaks)
{
	size_t kept = 0;

	qsort(sets, n, sizeof(*sets), by_tick);
	for (size_t i = 0; i < n; i++) {
		struct gt_clock_set *last = kept ? &sets[kept - 1] : NULL;
		bool after_previous;

		if (!sane(&sets[i]))
			continue;
		if (!last || (sets[i].mono_ns - last->mono_ns >= KNOT_DISTANCE_NS && sets[i].tick > last->tick)) {
			sets[kept++] = sets[i];
			continue;
		}
		if (llabs(sets[i].mono_ns - last->mono_ns) > KNOT_DISTANCE_NS) {
			++*breaks;
			continue;
		}
		after_previous = kept < 2 || sets[i].mono_ns > sets[kept - 2].mono_ns;
		if (sets[i].bracket < last->bracket && after_previous)
			*last = sets[i];
	}
	return kept;
}

static double rate(const struct gt_clock_set *a, const struct gt_clock_set *b)
{
	return (double)(b->mono_ns - a->mono_ns) / (double)(b->tick - a->tick);
}

enum join { JOIN_STRAIGHT, JOIN_DRIFT, JOIN_GAP };

/* How knot b continues the segment first..a, with its line if it has two knots or more. */
static enum join join(const struct gt_clock_set *first, const struct gt_clock_set *a, const struct gt_clock_set *b)
{
	double line, ticks, off, explained;

	if (a->boot_ns > 0 && b->boot_ns > 0 && llabs((b->boot_ns - b->mono_ns) - (a->boot_ns - a->mono_ns)) > SLEEP_NS)
		return JOIN_GAP;
	if (first == a)
		return JOIN_STRAIGHT;
	line = rate(first, a);
	ticks = (double)(b->tick - a->tick);
	off = (double)a->mono_ns + line * ticks - (double)b->mono_ns;
	if (off < 0)
		off = -off;
	/* Half a bracket at either end of the line, carried as far as b lies from it, and b's own. */
	explained = line * ((double)first->bracket + (double)a->bracket) / 2 * ticks / (double)(a->tick - first->tick) +
	            line * ((double)a->bracket + (double)b->bracket) / 2;
	if (off <= OFF_LINE_NS + explained)
		return JOIN_STRAIGHT;
	return off <= OFF_LINE_NS + explained + SLEW * line * ticks ? JOIN_DRIFT : JOIN_GAP;
}

static uint64_t to_mult(double ns_per_tick)
{
	double m = ns_per_tick * (double)(1ull << GT_CLOCK_SHIFT);

	return m < 1 ? 1 : m > (double)(UINT64_MAX / 2) ? UINT64_MAX / 2 : (uint64_t)m;
}

static uint64_t exact_mult(const struct gt_clock_set *a, const struct gt_clock_set *b)
{
	u128 m = ((u128)(uint64_t)(b->mono_ns - a->mono_ns) << GT_CLOCK_SHIFT) / (b->tick - a->tick);

	return m > UINT64_MAX / 2 ? UINT64_MAX / 2 : (uint64_t)m;
}

/* Knots first..last of one segment; the knot behind it (if any) begins the next. */
static void fill_segment(struct gt_clock *c, const struct gt_clock_set *sets, size_t first, size_t last, enum join next,
	double ns_per_tick)
{
	for (size_t i = first; i <= last; i++) {
		bool has_next = i + 1 < c->n;
		struct gt_knot *k = &c->knots[i];

		k->tick = sets[i].tick;
		k->mono_ns = sets[i].mono_ns;
		k->limit_ns = has_next ? (uint64_t)(sets[i + 1].mono_ns - sets[i].mono_ns) : UINT64_MAX;
		k->mult = has_next && (i < last || next == JOIN_DRIFT) ? exact_mult(&sets[i], &sets[i + 1])
								       : to_mult(ns_per_tick);
	}
}

/* The rate of the segment with the longest baseline, 0 when none has two knots. */
static double longest_rate(const struct gt_clock_set *sets, size_t n, const enum join *joins)
{
	uint64_t best = 0;
	double found = 0;

	for (size_t first = 0, i = 1; i <= n; i++) {
		if (i < n && joins[i] == JOIN_STRAIGHT)
			continue;
		if (sets[i - 1].tick - sets[first].tick > best) {
			best = sets[i - 1].tick - sets[first].tick;
			found = rate(&sets[first], &sets[i - 1]);
		}
		first = i;
	}
	return found;
}

static void fit_knots(struct gt_clock *c, const struct gt_clock_set *sets, enum join *joins)
{
	size_t first = 0;

	joins[0] = JOIN_STRAIGHT;
	for (size_t i = 1; i < c->n; i++) {
		joins[i] = join(&sets[first], &sets[i - 1], &sets[i]);
		if (joins[i] != JOIN_STRAIGHT) {
			c->breaks++;
			first = i;
		}
	}
	if (longest_rate(sets, c->n, joins) > 0)
		c->ns_per_tick = longest_rate(sets, c->n, joins);
	if (c->ns_per_tick <= 0) {
		c->guessed = true;
		c->ns_per_tick = 1;
	}
	for (size_t begin = 0, i = 1; i <= c->n; i++) {
		double own;

		if (i < c->n && joins[i] == JOIN_STRAIGHT)
			continue;
		own = i - 1 > begin ? rate(&sets[begin], &sets[i - 1]) : c->ns_per_tick;
		fill_segment(c, sets, begin, i - 1, i < c->n ? joins[i] : JOIN_STRAIGHT, own);
		if (begin == 0)
			c->back_mult = to_mult(own);
		begin = i;
	}
}

int gt_clock_fit(struct gt_clock *out, struct gt_clock_set *sets, size_t n, double fallback_ns_per_tick)
{
	enum join *joins;
	uint64_t widest = 0;

	memset(out, 0, sizeof(*out));
	out->error_ns = -1;
	out->ns_per_tick = fallback_ns_per_tick;
	out->n = n ? thin(sets, n, &out->breaks) : 0;
	if (!out->n) {
		out->guessed = !(fallback_ns_per_tick > 0);
		if (out->guessed)
			out->ns_per_tick = 1;
		out->back_mult = to_mult(out->ns_per_tick);
		return 0;
	}
	out->knots = calloc(out->n, sizeof(*out->knots));
	joins = calloc(out->n, sizeof(*joins));
	if (!out->knots || !joins) {
		free(joins);
		gt_clock_free(out);
		return -1;
	}
	fit_knots(out, sets, joins);
	free(joins);
	for (size_t i = 0; i < out->n; i++)
		if (sets[i].bracket > widest)
			widest = sets[i].bracket;
	out->error_ns = (double)widest * out->ns_per_tick / 2 < (double)NS_MAX
		? (int64_t)((double)widest * out->ns_per_tick / 2) + 1
		: NS_MAX;
	out->has_real = sets[0].real_ns > 0 && sets[0].real_ns < REAL_MAX;
	if (out->has_real)
		out->real_minus_mono_ns = sets[0].real_ns - sets[0].mono_ns;
	return 0;
}

void gt_clock_free(struct gt_clock *c)
{
	free(c->knots);
	memset(c, 0, sizeof(*c));
}

/* ticks * mult, rounded down (up), at most NS_MAX */
static int64_t advance(uint64_t ticks, uint64_t mult, bool up)
{
	u128 product = (u128)ticks * mult + (up ? ((u128)1 << GT_CLOCK_SHIFT) - 1 : 0);

	product >>= GT_CLOCK_SHIFT;
	return product > NS_MAX ? NS_MAX : (int64_t)product;
}

int64_t gt_clock_mono_ns(const struct gt_clock *c, uint64_t tick)
{
	uint32_t *hint = (uint32_t *)(uintptr_t)&c->hint;
	size_t at = __atomic_load_n(hint, __ATOMIC_RELAXED);
	const struct gt_knot *k;
	int64_t ns;

	if (!c->n)
		return advance(tick, c->back_mult, false);
	if (tick < c->knots[0].tick)
		return c->knots[0].mono_ns - advance(c->knots[0].tick - tick, c->back_mult, true);
	if (at >= c->n || tick < c->knots[at].tick || (at + 1 < c->n && tick >= c->knots[at + 1].tick)) {
		GT_SEARCH_LAST(at, c->n, c->knots[at].tick <= tick);
		__atomic_store_n(hint, (uint32_t)at, __ATOMIC_RELAXED);
	}
	k = &c->knots[at];
	ns = advance(tick - k->tick, k->mult, false);
	return k->mono_ns + ((uint64_t)ns > k->limit_ns ? (int64_t)k->limit_ns : ns);
}

/* ns / mult in ticks, rounded down (up) */
static uint64_t ticks_for(uint64_t ns, uint64_t mult, bool up)
{
	u128 ticks = (((u128)ns << GT_CLOCK_SHIFT) + (up ? mult - 1 : 0)) / mult;

	return ticks > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)ticks;
}

uint64_t gt_clock_tick(const struct gt_clock *c, int64_t mono_ns)
{
	uint64_t tick, back;
	size_t at;

	if (!c->n)
		return mono_ns > 0 ? ticks_for((uint64_t)mono_ns, c->back_mult, true) : 0;
	if (mono_ns < c->knots[0].mono_ns) {
		back = ticks_for((uint64_t)c->knots[0].mono_ns - (uint64_t)mono_ns, c->back_mult, false);
		return back < c->knots[0].tick ? c->knots[0].tick - back : 0;
	}
	GT_SEARCH_LAST(at, c->n, c->knots[at].mono_ns <= mono_ns);
	tick = c->knots[at].tick +
		ticks_for((uint64_t)mono_ns - (uint64_t)c->knots[at].mono_ns, c->knots[at].mult, true);
	/* a gap that no tick shows */
	return at + 1 < c->n && tick > c->knots[at + 1].tick ? c->knots[at + 1].tick : tick;
}

bool gt_clock_parse(const char *text, struct gt_clock_set *out)
{
	memset(out, 0, sizeof(*out));
	return sscanf(text, "%" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNu64, &out->tick,
		       &out->mono_ns, &out->raw_ns, &out->real_ns, &out->boot_ns, &out->bracket) >= 2;
}
