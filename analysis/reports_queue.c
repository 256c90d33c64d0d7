/*
 * analysis/reports_queue.c - how busy each queue was: utilisation and idle gaps
 *
 * Busy time is the union of its commands' device times, so overlap on an out-of-order queue counts once. A gap is a time
 * between two commands in which none ran; before the first and behind the last there is none.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

struct interval { int64_t start, end; };
struct piece { struct piece *next; uint32_t used; struct interval at[1023]; };

struct queue {
	struct queue *next;
	const struct gt_object *object;
	const struct gt_object *device;
	uint64_t commands, kernels;
	struct piece *pieces;
};

struct state {
	struct gt_model *model;
	struct gt_pool *arena;
	struct queue *queues, *latest;
};

static void *begin(const struct gt_report *r, struct gt_model *m, struct gt_pool *a)
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
		*q = (struct queue){ .next = s->queues, .object = c->queue, .device = c->device };
		s->queues = s->latest = q;
	}
	return q;
}

static int call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;
	const struct gt_command *c = call->command;
	struct queue *q;

	(void)t;
	if (!c || !c->timed || !c->queue || c->end_ns < c->start_ns)
		return 0;
	if (!(q = queue_of(s, c)))
		return -1;
	if (!q->pieces || q->pieces->used == sizeof q->pieces->at / sizeof q->pieces->at[0]) {
		struct piece *p = gt_pool_take(s->arena, sizeof *p);

		if (!p)
			return -1;
		p->next = q->pieces;
		q->pieces = p;
	}
	q->pieces->at[q->pieces->used++] = (struct interval){ c->start_ns, c->end_ns };
	q->commands++;
	q->kernels += c->is_kernel;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static struct interval *sorted(struct state *s, const struct queue *q)
{
	struct interval *all = gt_pool_take(s->arena, q->commands * sizeof *all), *at = all;

	if (!all)
		return NULL;
	for (const struct piece *p = q->pieces; p; p = p->next) {
		memcpy(at, p->at, p->used * sizeof *at);
		at += p->used;
	}
	qsort(all, q->commands, sizeof *all, by_start);
	return all;
}

static int row(struct state *s, const struct queue *q, struct gt_table *t)
{
	struct interval *all = sorted(s, q);
	struct gt_samples gaps = { 0 };
	int64_t busy = 0, until;
	char queue[32];

	if (!all)
		return -1;
	until = all[0].start;
	for (uint64_t i = 0; i < q->commands; i++) {
		int64_t from = all[i].start > until ? all[i].start : until;

		if (i && all[i].start > until && gt_samples_add(&gaps, s->arena, all[i].start - until))
			return -1;
		if (all[i].end > from)
			busy += all[i].end - from;
		if (all[i].end > until)
			until = all[i].end;
	}
	int64_t span = until - all[0].start;

	snprintf(queue, sizeof queue, "0x%llX", (unsigned long long)q->object->handle);
	const struct gt_cell cell[] = {
		gt_number(span ? 100.0 * (double)busy / (double)span : 0, 1), gt_integer(busy), gt_integer(span), gt_integer((int64_t)q->commands),
		gt_integer((int64_t)q->kernels), gt_integer((int64_t)gaps.n), gt_integer((int64_t)gaps.sum), gt_number(gt_samples_mean(&gaps), 1),
		gt_number(gt_samples_median(&gaps), 1), gt_integer(gaps.max), gt_integer(gt_model_process(s->model, q->object->process)->pid),
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
	{ "opencl_queue_sum", "OpenCL Queue Summary (Utilisation and Gaps)",
		"Utilization (%)|Busy Time (ns)|Span (ns)|Commands|Kernels|Gaps|Total Gap (ns)|Avg Gap (ns)|Med Gap (ns)|Max Gap (ns)|PID|Device<|Ctx|Queue<",
		false, true, NULL, begin, call, end, NULL },
	{ 0 },
};
