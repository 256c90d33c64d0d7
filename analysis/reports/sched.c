/*
 * analysis/reports/sched.c - each thread's time on a processor, ready for one and waiting, and who woke it (-t sched)
 *
 * Two sources that know nothing of each other: states come from switches and wakings, and hold for the window; what the
 * kernel counted of a thread holds from its beginning to the last look at it.
 *
 * Where no switches were recorded, states are estimated from the calls of the C library (model/threads/estimate.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "analysis/reports/report.h"
#include "common/hash.h"
#include "common/map.h"
#include "model/threads/estimate.h"
#include "model/window.h"

/* Who woke a thread, how often; order: of the first time, over all threads. */
struct waker { uint32_t thread; int tid; uint64_t n, order; };
struct thread {
	bool seen;
	bool guessed;                     /* its states are estimated */
	int64_t in[GT_STATE_WAITING + 1]; /* ns, by enum gt_state */
	const struct gt_run_delay *counted;                   /* the last */
	uint64_t woken;
	const struct waker *most;         /* of s->wakers */
};

struct state {
	struct gt_model *m;
	int64_t from_ns, to_ns;
	struct thread *threads; uint32_t n;
	struct gt_estimate *estimate;     /* NULL: there are switches */
	struct gt_map wakers;
};

static int add_estimate(void *ctx, const struct gt_thread_state *v, const struct gt_fn *in);

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (!s)
		return NULL;
	*s = (struct state){ .m = m, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .n = gt_model_thread_count(m) };
	s->threads = gt_pool_take(a, (s->n + 1ull) * sizeof *s->threads);
	if (!s->threads)
		return NULL;
	if (!gt_model_switch_count(m) && !(s->estimate = gt_estimate_new(m, add_estimate, s)))
		return NULL;
	return s;
}

static void window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct state *s = state;

	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

/* What lies inside the window of it. */
static void clip(const struct state *s, int64_t *start, int64_t *end)
{
	*start = s->from_ns != GT_NO_TIME && *start < s->from_ns ? s->from_ns : *start;
	*end = s->to_ns != GT_NO_TIME && *end > s->to_ns ? s->to_ns : *end;
}

static int add_estimate(void *ctx, const struct gt_thread_state *v, const struct gt_fn *in)
{
	struct state *s = ctx;
	int64_t start = v->start_ns, end = v->end_ns;

	(void)in;
	clip(s, &start, &end);
	if (end > start)
		s->threads[v->thread].in[v->state] += end - start;
	return 0;
}

static int each_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;

	(void)t;
	if (!s->estimate || call->fn->domain != REC_DOMAIN_OSRT)
		return 0;
	s->threads[call->thread].seen = s->threads[call->thread].guessed = true;
	return gt_estimate_call(s->estimate, call);
}

static void add_states(struct state *s)
{
	for (uint64_t i = 0; i < gt_model_state_count(s->m); i++) {
		const struct gt_thread_state *v = gt_model_state(s->m, i);
		int64_t start = v->start_ns, end = v->end_ns;

		if (end == GT_NO_TIME || !gt_overlaps(s->from_ns, s->to_ns, start, end))
			continue;
		clip(s, &start, &end);
		s->threads[v->thread].seen = true;
		s->threads[v->thread].in[v->state] += end - start;
	}
}

static bool same_waker(const void *element, const void *key, const void *ctx)
{
	const struct waker *a = element, *b = key;

	(void)ctx;
	return a->thread == b->thread && a->tid == b->tid;
}

static int add_waker(struct state *s, uint32_t thread, int tid)
{
	const struct waker key = { .thread = thread, .tid = tid, .order = s->wakers.n };
	bool fresh;
	struct waker *w = gt_map_add(&s->wakers, sizeof key, gt_hash(gt_hash(GT_HASH, thread), (uint32_t)tid), &key,
		same_waker, NULL, &fresh);

	if (!w)
		return -1;
	if (fresh)
		*w = key;
	w->n++;
	s->threads[thread].woken++;
	return 0;
}

static int add_wakings(struct state *s)
{
	int rc = 0;

	for (uint64_t i = 0; i < gt_model_waking_count(s->m) && !rc; i++) {
		const struct gt_waking *w = gt_model_waking(s->m, i);

		if (gt_overlaps(s->from_ns, s->to_ns, w->time_ns, w->time_ns))
			rc = add_waker(s, w->thread, w->waker_tid);
	}
	for (const struct waker *w = NULL; (w = gt_map_next(&s->wakers, sizeof *w, w));) {
		const struct waker **most = &s->threads[w->thread].most;

		if (!*most || w->n > (*most)->n || (w->n == (*most)->n && w->order < (*most)->order))
			*most = w;
	}
	return rc;
}

static void add_counts(struct state *s)
{
	for (uint64_t i = 0; i < gt_model_run_delay_count(s->m); i++) {
		const struct gt_run_delay *d = gt_model_run_delay(s->m, i);

		s->threads[d->thread].seen = true;
		s->threads[d->thread].counted = d;
	}
}

static void put_waker(const struct waker *most, char *to, size_t bytes)
{
	if (!most)
		*to = 0;
	else if (most->tid)
		snprintf(to, bytes, "%d", most->tid);
	else
		snprintf(to, bytes, "interrupts");
}

static int put_row(const struct state *s, uint32_t i, struct gt_table *t)
{
	const struct gt_thread *is = gt_model_thread(s->m, i);
	const struct thread *th = &s->threads[i];
	bool guess = th->guessed, states = guess || !s->estimate;
	char waker[24];

	put_waker(th->most, waker, sizeof waker);
	const struct gt_cell cell[] = {
		gt_integer(gt_model_process(s->m, is->process)->pid),
		gt_integer(is->tid),
		states ? gt_integer(th->in[GT_STATE_RUNNING]) : gt_none(),
		states && !guess ? gt_integer(th->in[GT_STATE_READY]) : gt_none(),
		states ? gt_integer(th->in[GT_STATE_WAITING]) : gt_none(),
		th->counted ? gt_integer(th->counted->ran_ns) : gt_none(),
		th->counted ? gt_integer(th->counted->delay_ns) : gt_none(),
		th->counted ? gt_integer((int64_t)th->counted->turns) : gt_none(),
		gt_model_waking_count(s->m) ? gt_integer((int64_t)th->woken) : gt_none(),
		gt_text(waker),
		gt_text(guess ? "estimated" : states ? "recorded" : ""),
		gt_text(is->name),
	};
	return gt_table_row(t, cell);
}

static const char *name_of_silent(const struct gt_model *m, const struct gt_silent_thread *v)
{
	for (uint32_t i = 0; i < gt_model_other_thread_count(m); i++) {
		const struct gt_other_thread *o = gt_model_other_thread(m, i);

		if (o->process == v->process && o->tid == v->tid)
			return o->name;
	}
	return "";
}

/* They recorded nothing, so no call of theirs waited: it is known when they were made and were gone. */
static int put_silent(const struct state *s, struct gt_table *t)
{
	struct gt_silent_thread v;
	int rc = 0;

	for (uint32_t i = 0; !rc && s->estimate && gt_estimate_silent(s->estimate, &i, &v);) {
		clip(s, &v.start_ns, &v.end_ns);
		if (v.end_ns <= v.start_ns)
			continue;
		const struct gt_cell cell[] = {
			gt_integer(gt_model_process(s->m, v.process)->pid),
			gt_integer(v.tid),
			gt_integer(v.end_ns - v.start_ns),
			gt_none(),
			gt_integer(0),
			gt_none(),
			gt_none(),
			gt_none(),
			gt_none(),
			gt_text(""),
			gt_text("estimated"),
			gt_text(name_of_silent(s->m, &v)),
		};
		rc = gt_table_row(t, cell);
	}
	return rc;
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	int rc;

	add_states(s);
	if (s->estimate)
		gt_estimate_end(s->estimate);
	add_counts(s);
	rc = add_wakings(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->threads[i].seen && !rc)
			rc = put_row(s, i, t);
	if (!rc)
		rc = put_silent(s, t);
	gt_estimate_free(s->estimate);
	gt_map_free(&s->wakers, sizeof(struct waker));
	return rc;
}

const struct gt_report gt_reports_sched[] = {
	{ .name = "sched_sum",
		.title = "Threads on Processors",
		.headings = "PID|TID|Running (ns)|Ready (ns)|Waiting (ns)|Counted Running (ns)|Run Delay (ns)|Turns|"
			    "Woken|Mostly By<|States<|Thread<",
		.recorded_by = "-t sched",
		.domain = REC_DOMAIN_OSRT,
		.begin = begin,
		.call = each_call,
		.window = window,
		.end = end },
	{ 0 },
};
