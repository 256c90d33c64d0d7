/*
 * analysis/sections/shapes.c - launches of one kernel on one device with one size: which of them is typical, and what
 * stood around all of them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/map.h"
#include "model/threads/host_state.h"

enum { LEAST_IDLE_NS = 20000, LEAST_LATE_NS = 1000000, LEAST_PAGEABLE = 65536 /* bytes */ };

/* A time in which a device was idle and the thread that launched next did something. */
struct idle { uint32_t thread, shape; int64_t from_ns, to_ns; };

struct gathering {
	struct gt_shapes *to;
	struct gt_model *model;
	const struct gt_places *places;
	struct gt_map map;
	struct gt_cover busy, kernels, beside;    /* by device of a process; SHAPE2 */
	GT_LIST(struct idle) idle;
	GT_LIST(struct gt_span) copies;           /* that were counted, by shape */
	bool (*chosen)(void *ctx, const struct gt_dispatch *d); void *ctx;
};

/* ------------------------------------------------------------------ which shape a launch is of */

uint64_t gt_kernel_key(const struct gt_dispatch *d)
{
	const struct gt_object *program = d->opencl ? d->opencl->program : NULL;

	return gt_hash(gt_hash_text(d->kernel.text ? d->kernel.text : "", d->kernel.bytes),
		program ? program->id + 1ull : 0);
}

struct slot { struct gt_shape key; uint32_t number; };

static bool same_shape(const void *element, const void *key, const void *ctx)
{
	const struct gt_shape *a = &((const struct slot *)element)->key, *b = key;

	(void)ctx;
	return a->process == b->process && a->kernel == b->kernel && a->device == b->device &&
		!memcmp(a->global, b->global, sizeof a->global) && !memcmp(a->group, b->group, sizeof a->group);
}

static struct gt_shape shape_of(const struct gt_dispatch *d)
{
	struct gt_shape s = { .process = d->process, .kernel = gt_kernel_key(d), .device = d->device_key,
		.typical_ns = GT_NO_TIME, .on_cpu = gt_dispatch_on_cpu(d) };

	for (int i = 0; i < 3; i++) {
		s.global[i] = d->has_global ? d->global[i] : 0;
		s.group[i] = d->has_group ? d->group[i] : 0;
	}
	return s;
}

/* Its number; UINT32_MAX: no memory. */
static uint32_t find_shape(struct gathering *g, const struct gt_dispatch *d)
{
	const struct gt_shape key = shape_of(d);
	uint64_t hash = gt_hash(gt_hash(gt_hash(GT_HASH, key.kernel), key.device), key.process);
	struct gt_shape *one;
	struct slot *s;
	bool fresh;

	for (int i = 0; i < 3; i++)
		hash = gt_hash(gt_hash(hash, key.global[i]), key.group[i]);
	s = gt_map_add(&g->map, sizeof *s, hash, &key, same_shape, NULL, &fresh);
	if (!s)
		return UINT32_MAX;
	if (fresh) {
		*s = (struct slot){ key, g->to->v.n };
		one = GT_LIST_ADD(&g->to->v);
		if (!one)
			return UINT32_MAX;
		*one = key;
	}
	return s->number;
}

static int take_launch(void *ctx, const struct gt_dispatch *d, struct gt_err *err)
{
	struct gathering *g = ctx;
	uint32_t number = find_shape(g, d);
	struct gt_launch *l = number == UINT32_MAX ? NULL : GT_LIST_ADD(&g->to->launch);
	struct gt_shape *s;
	int64_t queued = d->cuda ? d->cuda->kernel.queued_ns : d->opencl->queued_ns;

	if (!l)
		return gt_no_memory(err);
	s = &g->to->v.v[number];
	*l = (struct gt_launch){ .shape = number, .thread = d->thread, .queue = gt_place_queue(d), .timed = d->timed,
		.asked_ns = queued != GT_NO_TIME && queued > 0 ? queued : d->call_ns,
		.start_ns = d->start_ns, .end_ns = d->end_ns, .chosen = !g->chosen || g->chosen(g->ctx, d) };
	if (!l->chosen)
		return 0;
	l->first = !s->launches++;
	if (l->timed && l->end_ns > l->start_ns)
		s->total_ns += (uint64_t)(l->end_ns - l->start_ns);
	return 0;
}

/* ------------------------------------------------------------------ the typical one */

/* SHAPE1 */
static bool counts(const struct gt_shapes *s, const struct gt_launch *l)
{
	return l->chosen && l->timed && !(l->first && s->v.v[l->shape].launches > 1);
}

struct took { uint32_t shape; int64_t ns; uint64_t number; };

static int by_time(const void *l, const void *r)
{
	const struct took *a = l, *b = r;

	if (a->shape != b->shape)
		return a->shape < b->shape ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Without any times it is the first one but the first. */
static void find_untimed(struct gt_shapes *s)
{
	for (uint32_t i = s->launch.n; i--;) {
		struct gt_shape *shape = &s->v.v[s->launch.v[i].shape];

		if (s->launch.v[i].chosen && shape->typical_ns == GT_NO_TIME &&
			!(s->launch.v[i].first && shape->launches > 1))
			shape->typical = i;
	}
}

static int find_typical(struct gt_shapes *s, struct gt_err *err)
{
	struct took *took = calloc(s->launch.n + 1ull, sizeof *took);
	uint32_t n = 0;

	if (!took)
		return gt_no_memory(err);
	for (uint32_t i = 0; i < s->launch.n; i++)
		if (counts(s, &s->launch.v[i]))
			took[n++] = (struct took){ s->launch.v[i].shape,
				s->launch.v[i].end_ns - s->launch.v[i].start_ns, i };
	if (n)
		qsort(took, n, sizeof *took, by_time);
	for (uint32_t i = 0, behind; i < n; i = behind) {
		struct gt_shape *shape = &s->v.v[took[i].shape];

		for (behind = i; behind < n && took[behind].shape == took[i].shape; behind++)
			;
		shape->judged = behind - i;
		shape->typical = took[i + (behind - i - 1) / 2].number;
		shape->typical_ns = took[i + (behind - i - 1) / 2].ns;
	}
	free(took);
	find_untimed(s);
	return 0;
}

struct ranked { const struct gt_shape *shape; uint32_t number; };

/* Of one kernel on one device those that took the most time first, then those that were launched most. */
static int by_kernel(const void *l, const void *r)
{
	const struct gt_shape *a = ((const struct ranked *)l)->shape, *b = ((const struct ranked *)r)->shape;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (a->launches != b->launches)
		return a->launches > b->launches ? -1 : 1;
	return ((const struct ranked *)l)->number < ((const struct ranked *)r)->number ? -1 : 1;
}

static int choose_shown(struct gt_shapes *s, struct gt_err *err)
{
	struct ranked *order = calloc(s->v.n + 1ull, sizeof *order);
	uint32_t rank = 0;

	if (!order)
		return gt_no_memory(err);
	for (uint32_t i = 0; i < s->v.n; i++)
		order[i] = (struct ranked){ &s->v.v[i], i };
	if (s->v.n)
		qsort(order, s->v.n, sizeof *order, by_kernel);
	for (uint32_t i = 0; i < s->v.n; i++) {
		const struct gt_shape *one = order[i].shape, *last = i ? order[i - 1].shape : NULL;

		rank = last && last->process == one->process && last->kernel == one->kernel &&
			last->device == one->device ? rank + 1 : 0;
		s->v.v[order[i].number].shown = one->launches && rank < GT_SHAPES_SHOWN;
	}
	free(order);
	return 0;
}

/* ------------------------------------------------------------------ what ran around it */

static uint64_t cover_key(uint64_t process, uint64_t device) { return process << 32 | (device & UINT32_MAX); }

/* Kernels alone, or all that kept a device busy. */
static int cover(struct gathering *g, bool kernels, struct gt_cover *one, struct gt_cover *two, struct gt_err *err)
{
	struct gt_span *spans = calloc(g->places->v.n + 1ull, sizeof *spans);
	uint32_t n = 0;
	bool ok;

	for (uint32_t i = 0; spans && i < g->places->v.n; i++) {
		const struct gt_work *w = &g->places->v.v[i];

		if (!kernels || w->kernel)
			spans[n++] = (struct gt_span){ cover_key(w->process, w->device), w->start_ns, w->end_ns };
	}
	ok = spans && gt_cover_make(spans, n, one, two);
	free(spans);
	return ok ? 0 : gt_no_memory(err);
}

/* How long the device was idle before it (SHAPE2), each time for one launch alone; where that began. */
static int64_t idle_before(const struct gathering *g, uint64_t key, const struct gt_launch *l, int64_t *from_ns)
{
	struct gt_stretch *s = gt_cover_at(&g->busy, key, l->start_ns);

	if (!s || s->start_ns != l->start_ns || s->taken || s == g->busy.v.v || s[-1].key != key)
		return 0;
	s->taken = true;
	*from_ns = s[-1].end_ns;
	return s->start_ns - s[-1].end_ns;
}

/* When the window opened, nothing is known of what was before. */
static bool is_cut(const struct gt_shapes *s, int64_t from_ns)
{
	return s->from_ns != GT_NO_TIME && from_ns < s->from_ns;
}

static int add_idle(struct gathering *g, uint64_t key, const struct gt_launch *l, struct gt_err *err)
{
	struct gt_shape *s = &g->to->v.v[l->shape];
	int64_t from, gap = idle_before(g, key, l, &from), host, late;
	struct idle *one;

	if (!gap || is_cut(g->to, from))
		return 0;
	host = l->asked_ns == GT_NO_TIME ? gap : l->asked_ns - from;
	host = host < 0 ? 0 : host > gap ? gap : host;
	late = gap - host;
	if (late >= LEAST_LATE_NS && late > s->typical_ns) {
		s->late_ns += late;
		s->lates++;
		gap -= late;
	}
	if (host >= LEAST_IDLE_NS) {
		s->idle_ns += host;
		s->idles++;
		gap -= host;
		if (l->thread < gt_model_thread_count(g->model)) {
			one = GT_LIST_ADD(&g->idle);
			if (!one)
				return gt_no_memory(err);
			*one = (struct idle){ l->thread, l->shape, from, from + host };
			s->known_ns += host;
		}
	}
	s->short_ns += gap;
	s->shorts += gap > 0;
	return 0;
}

/* Between host and device. A copy on the device takes what a kernel would take: nothing is won beside one. */
static bool is_copy(const struct gt_work *w)
{
	static const char *const words[] = { "read", "write", "Host-to-Device", "Device-to-Host", "Host-to-Array",
		"Array-to-Host" };

	for (size_t i = 0; w->kind && i < sizeof words / sizeof *words; i++)
		if (!strcmp(w->direction ? w->direction : w->kind, words[i]))
			return true;
	return false;
}

/* Back to the kernel before, as a report shows what a launch waited for. */
static int add_copies(struct gathering *g, uint64_t key, const struct gt_launch *l, const struct gt_work *own,
	struct gt_err *err)
{
	struct gt_shape *s = &g->to->v.v[l->shape];
	int64_t ran = l->end_ns - l->start_ns, took = 0;
	const struct gt_work *w = own;

	while (w > g->places->v.v && own - w < GT_WAITS_MOST) {
		struct gt_span *span;
		int64_t ns;

		w--;
		if (w->process != own->process || w->queue != own->queue || w->kernel)
			break;
		if (!is_copy(w) || w->end_ns > own->start_ns || w->end_ns <= w->start_ns)
			continue;
		ns = w->end_ns - w->start_ns - gt_cover_inside(&g->kernels, key, w->start_ns, w->end_ns);
		span = GT_LIST_ADD(&g->copies);
		if (!span)
			return gt_no_memory(err);
		*span = (struct gt_span){ l->shape, w->start_ns, w->end_ns };
		took += ns;
		s->copies++;
		s->copied_bytes += w->has_bytes ? w->bytes : 0;
		if (w->memory && !strcmp(w->memory, "Pageable") && w->has_bytes && w->bytes >= LEAST_PAGEABLE) {
			s->pageable_ns += ns;
			s->pageable++;
			s->pageable_bytes += w->bytes;
		}
	}
	s->hideable_ns += took < ran ? took : ran;
	return 0;
}

static int add_surroundings(struct gathering *g, struct gt_err *err)
{
	for (uint32_t i = 0; i < g->to->launch.n; i++) {
		const struct gt_launch *l = &g->to->launch.v[i];
		struct gt_shape *s = &g->to->v.v[l->shape];
		const struct gt_work *own;
		uint64_t key;

		if (!counts(g->to, l))
			continue;
		own = gt_place_find(g->places, s->process, l->queue, l->start_ns, l->end_ns);
		if (!own)
			continue;
		key = cover_key(own->process, own->device);
		s->beside_ns += gt_cover_inside(&g->beside, key, l->start_ns, l->end_ns);
		s->cover_key = key;
		if (add_copies(g, key, l, own, err) || add_idle(g, key, l, err))
			return -1;
	}
	return 0;
}

/* Of several streams what ran at once is one time, and no more than the run. */
static int add_times(struct gathering *g, struct gt_err *err)
{
	struct gt_span *spans = calloc(g->to->launch.n + 1ull, sizeof *spans);
	struct gt_cover launches = { 0 }, copies = { 0 };
	uint32_t n = 0;
	bool ok;

	for (uint32_t i = 0; spans && i < g->to->launch.n; i++) {
		const struct gt_launch *l = &g->to->launch.v[i];

		if (l->chosen && l->timed)
			spans[n++] = (struct gt_span){ l->shape, l->start_ns, l->end_ns };
	}
	ok = spans && gt_cover_make(spans, n, &launches, NULL) &&
		gt_cover_make(g->copies.v, g->copies.n, &copies, NULL);
	for (uint32_t i = 0; ok && i < launches.v.n; i++)
		g->to->v.v[launches.v.v[i].key].ran_ns += launches.v.v[i].end_ns - launches.v.v[i].start_ns;
	for (uint32_t i = 0; ok && i < copies.v.n; i++) {
		const struct gt_stretch *c = &copies.v.v[i];
		struct gt_shape *s = &g->to->v.v[c->key];

		s->copy_ns += c->end_ns - c->start_ns -
			gt_cover_inside(&g->kernels, s->cover_key, c->start_ns, c->end_ns);
	}
	for (uint32_t i = 0; ok && i < g->to->v.n; i++) {
		struct gt_shape *s = &g->to->v.v[i];

		s->hideable_ns = s->hideable_ns < s->copy_ns ? s->hideable_ns : s->copy_ns;
		s->pageable_ns = s->pageable_ns < s->copy_ns ? s->pageable_ns : s->copy_ns;
	}
	gt_cover_free(&launches);
	gt_cover_free(&copies);
	free(spans);
	return ok ? 0 : gt_no_memory(err);
}

/* ------------------------------------------------------------------ what the host did meanwhile */

static int by_thread(const void *l, const void *r)
{
	const struct idle *a = l, *b = r;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

static enum gt_doing_kind kind_of_call(const struct gt_call *call)
{
	if (gt_is_os_runtime(call->fn) || gt_openmp_waits(call->fn))
		return GT_DOING_OS;
	return gt_call_waits(call) || (call->cuda && strstr(call->fn->name, "Synchronize")) ? GT_DOING_WAIT
											    : GT_DOING_API;
}

/* As many as there are functions that it called. */
static bool add_doing(struct gt_shape *s, const struct gt_call *call, int64_t ns)
{
	enum gt_doing_kind kind = kind_of_call(call);
	struct gt_doing *one;

	for (uint32_t i = 0; i < s->doings.n; i++)
		if (s->doings.v[i].kind == kind && !strcmp(s->doings.v[i].name, call->fn->name)) {
			s->doings.v[i].ns += ns;
			return true;
		}
	one = GT_LIST_ADD(&s->doings);
	if (one)
		*one = (struct gt_doing){ kind, call->fn->name, ns };
	return one;
}

static int longest_first(const void *l, const void *r)
{
	const struct gt_doing *a = l, *b = r;

	return a->ns == b->ns ? strcmp(a->name, b->name) : a->ns < b->ns ? 1 : -1;
}

/* Of one thread: its idle times from `at` on, and the end of its outermost call so far. */
struct follower { uint32_t at, end; int64_t outer_end_ns; };

/* The outermost call is what the thread was in: how it does what it was asked for is its own affair. */
static bool follow(struct gathering *g, struct follower *f, const struct gt_call *call)
{
	if (f->at == f->end || call->is_callback || call->start_ns < f->outer_end_ns ||
		(gt_is_openmp(call->fn) && !gt_openmp_waits(call->fn)))
		return true;
	f->outer_end_ns = call->end_ns;
	while (f->at < f->end && g->idle.v[f->at].to_ns <= call->start_ns)
		f->at++;
	for (uint32_t i = f->at; i < f->end && g->idle.v[i].from_ns < call->end_ns; i++) {
		const struct idle *is = &g->idle.v[i];
		int64_t from = is->from_ns > call->start_ns ? is->from_ns : call->start_ns,
			to = is->to_ns < call->end_ns ? is->to_ns : call->end_ns;

		if (to > from && !add_doing(&g->to->v.v[is->shape], call, to - from))
			return false;
	}
	return true;
}

static int walk_threads(struct gathering *g, struct follower *all, struct gt_err *err)
{
	const struct gt_walk_options options = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME,
		.cuda = true };
	const struct gt_call *call;
	struct gt_walk *w;
	int rc = gt_walk_open(g->model, &options, &w, err);

	if (rc)
		return rc;
	while ((rc = gt_walk_next(w, &call, err)) > 0)
		if (call->thread < gt_model_thread_count(g->model) && !follow(g, &all[call->thread], call)) {
			rc = gt_no_memory(err);
			break;
		}
	gt_walk_close(w);
	return rc < 0 ? -1 : 0;
}

static int add_doings(struct gathering *g, struct gt_err *err)
{
	struct follower *all;
	int rc;

	if (!g->idle.n)
		return 0;
	all = calloc(gt_model_thread_count(g->model) + 1u, sizeof *all);
	if (!all)
		return gt_no_memory(err);
	qsort(g->idle.v, g->idle.n, sizeof *g->idle.v, by_thread);
	for (uint32_t i = 0; i < g->idle.n; i++) {
		struct follower *f = &all[g->idle.v[i].thread];

		if (f->end == f->at)
			*f = (struct follower){ i, i, INT64_MIN };
		f->end = i + 1;
	}
	rc = walk_threads(g, all, err);
	for (uint32_t i = 0; i < g->to->v.n; i++)
		if (g->to->v.v[i].doings.n)
			qsort(g->to->v.v[i].doings.v, g->to->v.v[i].doings.n, sizeof(struct gt_doing), longest_first);
	free(all);
	return rc;
}

/* ------------------------------------------------------------------ the run */

/* Of a killed process the end is that of its last work. */
static int find_runs(struct gathering *g, struct gt_err *err)
{
	uint32_t n = gt_model_process_count(g->model);
	struct gt_shapes *s = g->to;
	int64_t *end = calloc(n + 1ull, sizeof *end);

	s->run_ns = calloc(n + 1ull, sizeof *s->run_ns);
	if (!s->run_ns || !end) {
		free(end);
		return gt_no_memory(err);
	}
	for (uint32_t i = 0; i < g->places->v.n; i++) {
		const struct gt_work *w = &g->places->v.v[i];

		if (w->process < n && w->end_ns > end[w->process])
			end[w->process] = w->end_ns;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct gt_process *p = gt_model_process(g->model, i);
		int64_t from = p->start_ns, to = p->end_ns != GT_NO_TIME && p->end_ns > end[i] ? p->end_ns : end[i];

		from = s->from_ns != GT_NO_TIME && s->from_ns > from ? s->from_ns : from;
		to = s->to_ns != GT_NO_TIME && s->to_ns < to ? s->to_ns : to;
		s->run_ns[i] = from != GT_NO_TIME && to > from ? to - from : 0;
	}
	free(end);
	return 0;
}

int gt_shapes_open(struct gt_shapes *s, struct gt_model *m, const struct gt_walk_options *walk,
	const struct gt_places *places, bool (*chosen)(void *ctx, const struct gt_dispatch *d), void *ctx,
	struct gt_err *err)
{
	struct gathering g = { .to = s, .model = m, .places = places, .chosen = chosen, .ctx = ctx };
	int rc;

	*s = (struct gt_shapes){ .model = m, .from_ns = walk->from_ns, .to_ns = walk->to_ns };
	rc = gt_dispatches(m, walk, take_launch, &g, err);
	rc = rc ? rc : find_typical(s, err);
	rc = rc ? rc : choose_shown(s, err);
	rc = rc ? rc : find_runs(&g, err);
	rc = rc ? rc : cover(&g, false, &g.busy, NULL, err);
	rc = rc ? rc : cover(&g, true, &g.kernels, &g.beside, err);
	rc = rc ? rc : add_surroundings(&g, err);
	rc = rc ? rc : add_times(&g, err);
	rc = rc ? rc : add_doings(&g, err);
	gt_map_free(&g.map, sizeof(struct slot));
	gt_cover_free(&g.busy);
	gt_cover_free(&g.kernels);
	gt_cover_free(&g.beside);
	free(g.idle.v);
	free(g.copies.v);
	return rc;
}

void gt_shapes_close(struct gt_shapes *s)
{
	for (uint32_t i = 0; i < s->v.n; i++)
		free(s->v.v[i].doings.v);
	free(s->v.v);
	free(s->launch.v);
	free(s->run_ns);
	*s = (struct gt_shapes){ 0 };
}
