/*
 * model/opencl/device_clock.c - a device's own nanoseconds to session nanoseconds
 *
 * From REC_CALIBRATION where the collector could measure: straight lines between the points, the outer ones prolonged.
 * A long trace has many points with brackets of different width, so runs of points are thinned to their tightest, and a
 * point is dropped when a tighter one is so near that the clocks cannot have drifted apart by what that one is better.
 * Beyond the outer points the rate is that between the first and the last, but 1 when their brackets allow it: the
 * errors of two points 50 ms apart would grow with every further second.
 *
 * A device whose points all lie where CLOCK_MONOTONIC_RAW puts them (PoCL's) is taken to run on it: the clock sets of
 * the process are then its points.
 *
 * Without a measurement: PoCL's event clock is CLOCK_MONOTONIC_RAW, others use CLOCK_MONOTONIC. Either is believed when
 * it puts the first command's queued time inside its own call. Else queued is pinned to that call's start, and the
 * error is as wide as the call. Times are never moved to suit causality.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/search.h"
#include "model/internal.h"

#define POINTS 64                         /* kept of one device's calibrations at most */
#define DRIFT 10000                       /* clocks of one machine drift apart by less than one part in this many */
#define FAR_NS 1000000000000000000        /* 30 years: no distance between a point and a true time */
#define BEYOND_NS 1000000000000           /* 17 minutes: how far outside the outer points a line's end is put */
#define SLACK_NS 1000                     /* a clock read by the driver may stand just outside the call's own stamps */

static int compare_calibrations(const void *a, const void *b)
{
	const struct gt_calibration *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->device_ns < y->device_ns ? -1 : x->device_ns > y->device_ns;
}

/* Ticks of a bracket in ns: ticks are turned to times only by the process' clock. */
static int64_t bracket_ns(const struct gt_model *m, const struct gt_calibration *c)
{
	return gt_reader_tick_ns(m->reader, c->process, c->tick + c->bracket) -
		gt_reader_tick_ns(m->reader, c->process, c->tick);
}

static const struct gt_calibration *tightest(const struct gt_calibration *v, uint32_t n)
{
	const struct gt_calibration *best = v;

	for (uint32_t i = 1; i < n; i++)
		if (v[i].bracket < best->bracket)
			best = &v[i];
	return best;
}

static bool same_slot(const void *element, const void *key, const void *ctx)
{
	const struct gt_clock_slot *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->device == b->device;
}

static uint64_t hash_slot(const struct gt_clock_slot *k)
{
	return gt_hash(gt_hash(GT_HASH, k->process), k->device);
}

static struct gt_device_clock *new_clock(struct gt_model *m, uint32_t process, uint64_t device)
{
	struct gt_clock_slot key = { .process = process, .device = device }, *slot;
	struct gt_device_clock *c = gt_arena_alloc(&m->arena, sizeof *c);
	bool fresh;

	slot = c ? gt_map_add(&m->clocks, sizeof key, hash_slot(&key), &key, same_slot, NULL, &fresh) : NULL;
	if (!slot)
		return NULL;
	key.clock = c;
	*slot = key;
	c->process = process;
	c->device = device;
	c->error_ns = -1;
	m->processes[process].n_clocks++;
	m->processes[process].last_clock = c;
	return c;
}

struct point { struct gt_clock_pair pair; int64_t half_ns; };

/* Is a tighter point near enough to say more about this one's time than this one itself? */
static bool outdone(const struct point *v, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++) {
		double away = (double)v[k].pair.session_ns - (double)v[i].pair.session_ns;

		if (k != i && (double)v[k].half_ns + (away < 0 ? -away : away) / DRIFT < (double)v[i].half_ns)
			return true;
	}
	return false;
}

/* Leaves the points that are not outdone. */
static void keep_good(struct point *v, uint32_t *n)
{
	bool out[POINTS];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *n; i++)
		out[i] = outdone(v, *n, i);
	for (uint32_t i = 0; i < *n; i++)
		if (!out[i])
			v[kept++] = v[i];
	*n = kept;
}

/* The tightest of each run, by device time. */
static uint32_t thin(const struct gt_model *m, const struct gt_calibration *v, uint32_t n, struct point *out)
{
	uint32_t run = (n + POINTS - 1) / POINTS, kept = 0;

	for (uint32_t i = 0; i < n; i += run) {
		const struct gt_calibration *best = tightest(v + i, n - i < run ? n - i : run);

		if (kept && out[kept - 1].pair.device_ns == best->device_ns)
			continue;
		out[kept++] =
			(struct point){ { best->device_ns, gt_reader_tick_ns(m->reader, best->process, best->tick) },
				(bracket_ns(m, best) + 1) / 2 };
	}
	return kept;
}

/* How far the clocks differ per nanosecond; 0 when the points are too near, or too loose, to tell it from none. */
static double rate_beyond(const struct point *first, const struct point *last)
{
	double span = (double)(last->pair.device_ns - first->pair.device_ns);
	double apart = (double)last->pair.session_ns - (double)first->pair.session_ns - span;
	double loose = (double)(first->half_ns + last->half_ns);

	if (span <= 0 || (apart < 0 ? -apart : apart) <= loose || apart > span || apart < -span / 2)
		return 0;
	return apart / span;
}

/* A point beyond the outer ones, which turns prolonging them into a line between two. */
static void add_beyond(struct gt_device_clock *c, struct gt_clock_pair *pairs, const struct point *from,
	int64_t distance_ns, double rate)
{
	int64_t session_ns;

	if (distance_ns < 0 && from->pair.device_ns < (uint64_t)-distance_ns)
		distance_ns = -(int64_t)from->pair.device_ns;   /* the device's clock started that lately */
	if (!distance_ns || (distance_ns > 0 && from->pair.device_ns > UINT64_MAX - (uint64_t)distance_ns))
		return;
	session_ns = distance_ns + (int64_t)((double)distance_ns * rate);
	pairs[c->n_pairs++] = (struct gt_clock_pair){ from->pair.device_ns + (uint64_t)distance_ns,
		(int64_t)((uint64_t)from->pair.session_ns + (uint64_t)session_ns) };
}

/* The first of raw_clock that is of this process or one behind it. */
static uint32_t raw_from(const struct gt_model *m, uint32_t process)
{
	uint32_t at;

	GT_SEARCH(at, m->raw_clock.n, m->raw_clock.v[at].process < process);
	return at;
}

/* Calibrations of CLOCK_MONOTONIC_RAW for one process: its own and those of `run`, in order of time. */
static struct gt_calibration *raw_of(const struct gt_model *m, uint32_t process, uint32_t *n)
{
	const struct gt_calibration *v = m->raw_clock.v;
	uint32_t own = raw_from(m, process), shared = raw_from(m, GT_RAW_SHARED), own_end = own, room;
	struct gt_calibration *all;

	while (own_end < m->raw_clock.n && v[own_end].process == process)
		own_end++;
	room = own_end - own + m->raw_clock.n - shared;
	all = malloc((room + 1ull) * sizeof *all);
	for (*n = 0; all && *n < room;)
		all[(*n)++] = own == own_end || (shared < m->raw_clock.n && v[shared].device_ns <= v[own].device_ns)
			? v[shared++] : v[own++];
	return all;
}

/* CLOCK_MONOTONIC_RAW of this process, as if it were a device's clock; raw_error_ns: how far off at most. */
static uint32_t raw_pairs(struct gt_model *m, uint32_t process, const struct gt_clock_pair **out)
{
	struct gt_process_state *p = &m->processes[process];
	struct gt_clock_pair *pairs;
	struct gt_calibration *v;
	uint32_t last = 0, n = 0;

	*out = p->raw;
	if (p->raw)
		return p->n_raw;
	pairs = gt_arena_alloc(&m->arena, POINTS * sizeof *pairs);
	v = raw_of(m, process, &last);
	uint32_t run = (last + POINTS - 1) / POINTS;

	for (uint32_t i = 0; pairs && v && i < last; i += run) {
		const struct gt_calibration *c = tightest(v + i, last - i < run ? last - i : run);
		int64_t half_ns = (gt_reader_tick_ns(m->reader, process, c->tick + c->bracket) -
			gt_reader_tick_ns(m->reader, process, c->tick) + 1) / 2;

		if (half_ns > p->raw_error_ns)
			p->raw_error_ns = half_ns;
		if (!n || pairs[n - 1].device_ns != c->device_ns)
			pairs[n++] =
				(struct gt_clock_pair){ c->device_ns, gt_reader_tick_ns(m->reader, process, c->tick) };
	}
	free(v);
	*out = p->raw = pairs;
	return p->n_raw = n;
}

/*
 * Does the device's clock run as CLOCK_MONOTONIC_RAW does (PoCL's)? Each of its points then lies where that clock puts
 * it, as far as the point itself knows. The host's pairs are tighter than brackets of calls, and there are more.
 */
static void pair_with_raw(struct gt_model *m, struct gt_device_clock *c, const struct point *points, uint32_t n)
{
	struct gt_device_clock raw = { .process = c->process, .method = GT_CLOCK_RAW_FOUND };

	raw.n_pairs = raw_pairs(m, c->process, &raw.pairs);
	raw.error_ns = m->processes[c->process].raw_error_ns;
	if (!raw.n_pairs || raw.error_ns >= c->error_ns)
		return;
	for (uint32_t i = 0; i < n; i++) {
		int64_t away = gt_device_clock_ns(&raw, points[i].pair.device_ns) - points[i].pair.session_ns;

		if ((away < 0 ? -away : away) > points[i].half_ns + raw.error_ns)
			return;
	}
	c->method = raw.method;
	c->pairs = raw.pairs;
	c->n_pairs = raw.n_pairs;
	c->error_ns = raw.error_ns;
}

/* v: the calibrations of one device, by device time. */
static int add_calibrated(struct gt_model *m, const struct gt_calibration *v, uint32_t n)
{
	struct gt_device_clock *c = new_clock(m, v->process, v->device);
	struct gt_clock_pair *pairs = c ? gt_arena_alloc(&m->arena, (POINTS + 2) * sizeof *pairs) : NULL;
	struct point points[POINTS];
	uint32_t kept;
	double rate;

	if (!pairs)
		return -1;
	c->method = GT_CLOCK_CALIBRATED;
	c->pairs = pairs;
	kept = thin(m, v, n, points);
	keep_good(points, &kept);
	rate = rate_beyond(&points[0], &points[kept - 1]);
	if (kept > 1)
		add_beyond(c, pairs, &points[0], -BEYOND_NS, rate);
	for (uint32_t i = 0; i < kept; i++) {
		pairs[c->n_pairs++] = points[i].pair;
		if (points[i].half_ns > c->error_ns)
			c->error_ns = points[i].half_ns;
	}
	if (kept > 1)
		add_beyond(c, pairs, &points[kept - 1], BEYOND_NS, rate);
	pair_with_raw(m, c, points, kept);
	return 0;
}

int gt_device_clocks_finish(struct gt_model *m)
{
	struct gt_calibration *v = m->calibrations.v;
	uint32_t n = m->calibrations.n;

	if (n)
		qsort(v, n, sizeof *v, compare_calibrations);
	if (m->raw_clock.n)
		qsort(m->raw_clock.v, m->raw_clock.n, sizeof *v, compare_calibrations);
	for (uint32_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].process == v[i].process && v[end].device == v[i].device; end++)
			;
		if (add_calibrated(m, v + i, end - i))
			return -1;
	}
	return 0;
}

struct gt_device_clock *gt_device_clock_of(struct gt_model *m, uint32_t process, uint64_t device)
{
	const struct gt_clock_slot key = { .process = process, .device = device }, *slot;
	const struct gt_process_state *p = &m->processes[process];

	slot = gt_map_find(&m->clocks, sizeof key, hash_slot(&key), &key, same_slot, NULL);
	if (slot)
		return slot->clock;
	/* A queue whose device is not known can only mean the one device there is. */
	if (!device && p->n_clocks == 1)
		return p->last_clock;
	return new_clock(m, process, device);
}

/* ------------------------------------------------------------- uncalibrated */

static bool inside(int64_t ns, const struct gt_call *call)
{
	return ns >= call->start_ns - SLACK_NS && ns <= call->end_ns + SLACK_NS;
}

void gt_device_clock_decide(struct gt_model *m, struct gt_device_clock *c, uint64_t queued, const struct gt_call *call)
{
	const struct gt_clock_pair *pairs;
	int64_t mono_offset = call->start_ns - call->start_mono_ns;

	c->error_ns = (call->end_ns - call->start_ns + 1) / 2;
	c->n_pairs = raw_pairs(m, c->process, &pairs);
	c->pairs = pairs;
	c->method = GT_CLOCK_RAW;
	if (c->n_pairs && inside(gt_device_clock_ns(c, queued), call))
		return;
	c->n_pairs = 0;
	c->method = GT_CLOCK_MONOTONIC;
	c->offset_ns = mono_offset;
	if (inside(gt_device_clock_ns(c, queued), call))
		return;
	c->method = GT_CLOCK_PINNED;
	c->offset_ns = (int64_t)((uint64_t)call->start_ns - queued);
	c->error_ns = call->end_ns - call->start_ns;
}

/* ------------------------------------------------------------------ mapping */

/* The pair that begins the line for device_ns: the last one not behind it, but never the very last. */
static uint32_t find_line(const struct gt_device_clock *c, uint64_t device_ns)
{
	uint32_t at;

	GT_SEARCH_LAST(at, c->n_pairs - 1, c->pairs[at].device_ns <= device_ns);
	return at;
}

int64_t gt_device_clock_ns(const struct gt_device_clock *c, uint64_t device_ns)
{
	const struct gt_clock_pair *p = c->pairs;
	double slope = 1.0;
	int64_t delta, drift = 0;

	if (!c->n_pairs)
		return gt_time_within((int64_t)(device_ns + (uint64_t)c->offset_ns));
	if (c->n_pairs > 1) {
		p += find_line(c, device_ns);
		/* Two points close together tell more about their brackets than about the rate. */
		if (p[1].device_ns - p[0].device_ns > 1000000)
			slope = ((double)p[1].session_ns - (double)p[0].session_ns) /
				(double)(p[1].device_ns - p[0].device_ns);
		if (!(slope > 0.5 && slope < 2))
			slope = 1.0;      /* both count nanoseconds: such points are damaged */
	}
	/*
	 * slope - 1 is small: so is what rounding a double loses, at any distance that matters. Unsigned: damaged
	 * times wrap.
	 */
	delta = (int64_t)(device_ns - p->device_ns);
	if (delta > -FAR_NS && delta < FAR_NS)
		drift = (int64_t)((double)delta * (slope - 1.0));
	return gt_time_within((int64_t)((uint64_t)p->session_ns + (uint64_t)delta + (uint64_t)drift));
}

const char *gt_device_clock_method(const struct gt_device_clock *c)
{
	static const char *const names[] = { "not used", "calibrated", "assumed CLOCK_MONOTONIC_RAW",
		"assumed CLOCK_MONOTONIC", "pinned to the first call", "CLOCK_MONOTONIC_RAW" };

	return names[c->method];
}
