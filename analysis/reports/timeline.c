/*
 * analysis/reports/timeline.c - where the wall time of each process went, on the device and on the host
 *
 * A sweep over the timeline: what has begun and not ended is counted by kind, its end waits in a heap. The host's part
 * is a partition: a moment belongs to the API when some thread is inside a call and does not wait, else to waiting when
 * one waits, else to the program's own code when a thread that is known is outside of all calls, else to the lack of a
 * processor when such a thread could run, else to the C library.
 *
 * TIMELINESUM1  A thread is known from its first item to its end, a main thread from the process' start. Workers that
 *               wait for work all the time do not hide that another thread computes.
 * TIMELINESUM2  A thread counts once among those that do not compute: inside a function of the C library, or blocked
 *               by the kernel (OS), or without a processor outside of both (READY).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/hot.h"
#include "analysis/reports/report.h"
#include "analysis/sum.h"
#include "common/memory.h"
#include "model/threads/host_state.h"

/*
 * Of the host; what counts are calls that are open. WAITING: CUDA's waits, which lie inside calls. OS, READY: threads
 * that are there (TIMELINESUM2). ALIVE: threads that are known. STATE: ends of what the kernel told of a thread.
 */
enum kind { BUSY, API, WAIT, WAITING, OS, READY, ALIVE, STATE, KINDS };
enum { HOST_READY = GT_HOST_API + 1, HOSTS };

struct ending { int64_t at; enum kind kind; uint32_t track; };
/* in_os: how many of its calls of the C library are open. counts: OS, READY; KINDS: as neither. */
struct thread { bool seen, knows; enum gt_state state; uint32_t in_os; enum kind counts; };

struct process {
	struct ending *heap; size_t n, room;
	int64_t open[KINDS];
	int64_t first, last, now;         /* GT_NO_TIME: nothing yet */
	int64_t busy, host[HOSTS];        /* by enum gt_host_state, HOST_READY */
	struct gt_groups os;              /* time in functions of the C library, by name */
	bool scheduled;                   /* there are states of its threads */
	struct gt_hot hot;
};

struct state {
	struct gt_model *m;
	struct gt_pool *pool;
	struct process *process;
	uint32_t n;
	struct thread *threads; size_t n_threads, room; /* by track */
	int64_t from_ns, to_ns;
};

/* ---- the heap of ends ---- */

static bool push(struct process *p, struct ending e)
{
	size_t i = p->n;

	if (!gt_grow((void **)&p->heap, p->n, &p->room, sizeof *p->heap))
		return false;
	for (p->n++; i && e.at < p->heap[(i - 1) / 2].at; i = (i - 1) / 2)
		p->heap[i] = p->heap[(i - 1) / 2];
	p->heap[i] = e;
	return true;
}

static struct ending pop(struct process *p)
{
	struct ending top = p->heap[0], moving = p->heap[--p->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= p->n)
			break;
		child += child + 1 < p->n && p->heap[child + 1].at < p->heap[child].at;
		if (p->heap[child].at >= moving.at)
			break;
		p->heap[i] = p->heap[child];
		i = child;
	}
	if (p->n)
		p->heap[i] = moving;
	return top;
}

/* ---- the sweep ---- */

static unsigned host_of(const struct process *p)
{
	if (p->open[API] > p->open[WAITING])
		return GT_HOST_API;
	if (p->open[WAIT] + p->open[WAITING])
		return GT_HOST_WAIT;
	if (!(p->open[OS] + p->open[READY]) || p->open[OS] + p->open[READY] < p->open[ALIVE])
		return GT_HOST_CODE; /* TIMELINESUM1 */
	return p->open[READY] ? HOST_READY : GT_HOST_OS;
}

/* Time passes, up to a moment of the window. */
static void pass(const struct state *s, struct process *p, int64_t to)
{
	if (s->to_ns != GT_NO_TIME && to > s->to_ns)
		to = s->to_ns;
	if (to <= p->now)
		return;
	p->busy += p->open[BUSY] ? to - p->now : 0;
	p->host[host_of(p)] += to - p->now;
	p->now = to;
}

/* TIMELINESUM2: what it counts as has changed, or may have. */
static void count_thread(struct process *p, struct thread *th)
{
	enum kind is = th->in_os || (th->knows && th->state == GT_STATE_WAITING) ? OS
		: th->knows && th->state == GT_STATE_READY			 ? READY
										 : KINDS;

	if (th->counts != KINDS)
		p->open[th->counts]--;
	if (is != KINDS)
		p->open[is]++;
	th->counts = is;
}

static void end_one(const struct state *s, struct process *p, const struct ending *e)
{
	struct thread *th = &s->threads[e->track];

	if (e->kind != OS && e->kind != STATE) {
		p->open[e->kind]--;
		return;
	}
	if (e->kind == OS)
		th->in_os--;
	else
		th->knows = false;
	count_thread(p, th);
}

static void advance(const struct state *s, struct process *p, int64_t to)
{
	while (p->n && p->heap[0].at <= to) {
		struct ending e = pop(p);

		pass(s, p, e.at);
		end_one(s, p, &e);
	}
	pass(s, p, to);
}

static int open_until(struct process *p, int64_t end, enum kind kind, uint32_t track)
{
	p->open[kind]++;
	return push(p, (struct ending){ end, kind, track }) ? 0 : -1;
}

/* TIMELINESUM1. NULL: no memory. */
static struct thread *thread_at(struct state *s, struct process *p, const struct gt_timeline *t, uint32_t track)
{
	const struct gt_track *is = gt_timeline_track(t, track);
	const struct gt_thread *of = is->thread == GT_NO_THREAD ? NULL : gt_model_thread(s->m, is->thread);
	int64_t end = of && of->end_ns != GT_NO_TIME ? of->end_ns : INT64_MAX;

	while (s->n_threads <= track) {
		if (!gt_grow((void **)&s->threads, s->n_threads, &s->room, sizeof *s->threads))
			return NULL;
		s->threads[s->n_threads++] = (struct thread){ .counts = KINDS };
	}
	if (!s->threads[track].seen && !(of && of->main) && end > p->now && open_until(p, end, ALIVE, track))
		return NULL;
	s->threads[track].seen = true;
	return &s->threads[track];
}

static int begin_item(const struct state *s, struct process *p, const struct gt_item *item, enum kind kind)
{
	int64_t end = item->never_ended ? INT64_MAX : item->end_ns;

	advance(s, p, item->start_ns);
	return end <= item->start_ns ? 0 : open_until(p, end, kind, item->track);
}

static int begin_os(struct state *s, struct process *p, const struct gt_item *item)
{
	int64_t end = item->never_ended ? INT64_MAX : item->end_ns;
	struct thread *th = &s->threads[item->track];

	if (end <= item->start_ns)
		return 0;
	th->in_os++;
	count_thread(p, th);
	return push(p, (struct ending){ end, OS, item->track }) ? 0 : -1;
}

/* A state ends where the thread's next one begins, and is taken from the heap before that is told. */
static int begin_state(struct state *s, struct process *p, const struct gt_timeline *t, const struct gt_item *item)
{
	uint32_t track = gt_timeline_track(t, item->track)->parent;
	struct thread *th;

	advance(s, p, item->start_ns);
	p->scheduled = true;
	th = thread_at(s, p, t, track);
	if (!th)
		return -1;
	if (item->end_ns <= item->start_ns)
		return 0;
	th->knows = true;
	th->state = (enum gt_state)item->state->state;
	count_thread(p, th);
	return push(p, (struct ending){ item->end_ns, STATE, track }) ? 0 : -1;
}

static int add_os(struct state *s, struct process *p, const struct gt_item *item)
{
	struct gt_group *g;

	if (item->never_ended)
		return 0;
	p->os.arena = s->pool;
	p->os.n_samples = 1;
	g = gt_groups_get_fixed(&p->os, item->fn->name, "");
	return g ? gt_samples_add(&g->samples[0], s->pool, item->end_ns - item->start_ns) : -1;
}

static int each_item(void *state, const struct gt_timeline *t, const struct gt_item *item)
{
	struct state *s = state;
	struct process *p = &s->process[item->process];
	enum gt_host_state host;

	if (gt_is_busy(item))
		return begin_item(s, p, item, BUSY);
	if (gt_sync_waits(item))
		return begin_item(s, p, item, WAITING);
	if (item->kind == GT_ITEM_STATE)
		return begin_state(s, p, t, item);
	if (item->kind == GT_ITEM_SAMPLE)
		return gt_hot_add(&p->hot, (uint32_t)item->sample->stack) ? 0 : -1;
	if (item->kind != GT_ITEM_CALL)
		return 0;
	host = gt_host_state_of(item);
	advance(s, p, item->start_ns);
	if (!thread_at(s, p, t, item->track) || (host == GT_HOST_OS && add_os(s, p, item)))
		return -1;
	if (host == GT_HOST_OS)
		return begin_os(s, p, item);
	return host == GT_HOST_CODE ? 0 : begin_item(s, p, item, host == GT_HOST_WAIT ? WAIT : API);
}

/* ---- life ---- */

static int64_t has_main(const struct gt_model *m, uint32_t process)
{
	const struct gt_process *p = gt_model_process(m, process);
	bool found = false;

	for (uint32_t i = 0; i < p->n_threads; i++)
		found |= gt_model_thread(m, p->first_thread + i)->main;
	return found;
}

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (!s)
		return NULL;
	*s = (struct state){ .m = m, .pool = a, .n = gt_model_process_count(m), .from_ns = GT_NO_TIME,
		.to_ns = GT_NO_TIME };
	s->process = gt_pool_take(a, (s->n + 1ull) * sizeof *s->process);
	for (uint32_t i = 0; s->process && i < s->n; i++) {
		s->process[i].now = s->process[i].first = gt_model_process(m, i)->start_ns;
		s->process[i].open[ALIVE] = has_main(m, i);
	}
	return s->process ? s : NULL;
}

static void window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct state *s = state;

	s->from_ns = from_ns;
	s->to_ns = to_ns;
	for (uint32_t i = 0; i < s->n; i++)
		if (from_ns != GT_NO_TIME && from_ns > s->process[i].first)
			s->process[i].now = s->process[i].first = from_ns;
}

static const char *os_mostly(struct process *p)
{
	struct gt_group **g = p->os.n ? gt_groups_sorted(&p->os) : NULL;

	return g ? g[0]->text[0] : "";
}

static unsigned put_time(struct gt_cell *cell, int64_t ns, int64_t wall)
{
	cell[0] = wall ? gt_number(100.0 * (double)ns / (double)wall, 1) : gt_none();
	cell[1] = gt_integer(ns);
	return 2;
}

static int put_row(const struct state *s, struct process *p, uint32_t i, struct gt_table *t)
{
	const struct gt_process *is = gt_model_process(s->m, i);
	int64_t wall = p->now - p->first;
	const int64_t parts[] = { p->busy, p->host[GT_HOST_API], p->host[GT_HOST_WAIT], p->host[GT_HOST_OS],
		p->host[GT_HOST_CODE] };
	struct gt_text hot = { 0 };
	struct gt_cell cell[20];
	unsigned n = 0;
	int rc;

	gt_hot_text(&p->hot, s->m, &hot);
	gt_text_char(&hot, 0);
	cell[n++] = gt_integer(is->pid);
	cell[n++] = gt_integer(wall);
	for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++)
		n += put_time(&cell[n], parts[k], wall);
	if (p->scheduled) {
		n += put_time(&cell[n], p->host[HOST_READY], wall);
	} else {
		cell[n++] = gt_none();
		cell[n++] = gt_none();
	}
	cell[n++] = gt_text(os_mostly(p));
	cell[n++] = gt_text(hot.failed ? "" : hot.data);
	cell[n++] = gt_text(is->image ? is->image : "");
	rc = gt_table_row(t, cell);
	gt_text_free(&hot);
	return rc;
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	int rc = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct process *p = &s->process[i];
		int64_t last = gt_model_process(s->m, i)->end_ns;

		advance(s, p, last == GT_NO_TIME ? p->now : last);
		if (!rc && p->now > p->first)
			rc = put_row(s, p, i, t);
		free(p->heap);
		gt_hot_free(&p->hot);
	}
	free(s->threads);
	return rc;
}

const struct gt_report gt_reports_timeline[] = {
	{ .name = "timeline_sum",
		.title = "Where the Time Went (Processes)",
		.headings = "PID|Wall (ns)|Device (%)|Device (ns)|API (%)|API (ns)|Waiting (%)|Waiting (ns)|"
			    "OS Runtime (%)|OS Runtime (ns)|Elsewhere (%)|Elsewhere (ns)|No Processor (%)|"
			    "No Processor (ns)|OS Mostly<|Computes Mostly<|Process<",
		.begin = begin,
		.window = window,
		.item = each_item,
		.end = end },
	{ 0 },
};
