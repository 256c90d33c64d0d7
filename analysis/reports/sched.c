/*
 * analysis/reports/sched.c - each thread's time on a processor, ready for one and waiting, and who woke it (-t sched)
 *
 * Two sources that know nothing of each other: states come from switches and wakings, and hold for the window; what the
 * kernel counted of a thread holds from its beginning to the last look at it.
 *
 * Where no switches were recorded, states are estimated from the calls of the C library (-t osrt): a thread waits while
 * it is inside one, and else it runs, or could.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/reports/report.h"
#include "common/memory.h"
#include "model/threads/threads.h"
#include "model/window.h"

struct waker { int tid; uint64_t n; };
struct thread {
	bool seen;
	int64_t first_ns, waited_until;   /* estimated: its first call's start, the latest end of its calls so far */
	int64_t in[GT_STATE_WAITING + 1]; /* ns, by enum gt_state */
	const struct gt_run_delay *counted;                   /* the last */
	uint64_t woken;
	GT_LIST(struct waker) by;
};

struct state {
	struct gt_model *m;
	int64_t from_ns, to_ns;
	struct thread *threads; uint32_t n;
	bool estimated;                   /* no switches: by calls */
};

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (!s)
		return NULL;
	*s = (struct state){ .m = m, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .n = gt_model_thread_count(m),
		.estimated = !gt_model_switch_count(m) };
	s->threads = gt_pool_take(a, (s->n + 1ull) * sizeof *s->threads);
	for (uint32_t i = 0; s->threads && i < s->n; i++)
		s->threads[i].waited_until = GT_NO_TIME;
	return s->threads ? s : NULL;
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

/* Of calls inside each other, or in a handler, the outer one waits. */
static int each_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;
	struct thread *th = &s->threads[call->thread];
	int64_t start = call->start_ns, end = call->end_ns;

	(void)t;
	if (!s->estimated || call->fn->domain != REC_DOMAIN_OSRT)
		return 0;
	clip(s, &start, &end);
	th->seen = true;
	if (th->waited_until == GT_NO_TIME)
		th->first_ns = th->waited_until = start;
	start = start < th->waited_until ? th->waited_until : start;
	if (end <= start)
		return 0;
	th->in[GT_STATE_WAITING] += end - start;
	th->waited_until = end;
	return 0;
}

/* Of a thread that called: the rest of the time from its first call to its end. */
static void estimate(const struct state *s, uint32_t i)
{
	const struct gt_thread *is = gt_model_thread(s->m, i);
	struct thread *th = &s->threads[i];
	int64_t start = th->first_ns,
		end = is->end_ns != GT_NO_TIME ? is->end_ns : gt_model_process(s->m, is->process)->end_ns;

	clip(s, &start, &end);
	if (end - start > th->in[GT_STATE_WAITING])
		th->in[GT_STATE_RUNNING] = end - start - th->in[GT_STATE_WAITING];
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

static int add_waker(struct thread *th, int tid)
{
	struct waker *w;

	th->woken++;
	for (uint32_t i = 0; i < th->by.n; i++)
		if (th->by.v[i].tid == tid) {
			th->by.v[i].n++;
			return 0;
		}
	w = GT_LIST_ADD(&th->by);
	if (w)
		*w = (struct waker){ tid, 1 };
	return w ? 0 : -1;
}

static int add_wakings(struct state *s)
{
	int rc = 0;

	for (uint64_t i = 0; i < gt_model_waking_count(s->m) && !rc; i++) {
		const struct gt_waking *w = gt_model_waking(s->m, i);

		if (gt_overlaps(s->from_ns, s->to_ns, w->time_ns, w->time_ns))
			rc = add_waker(&s->threads[w->thread], w->waker_tid);
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

static void put_waker(const struct thread *th, char *to, size_t bytes)
{
	const struct waker *most = NULL;

	for (uint32_t i = 0; i < th->by.n; i++)
		if (!most || th->by.v[i].n > most->n)
			most = &th->by.v[i];
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
	bool guess = s->estimated && th->waited_until != GT_NO_TIME, states = guess || !s->estimated;
	char waker[24];

	put_waker(th, waker, sizeof waker);
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

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	int rc;

	add_states(s);
	for (uint32_t i = 0; i < s->n && s->estimated; i++)
		if (s->threads[i].waited_until != GT_NO_TIME)
			estimate(s, i);
	add_counts(s);
	rc = add_wakings(s);
	for (uint32_t i = 0; i < s->n; i++) {
		if (s->threads[i].seen && !rc)
			rc = put_row(s, i, t);
		free(s->threads[i].by.v);
	}
	return rc;
}

const struct gt_report gt_reports_sched[] = {
	{ .name = "sched_sum",
		.title = "Threads on Processors",
		.headings = "PID|TID|Running (ns)|Ready (ns)|Waiting (ns)|Counted Running (ns)|Run Delay (ns)|Turns|"
			    "Woken|Mostly By<|States<|Thread<",
		.domain = REC_DOMAIN_OSRT,
		.begin = begin,
		.call = each_call,
		.window = window,
		.end = end },
	{ 0 },
};
