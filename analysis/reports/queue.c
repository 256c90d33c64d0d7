/*
 * analysis/reports/queue.c - how busy each queue was: utilisation and idle gaps
 *
 * Busy time is the union of its commands' device times, so overlap on an out-of-order queue counts once. A gap is a
 * time between two commands in which none ran; before the first and behind the last there is none.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report.h"

struct interval { int64_t start, end; };

/*
 * Intervals of a queue in order of start. Commands come in the order of their calls, which is nearly that: a command
 * waits in `late` until so many came behind it. One that is later still makes the queue `unsorted`, and it is sorted at
 * the end.
 */
enum { LATE = 64 };
struct queue {
	struct queue *next;
	struct queue *more;             /* what another worker was told of it */
	struct gt_pool *arena;
	uint32_t process, id;           /* the object's; the object itself may be gone when rows are made */
	uint64_t handle;
	int64_t context;                /* its number from 1; 0: it is not known */
	const char *device;             /* NULL: the same */
	int64_t first_ns;               /* the first call that used it */
	uint64_t first_id;
	uint64_t commands, kernels;     /* of this part */
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

static bool is_of(const struct queue *q, const struct gt_object *o)
{
	return q->id == o->id && q->process == o->process;
}

static struct queue *queue_of(struct state *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	const struct gt_object *o = c->queue;
	struct queue *q = s->latest;

	if (q && is_of(q, o))
		return q;
	for (q = s->queues; q; q = q->next)
		if (is_of(q, o))
			return s->latest = q;
	q = gt_pool_take(s->arena, sizeof *q);
	if (q) {
		*q = (struct queue){ .next = s->queues, .arena = s->arena, .process = o->process, .id = o->id,
			.handle = o->handle, .context = o->context ? o->context->id + 1ll : 0,
			.device = c->device ? c->device->name.text : NULL, .first_ns = call->start_ns,
			.first_id = call->id, .latest = INT64_MIN };
		s->queues = s->latest = q;
	}
	return q;
}

static int put(struct queue *q, struct interval v)
{
	struct interval *slot = gt_list_add(&q->intervals, q->arena, sizeof *slot);

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
	if (!(q = queue_of(s, call)))
		return -1;
	if (q->n_late == LATE) {
		if (put(q, q->late[0]))
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

/* ------------------------------------------------------------ several workers */

/* In the order in which the walk comes to them. */
static bool used_before(const struct queue *a, const struct queue *b)
{
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns;
	if (a->process != b->process)
		return a->process < b->process;
	return a->first_id < b->first_id;
}

/* Who used it first comes first: that part knows the device as one worker alone would. */
static struct queue *joined(struct queue *a, struct queue *b)
{
	struct queue *first = used_before(a, b) ? a : b, *last = first, *other = first == a ? b : a;

	while (last->more)
		last = last->more;
	last->more = other;
	return first;
}

static int join(void *state, void *from)
{
	struct state *s = state;

	for (struct queue *q = ((struct state *)from)->queues, *next; q; q = next) {
		struct queue **at = &s->queues, *rest;

		next = q->next;
		while (*at && ((*at)->id != q->id || (*at)->process != q->process))
			at = &(*at)->next;
		rest = *at ? (*at)->next : NULL;
		*at = *at ? joined(*at, q) : q;
		(*at)->next = rest;
	}
	s->latest = NULL;
	return 0;
}

/* ---------------------------------------------------------------- adding up */

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static uint64_t commands(const struct queue *q)
{
	uint64_t n = 0;

	for (; q; q = q->more)
		n += q->commands;
	return n;
}

static uint64_t kernels(const struct queue *q)
{
	uint64_t n = 0;

	for (; q; q = q->more)
		n += q->kernels;
	return n;
}

/* All in one piece. */
static struct interval *sorted(struct state *s, const struct queue *q)
{
	char *all = gt_pool_take(s->arena, commands(q) * sizeof(struct interval)), *at = all;

	for (const struct queue *part = q; all && part; part = part->more) {
		struct gt_list_reader list = { .pool = part->arena, .list = &part->intervals };
		const void *piece;
		size_t bytes;

		for (; (piece = gt_list_next(&list, &bytes)); at += bytes)
			memcpy(at, piece, bytes);
	}
	if (all)
		qsort(all, commands(q), sizeof(struct interval), by_start);
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

/* A part's intervals, in their order. */
struct part { struct gt_list_reader list; const struct interval *v; size_t n; };

/* Moves on to the next one. Without one, v is NULL. */
static void step(struct part *p)
{
	size_t bytes;

	if (p->n && --p->n) {
		p->v++;
		return;
	}
	p->v = gt_list_next(&p->list, &bytes);
	p->n = p->v ? bytes / sizeof *p->v : 0;
}

static struct part *earliest(struct part *parts, unsigned n)
{
	struct part *first = NULL;

	for (unsigned i = 0; i < n; i++)
		if (parts[i].v && (!first || parts[i].v->start < first->v->start))
			first = &parts[i];
	return first;
}

/* Each part is in order: the least of their next ones is the next one of all. */
static int add_in_order(struct state *s, const struct queue *q, unsigned n, struct times *t)
{
	struct part *parts = gt_pool_take(s->arena, n * sizeof *parts), *p;
	unsigned i = 0;

	if (!parts)
		return -1;
	for (; q; q = q->more) {
		parts[i].list = (struct gt_list_reader){ .pool = q->arena, .list = &q->intervals };
		step(&parts[i++]);
	}
	while ((p = earliest(parts, n))) {
		if (add(s, t, p->v))
			return -1;
		step(p);
	}
	return 0;
}

/*
 * The gaps go into this state's own pool while those of the parts are read: of one pool, one list is read at a time,
 * and others may grow.
 */
static int add_up(struct state *s, struct queue *q, struct times *t)
{
	bool unsorted = false;
	unsigned n = 0;

	for (struct queue *part = q; part; part = part->more, n++) {
		for (unsigned i = 0; i < part->n_late; i++)
			if (put(part, part->late[i]))
				return -1;
		unsorted |= part->unsorted;
	}
	if (!unsorted)
		return add_in_order(s, q, n, t);
	struct interval *all = sorted(s, q);
	uint64_t count = commands(q);

	for (uint64_t i = 0; all && i < count; i++)
		if (add(s, t, &all[i]))
			return -1;
	return all ? 0 : -1;
}

static int row(struct state *s, struct queue *q, struct gt_table *t)
{
	struct times v = { .begun = false };
	char queue[32];

	if (add_up(s, q, &v))
		return -1;
	int64_t span = v.until - v.start;

	snprintf(queue, sizeof queue, "0x%llX", (unsigned long long)q->handle);
	const struct gt_cell cell[] = {
		gt_number(span ? 100.0 * (double)v.busy / (double)span : 0, 1), gt_integer(v.busy), gt_integer(span),
		gt_integer((int64_t)commands(q)), gt_integer((int64_t)kernels(q)),
		gt_integer((int64_t)v.gaps.n), gt_integer((int64_t)v.gaps.sum),
		gt_number(gt_samples_mean(&v.gaps), 1),
		gt_number(gt_samples_median(&v.gaps), 1), gt_integer(v.gaps.max),
		gt_integer(gt_model_process(s->model, q->process)->pid),
		gt_text(q->device ? q->device : "?"),
		q->context ? gt_integer(q->context) : gt_none(),
		gt_text(queue),
	};
	return gt_table_row(t, cell);
}

static int by_first_use(const void *a, const void *b)
{
	const struct queue *x = *(struct queue *const *)a, *y = *(struct queue *const *)b;

	return used_before(x, y) ? -1 : used_before(y, x);
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	struct queue **all;
	size_t n = 0;

	for (const struct queue *q = s->queues; q; q = q->next)
		n++;
	if (!(all = gt_pool_take(s->arena, (n + 1) * sizeof *all)))
		return -1;
	n = 0;
	for (struct queue *q = s->queues; q; q = q->next)
		all[n++] = q;
	qsort(all, n, sizeof *all, by_first_use);
	for (size_t i = 0; i < n; i++)
		if (row(s, all[i], t))
			return -1;
	return 0;
}

const struct gt_report gt_reports_queue[] = {
	{ .name = "opencl_queue_sum",
		.title = "OpenCL Queue Summary (Utilisation and Gaps)",
		.begin = begin,
		.call = call,
		.join = join,
		.commands = true,
		.end = end,
		.headings = "Utilization (%)|Busy Time (ns)|Span (ns)|Commands|Kernels|Gaps|Total Gap (ns)|Avg Gap "
	                    "(ns)|Med Gap (ns)|Max Gap (ns)|PID|"
			    "Device<|Ctx|Queue<" },
	{ 0 },
};
