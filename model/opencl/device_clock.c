/*
 * model/opencl/device_clock.c - a device's own nanoseconds to session nanoseconds
 *
 * From REC_CALIBRATION where the collector could measure: straight lines between the points, the outer ones prolonged.
 * A long trace has many points with brackets of different width, so runs of points are thinned to their tightest, and a
 * point is dropped when a tighter one is so near that the clocks cannot have drifted apart by what that one is better.
 * Beyond the outer points the rate is that between the first and the last, but 1 when their brackets allow it: the
 * errors of two points 50 ms apart would grow with every further second.
 *
 * A clock need not count nanoseconds of this machine: under a library that changes time, or of a device whose driver
 * says so wrongly, it has a rate of its own, the same from the first point to the last. A clock of rate 1 in any
 * stretch is none such. Where points lie far from their line the clock was stepped: from there on another line holds,
 * and a command belongs to the one that puts its queued time inside its call.
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
#define STEP_NS 50000                     /* off the line by more than that and what points are loose: a step */
#define STEPS 64                          /* of one clock, at most */
#define RATE_MOST 256.0                   /* of a clock that does not count nanoseconds, or one part of that */
#define STRETCH_NS 1000000                /* two points nearer than that tell nothing of a rate */
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

/*
 * How far the clocks differ per nanosecond of the device's; 0 when the points are too near, or too loose, to tell it
 * from none.
 */
static double rate_beyond(const struct point *first, const struct point *last)
{
	double span = (double)(last->pair.device_ns - first->pair.device_ns);
	double apart = (double)last->pair.session_ns - (double)first->pair.session_ns - span;
	double loose = (double)(first->half_ns + last->half_ns);

	if (span <= 0 || (apart < 0 ? -apart : apart) <= loose || apart > span * (RATE_MOST - 1) ||
		apart < -span * (1 - 1 / RATE_MOST))
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

/* ---------------------------------------------------------- rates and steps */

/* In the order in which they were taken. */
static int compare_by_tick(const void *a, const void *b)
{
	const struct gt_calibration *x = a, *y = b;

	if (x->process == y->process && x->device == y->device && x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return compare_calibrations(a, b);
}

static struct point point_of(const struct gt_model *m, const struct gt_calibration *c)
{
	return (struct point){ { c->device_ns, gt_reader_tick_ns(m->reader, c->process, c->tick) },
		(bracket_ns(m, c) + 1) / 2 };
}

/* Session ns for each of the device's, by two points; 0: they do not tell. */
static double rate_between(const struct point *a, const struct point *b)
{
	double session = (double)b->pair.session_ns - (double)a->pair.session_ns;
	double device = (double)(int64_t)(b->pair.device_ns - a->pair.device_ns);

	if (session < STRETCH_NS || device <= 0 || (double)(a->half_ns + b->half_ns) > session * 5e-4)
		return 0;
	return session / device;
}

/* v: by tick. 1 where a stretch says so, 0 where points that are no looser than that do not tell. */
static double rate_by(const struct gt_model *m, const struct gt_calibration *v, uint32_t n, int64_t loose)
{
	struct point first = { .half_ns = -1 }, at = first, last = first;

	for (uint32_t i = 0; i < n; i++) {
		struct point p = point_of(m, &v[i]);
		double here;

		if (p.half_ns > loose)
			continue;
		last = p;
		if (first.half_ns < 0)
			first = at = p;
		here = rate_between(&at, &p);
		if (here > 1 - 1e-3 && here < 1 + 1e-3)
			return 1;
		if (here)
			at = p;
	}
	return rate_between(&first, &last);
}

/* By the tightest points if they tell it, else by looser ones. */
static double find_rate(const struct gt_model *m, const struct gt_calibration *v, uint32_t n)
{
	int64_t least = point_of(m, tightest(v, n)).half_ns + SLACK_NS;
	double rate = 0;

	for (int64_t loose = 2 * least; !rate && loose < 10000 * least && loose < FAR_NS / 8; loose *= 8)
		rate = rate_by(m, v, n, loose);
	return rate > 1 / RATE_MOST && rate < RATE_MOST ? rate : 1;
}

/* From one point to the next, does the clock go on at its rate? Clocks that are slewed drift by up to 500 ppm. */
static bool goes_on(const struct point *a, const struct point *b, double rate)
{
	double session = (double)b->pair.session_ns - (double)a->pair.session_ns;
	double off = session - rate * (double)(int64_t)(b->pair.device_ns - a->pair.device_ns);

	return (off < 0 ? -off : off) <= (double)(a->half_ns + b->half_ns) + STEP_NS + session * 600e-6;
}

/* How far a line with a measured rate may be off where the process ends. */
static int64_t error_at_end(
	const struct gt_model *m, uint32_t process, const struct point *first, const struct point *last)
{
	double span = (double)last->pair.session_ns - (double)first->pair.session_ns;
	double beyond = (double)gt_reader_tick_ns(m->reader, process, m->processes[process].last_tick) -
		(double)last->pair.session_ns;

	return span > 0 && beyond > 0 ? (int64_t)((double)(first->half_ns + last->half_ns) * beyond / span) : 0;
}

/* v: calibrations between two steps of one device's clock. */
static int add_line(struct gt_model *m, struct gt_device_clock *c, struct gt_calibration *v, uint32_t n)
{
	struct gt_clock_pair *pairs = gt_arena_alloc(&m->arena, (POINTS + 2) * sizeof *pairs);
	struct point points[POINTS];
	uint32_t kept;
	double rate;

	if (!pairs)
		return -1;
	qsort(v, n, sizeof *v, compare_calibrations);
	c->method = GT_CLOCK_CALIBRATED;
	c->pairs = pairs;
	kept = thin(m, v, n, points);
	keep_good(points, &kept);
	rate = kept > 1 ? rate_beyond(&points[0], &points[kept - 1]) : c->rate - 1;
	if (kept > 1 || c->rate != 1)
		add_beyond(c, pairs, &points[0], -BEYOND_NS, rate);
	for (uint32_t i = 0; i < kept; i++) {
		pairs[c->n_pairs++] = points[i].pair;
		if (points[i].half_ns > c->error_ns)
			c->error_ns = points[i].half_ns;
	}
	if (kept > 1 || c->rate != 1)
		add_beyond(c, pairs, &points[kept - 1], BEYOND_NS, rate);
	if (c->rate != 1)
		c->error_ns += error_at_end(m, c->process, &points[0], &points[kept - 1]);
	else if (!c->since_ns && !c->later)
		pair_with_raw(m, c, points, kept);
	return 0;
}

/* A clock that was stepped has a line for each stretch. */
static struct gt_device_clock *add_later(struct gt_model *m, struct gt_device_clock *before, int64_t since_ns)
{
	struct gt_device_clock *c = gt_arena_alloc(&m->arena, sizeof *c);

	if (!c)
		return NULL;
	*c = (struct gt_device_clock){ .process = before->process, .device = before->device, .error_ns = -1,
		.rate = before->rate, .since_ns = since_ns };
	before->later = c;
	return c;
}

/* v: the calibrations of one device, by tick. */
static int add_calibrated(struct gt_model *m, struct gt_calibration *v, uint32_t n)
{
	struct gt_device_clock *c = new_clock(m, v->process, v->device);
	uint32_t from = 0, steps = 0;

	if (!c)
		return -1;
	c->rate = find_rate(m, v, n);
	for (uint32_t i = 1; i < n && steps < STEPS; i++) {
		struct point a = point_of(m, &v[i - 1]), b = point_of(m, &v[i]);
		struct gt_device_clock *later;

		if (goes_on(&a, &b, c->rate))
			continue;
		later = add_later(m, c, b.pair.session_ns);
		if (!later || add_line(m, c, v + from, i - from))
			return -1;
		c = later;
		from = i;
		steps++;
	}
	if (steps)
		gt_model_count_loss(m, REC_LOSS_CLOCK_BREAK, steps);
	return add_line(m, c, v + from, n - from);
}

int gt_device_clocks_finish(struct gt_model *m)
{
	struct gt_calibration *v = m->calibrations.v;
	uint32_t n = m->calibrations.n;

	if (n)
		qsort(v, n, sizeof *v, compare_by_tick);
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

struct gt_device_clock *gt_device_clock_then(struct gt_device_clock *c, uint64_t device_ns, const struct gt_call *call)
{
	struct gt_device_clock *by_time = c;

	for (struct gt_device_clock *k = c; c->later && k; k = k->later) {
		int64_t ns = gt_device_clock_ns(k, device_ns);

		if (ns >= call->start_ns - SLACK_NS - k->error_ns && ns <= call->end_ns + SLACK_NS + k->error_ns)
			return k;
		if (k->since_ns <= call->start_ns)
			by_time = k;
	}
	return by_time;
}

/* The pair that begins the line for device_ns: the last one not behind it, but never the very last. */
static uint32_t find_line(const struct gt_device_clock *c, uint64_t device_ns)
{
	uint32_t at;

	GT_SEARCH_LAST(at, c->n_pairs - 1, c->pairs[at].device_ns <= device_ns);
	return at;
}

/* Session ns for each of the device's between two points; far from the clock's rate such points are damaged. */
static double gone_through(const struct gt_clock_pair *a, const struct gt_clock_pair *b, double rate)
{
	double slope = ((double)b->session_ns - (double)a->session_ns) / (double)(b->device_ns - a->device_ns);

	return slope > rate / 2 && slope < rate * 2 ? slope : rate;
}

int64_t gt_device_clock_ns(const struct gt_device_clock *c, uint64_t device_ns)
{
	const struct gt_clock_pair *p = c->pairs;
	double slope = c->rate > 0 ? c->rate : 1.0;
	int64_t delta, drift = 0;

	if (!c->n_pairs)
		return gt_time_within((int64_t)(device_ns + (uint64_t)c->offset_ns));
	if (c->n_pairs > 1) {
		p += find_line(c, device_ns);
		/* Two points close together tell more about their brackets than about the rate. */
		if (p[1].device_ns - p[0].device_ns > STRETCH_NS)
			slope = gone_through(&p[0], &p[1], slope);
	}
	/*
	 * slope - 1 is small, or the distance is: so is what rounding a double loses. Unsigned: damaged times wrap.
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
