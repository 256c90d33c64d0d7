/*
 * model/cuda/clock.c - CUPTI's nanoseconds to session time
 *
 * Pairs of (host tick, CUPTI's timestamp), read together while the program ran, are knots of a line: straight between
 * two of them, and beyond the ends with a rate of 1 (both count ns), or with the measured one where CUPTI was given
 * another clock. Where the two clocks went apart by more than 50 us between two knots (a step of REALTIME, a suspend),
 * the old line is followed to the time of the next knot and stands still there; such a break is counted. A process
 * without pairs has CLOCK_REALTIME of the clock sets: that is what CUPTI tells unless it was asked for something else.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/search.h"
#include "model/cuda/internal.h"

#define BREAK_NS 50000
#define NS_MAX (INT64_MAX / 4)            /* sums of two do not overflow */
#define FAR_NS 1000000                    /* knots nearer than that do not tell a rate */

static int by_tick(const void *a, const void *b)
{
	const struct gt_cuda_knot *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* Readings that cannot be, and those behind a step backwards of CUPTI's clock, are left out: what is left rises on both
 * sides. */
static uint32_t thin(struct gt_cuda_knot *v, uint32_t n, unsigned *breaks)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (v[i].cupti_ns <= 0 || v[i].cupti_ns > NS_MAX || v[i].session_ns > NS_MAX ||
			v[i].session_ns < -NS_MAX)
			continue;
		if (!kept || (v[i].cupti_ns > v[kept - 1].cupti_ns && v[i].session_ns > v[kept - 1].session_ns))
			v[kept++] = v[i];
		else if (v[kept - 1].cupti_ns - v[i].cupti_ns > BREAK_NS)
			++*breaks;
	}
	return kept;
}

static double rate_of(const struct gt_cuda_knot *a, const struct gt_cuda_knot *b)
{
	return (double)(b->session_ns - a->session_ns) / (double)(b->cupti_ns - a->cupti_ns);
}

/* A clock of ns if any stretch says so: a step spoils one stretch, a clock of another rate all of them. */
static void find_rate(struct gt_cuda_process *p)
{
	const struct gt_cuda_knot *v = p->knots.v, *last = v + p->knots.n - 1;
	bool far = false;

	p->rate_session = p->rate_cupti = 1;
	for (uint32_t i = 1; i < p->knots.n; i++) {
		double rate = rate_of(&v[i - 1], &v[i]) - 1;

		if (v[i].session_ns - v[i - 1].session_ns < FAR_NS)
			continue;
		far = true;
		if (rate > -1e-3 && rate < 1e-3)
			return;
	}
	if (!far)
		return;
	p->rate_session = last->session_ns - v->session_ns;
	p->rate_cupti = last->cupti_ns - v->cupti_ns;
}

/* ns * to / from: exact, so that what is later stays later. */
static int64_t scaled(int64_t ns, int64_t to, int64_t from)
{
	int64_t small;
	__int128 v;

	if (to == from)
		return ns;
	if (!__builtin_mul_overflow(ns, to - from, &small) && ns < NS_MAX && ns > -NS_MAX && small / from < NS_MAX)
		return ns + small / from;         /* the same, without a division of 128 bits */
	v = ns + (__int128)ns * (to - from) / from;
	return v > NS_MAX ? NS_MAX : v < -NS_MAX ? -NS_MAX : (int64_t)v;
}

static bool apart(const struct gt_cuda_process *p, const struct gt_cuda_knot *a, const struct gt_cuda_knot *b)
{
	double off = (double)(b->session_ns - a->session_ns) -
		(double)scaled(b->cupti_ns - a->cupti_ns, p->rate_session, p->rate_cupti);

	/* Clocks that are slewed against each other drift by up to 500 ppm. */
	return (off < 0 ? -off : off) > BREAK_NS + (double)(b->session_ns - a->session_ns) * 600e-6;
}

static void build(struct gt_cuda *c, uint32_t process)
{
	struct gt_cuda_process *p = &c->processes[process];
	bool pairs = p->knots.n != 0;
	uint64_t widest = 0;
	unsigned breaks = 0;
	int64_t host = gt_reader_clock_error_ns(c->m->reader, process);

	p->library.clock_error_ns = -1;
	if (!pairs) {
		free(p->knots.v);
		p->knots.v = p->real.v;
		p->knots.n = p->real.n;
		p->knots.room = p->real.room;
		p->real.v = NULL;
		p->real.n = p->real.room = 0;
	}
	for (uint32_t i = 0; i < p->knots.n; i++)
		p->knots.v[i].session_ns = gt_reader_tick_ns(c->m->reader, process, p->knots.v[i].tick);
	if (p->knots.n)
		qsort(p->knots.v, p->knots.n, sizeof *p->knots.v, by_tick);
	p->knots.n = thin(p->knots.v, p->knots.n, &breaks);
	if (!p->knots.n)
		return;
	find_rate(p);
	for (uint32_t i = 0; i < p->knots.n; i++) {
		p->knots.v[i].apart = i + 1 < p->knots.n && apart(p, &p->knots.v[i], &p->knots.v[i + 1]);
		breaks += p->knots.v[i].apart;
		if (p->knots.v[i].bracket > widest)
			widest = p->knots.v[i].bracket;
	}
	if (host >= 0)
		p->library.clock_error_ns = host +
			(gt_reader_tick_ns(c->m->reader, process, p->knots.v[0].tick + widest) -
				p->knots.v[0].session_ns + 1) /
				2;
	if (p->any)
		/* REALTIME's own are counted with the host's clock */
		gt_model_count_loss(c->m, REC_LOSS_CLOCK_BREAK, pairs ? breaks : 0);
}

int gt_cuda_clocks_build(struct gt_cuda *c)
{
	for (uint32_t i = 0; i < c->m->n_processes; i++)
		build(c, i);
	return 0;
}

static uint32_t knot_before(struct gt_cuda_process *p, int64_t ns)
{
	uint32_t low = p->hint;

	if (low < p->knots.n && p->knots.v[low].cupti_ns <= ns &&
		(low + 1 == p->knots.n || p->knots.v[low + 1].cupti_ns > ns))
		return low;
	GT_SEARCH_LAST(low, p->knots.n, p->knots.v[low].cupti_ns <= ns);
	p->hint = low;
	return low;
}

static int64_t on_line(struct gt_cuda *c, uint32_t process, int64_t ns)
{
	struct gt_cuda_process *p = &c->processes[process];
	const struct gt_cuda_knot *k, *next;
	int64_t since;

	if (!p->knots.n)
		return ns - gt_reader_utc_ns(c->m->reader);
	k = &p->knots.v[knot_before(p, ns)];
	since = ns - k->cupti_ns;
	next = ns >= k->cupti_ns && k + 1 < p->knots.v + p->knots.n ? k + 1 : NULL;
	if (!next)
		return k->session_ns + scaled(since, p->rate_session, p->rate_cupti);
	if (!k->apart)
		return k->session_ns + scaled(since, next->session_ns - k->session_ns, next->cupti_ns - k->cupti_ns);
	since = scaled(since, p->rate_session, p->rate_cupti);
	return k->session_ns + (since < next->session_ns - k->session_ns ? since : next->session_ns - k->session_ns);
}

int64_t gt_cuda_ns(struct gt_cuda *c, uint32_t process, uint64_t cupti_ns)
{
	return cupti_ns == 0 || cupti_ns > NS_MAX ? GT_NO_TIME
						   : gt_time_within(on_line(c, process, (int64_t)cupti_ns));
}
