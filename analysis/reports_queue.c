/*
 * analysis/reports_queue.c - how busy each queue was: utilisation and idle gaps
 *
 * Busy time is the union of its commands' device times, so overlap on an out-of-order queue counts once. A gap is a
 * time between two commands in which none ran; before the first and behind the last there is none.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

struct interval { int64_t start, end; };

/*
 * Intervals of a queue in order of start. Commands come in the order of their calls, which is nearly that: a command
 * waits in `late` until so many came behind it. One that is later still makes the queue `unsorted`, and it is sorted at
 * the end.
 */
enum { LATE = 64 };
struct queue {
	struct queue *next;
	const struct gt_object *object;
	const struct gt_object *device;
	uint64_t commands, kernels;
	struct gt_list intervals;
	struct interval late[LATE];
	unsigned n_late;
	int64_t latest;                 /* start of the last one in the list */
	bool unsorted;
};

struct state {
	struct gt_model *model;
	struct gt_pool *arena;
	struct queue *queues, *latest;
};

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (s)
		*s = (struct state){ .model = m, .arena = a };
	return s;
}

static struct queue *queue_of(struct state *s, const struct gt_command *c)
{
	struct queue *q = s->latest;

	if (q && q->object == c->queue)
		return q;
	for (q = s->queues; q; q = q->next)
		if (q->object == c->queue)
			return s->latest = q;
	q = gt_pool_take(s->arena, sizeof *q);
	if (q) {
		*q = (struct queue){ .next = s->queues, .object = c->queue, .device = c->device, .latest = INT64_MIN };
		s->queues = s->latest = q;
	}
	return q;
}

static int put(struct state *s, struct queue *q, struct interval v)
{
	struct interval *slot = gt_list_add(&q->intervals, s->arena, sizeof *slot);

	if (!slot)
		return -1;
	*slot = v;
	q->unsorted |= v.start < q->latest;
	q->latest = v.start;
	return 0;
}

static int call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;
	const struct gt_command *c = call->command;
	struct queue *q;
	unsigned at;

	(void)t;
	if (!c || !c->timed || !c->queue || c->end_ns < c->start_ns)
		return 0;
	if (!(q = queue_of(s, c)))
		return -1;
	if (q->n_late == LATE) {
		if (put(s, q, q->late[0]))
			return -1;
		memmove(q->late, q->late + 1, --q->n_late * sizeof q->late[0]);
	}
	for (at = q->n_late++; at && q->late[at - 1].start > c->start_ns; at--)
		q->late[at] = q->late[at - 1];
	q->late[at] = (struct interval){ c->start_ns, c->end_ns };
	q->commands++;
	q->kernels += c->is_kernel;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* All in one piece. */
static struct interval *sorted(struct state *s, const struct queue *q)
{
	struct gt_list_reader list = { .pool = s->arena, .list = &q->intervals };
	char *all = gt_pool_take(s->arena, q->commands * sizeof(struct interval)), *at = all;
	const void *piece;
	size_t bytes;

	for (; all && (piece = gt_list_next(&list, &bytes)); at += bytes)
		memcpy(at, piece, bytes);
	if (!all)
		return NULL;
	qsort(all, q->commands, sizeof(struct interval), by_start);
	return (struct interval *)all;
}

struct times { struct gt_samples gaps; int64_t start, until, busy; bool begun; };

static int add(struct state *s, struct times *t, const struct interval *v)
{
	int64_t from = v->start;

	if (!t->begun) {
		*t = (struct times){ .start = v->start, .until = v->start, .begun = true };
	} else if (v->start > t->until) {
		if (gt_samples_add(&t->gaps, s->arena, v->start - t->until))
			return -1;
	} else {
		from = t->until;
	}
	if (v->end > from)
		t->busy += v->end - from;
	if (v->end > t->until)
		t->until = v->end;
	return 0;
}

static int add_up(struct state *s, struct queue *q, struct times *t)
{
	for (unsigned i = 0; i < q->n_late; i++)
		if (put(s, q, q->late[i]))
			return -1;
	if (q->unsorted) {
		struct interval *all = sorted(s, q);

		for (uint64_t i = 0; all && i < q->commands; i++)
			if (add(s, t, &all[i]))
				return -1;
		return all ? 0 : -1;
	}
	struct gt_list_reader list = { .pool = s->arena, .list = &q->intervals };
	const struct interval *v;
	size_t bytes;

	while ((v = gt_list_next(&list, &bytes)))
		for (size_t i = 0; i < bytes / sizeof *v; i++)
			if (add(s, t, &v[i]))
				return -1;
	return 0;
}

static int row(struct state *s, struct queue *q, struct gt_table *t)
{
	struct times v = { .begun = false };
	char queue[32];

	if (add_up(s, q, &v))
		return -1;
	int64_t span = v.until - v.start;

	snprintf(queue, sizeof queue, "0x%llX", (unsigned long long)q->object->handle);
	const struct gt_cell cell[] = {
		gt_number(span ? 100.0 * (double)v.busy / (double)span : 0, 1), gt_integer(v.busy), gt_integer(span),
		gt_integer((int64_t)q->commands),
		gt_integer((int64_t)q->kernels), gt_integer((int64_t)v.gaps.n), gt_integer((int64_t)v.gaps.sum),
		gt_number(gt_samples_mean(&v.gaps), 1),
		gt_number(gt_samples_median(&v.gaps), 1), gt_integer(v.gaps.max),
		gt_integer(gt_model_process(s->model, q->object->process)->pid),
		gt_text(q->device && q->device->name.text ? q->device->name.text : "?"),
			q->object->context ? gt_integer(q->object->context->id + 1) : gt_none(),
		gt_text(queue),
	};
	return gt_table_row(t, cell);
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	struct queue *forward = NULL;

	for (struct queue *q = s->queues, *next; q; q = next) { /* back into the order of first use */
		next = q->next;
		q->next = forward;
		forward = q;
	}
	for (struct queue *q = forward; q; q = q->next)
		if (row(s, q, t))
			return -1;
	return 0;
}

const struct gt_report gt_reports_queue[] = {
	{ .name = "opencl_queue_sum",
		.title = "OpenCL Queue Summary (Utilisation and Gaps)",
		.begin = begin,
		.call = call,
		.commands = true,
		.end = end,
		.headings = "Utilization (%)|Busy Time (ns)|Span (ns)|Commands|Kernels|Gaps|Total Gap (ns)|Avg Gap "
	                    "(ns)|Med Gap (ns)|Max Gap (ns)|PID|"
			    "Device<|Ctx|Queue<" },
	{ 0 },
};
