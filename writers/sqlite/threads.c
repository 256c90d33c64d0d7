/*
 * writers/sqlite/threads.c - samples of the processors, and when threads had one
 *
 * A sample's chain has the sample's own id: consumers join COMPOSITE_EVENTS and SAMPLING_CALLCHAINS by it. The end of a
 * thread, which the kernel tells apart, is a row of its own, so that what it ran last has an end.
 *
 * spec: nsys SQLite "Composite events", "Sampling callchains", "Sched events"; threadState and threadBlock of newer
 * editions: docs/sqlite.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/stacks/stacks.h"
#include "model/threads/threads.h"
#include "model/window.h"
#include "writers/sqlite/feed.h"

/* ENUM_SAMPLING_THREAD_STATE */
enum { STATE_UNKNOWN = 0, STATE_RUNNING = 1, STATE_TERMINATED = 5, STATE_WAITING = 7 };
/* ENUM_STACK_UNWIND_METHOD */
enum { UNWIND_FRAME_POINTER = 1, UNWIND_DWARF_EH = 6 };

enum { CE_id, CE_start, CE_cpu, CE_threadState, CE_globalTid, CE_cpuCycles, CE_CELLS };
enum { SE_start, SE_cpu, SE_isSchedIn, SE_globalTid, SE_threadState, SE_CELLS };

static bool wanted(const struct gt_sql_feeder *f, int64_t ns)
{
	return gt_overlaps(f->x->from_ns, f->x->to_ns, ns, ns);
}

/* What a sample counts for: 1, or in the older edition the counter's value, where it is one. */
static int64_t weight_of(const struct gt_sql_feeder *f, const struct gt_sample *s)
{
	return gt_sql_is_2021(f->db) && s->by == REC_SAMPLE_CYCLES ? (int64_t)s->period : 1;
}

static int method_of(const struct gt_sql_feeder *f, const struct gt_sample *s)
{
	const struct gt_stack *k = gt_model_stack(f->m, (uint32_t)s->stack);

	return k && !(k->flags & REC_STACK_GUESSED) ? UNWIND_DWARF_EH : UNWIND_FRAME_POINTER;
}

static void add_samples(struct gt_sql_feeder *f)
{
	static const char *const cells[CE_CELLS] = { "id", "start", "cpu", "threadState", "globalTid", "cpuCycles" };
	struct gt_sql_table *table = gt_sql_feed(f->db, "COMPOSITE_EVENTS", cells, CE_CELLS);
	int64_t id = 0;

	for (uint64_t i = 0; i < gt_model_sample_count(f->m); i++) {
		const struct gt_sample *s = gt_model_sample(f->m, i);
		struct gt_sql_row *r;

		if (!wanted(f, s->time_ns))
			continue;
		r = gt_sql_add(table);
		gt_put(r, CE_id, ++id);
		gt_put(r, CE_start, s->time_ns);
		gt_put(r, CE_cpu, s->cpu);
		gt_put(r, CE_threadState, STATE_RUNNING);
		gt_put(r, CE_globalTid, gt_sql_tid(f, s->process, s->thread));
		gt_put(r, CE_cpuCycles, weight_of(f, s));
		f->thread_used[s->thread] = true;
		gt_sql_sample_chain(f, id, (uint32_t)s->stack, method_of(f, s));
	}
}

static int64_t state_behind(uint32_t what)
{
	return what == REC_SWITCH_IN ? STATE_UNKNOWN : what == REC_SWITCH_PREEMPTED ? STATE_RUNNING : STATE_WAITING;
}

static void add_switch(struct gt_sql_feeder *f, struct gt_sql_table *table, const struct gt_switch *s, int64_t state)
{
	struct gt_sql_row *r;

	if (!wanted(f, s->time_ns))
		return;
	r = gt_sql_add(table);
	gt_put(r, SE_start, s->time_ns);
	gt_put(r, SE_cpu, s->cpu);
	gt_put(r, SE_isSchedIn, s->what == REC_SWITCH_IN);
	gt_put(r, SE_globalTid, gt_sql_tid(f, s->process, s->thread));
	gt_put(r, SE_threadState, state);
	f->thread_used[s->thread] = true;
}

static int by_time(const void *a, const void *b)
{
	const struct gt_task *x = *(const struct gt_task *const *)a, *y = *(const struct gt_task *const *)b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Ends of threads, in the order of time; NULL: no memory. */
static const struct gt_task **ends_of(const struct gt_model *m, uint32_t *n)
{
	const struct gt_task **v = calloc(gt_model_task_count(m) + 1, sizeof *v);

	*n = 0;
	for (uint32_t i = 0; v && i < gt_model_task_count(m); i++)
		if (gt_model_task(m, i)->what == REC_TASK_ENDS)
			v[(*n)++] = gt_model_task(m, i);
	if (v && *n)
		qsort(v, *n, sizeof *v, by_time);
	return v;
}

/* A thread that had no processor when it ended was told already. last: by thread, its last switch + 1. */
static void add_end(
	struct gt_sql_feeder *f, struct gt_sql_table *table, const struct gt_task *end, const uint64_t *last)
{
	const struct gt_switch *before =
		last[end->thread] ? gt_model_switch(f->m, last[end->thread] - 1) : NULL;
	struct gt_switch s;

	if (!before || before->what != REC_SWITCH_IN)
		return;
	s = *before;
	s.time_ns = end->time_ns;
	s.what = REC_SWITCH_OUT;
	add_switch(f, table, &s, STATE_TERMINATED);
}

/* Switches, and between them the ends of threads. False: no memory. */
static bool add_switches(struct gt_sql_feeder *f)
{
	static const char *const cells[SE_CELLS] = { "start", "cpu", "isSchedIn", "globalTid", "threadState" };
	struct gt_sql_table *table = gt_sql_feed(f->db, "SCHED_EVENTS", cells, SE_CELLS);
	uint64_t *last = calloc(gt_model_thread_count(f->m) + 1, sizeof *last), all = gt_model_switch_count(f->m);
	uint32_t n, at = 0;
	const struct gt_task **ends = ends_of(f->m, &n);

	for (uint64_t i = 0; last && ends && i <= all; i++) {
		const struct gt_switch *s = gt_model_switch(f->m, i);

		for (; at < n && (!s || ends[at]->time_ns < s->time_ns); at++)
			add_end(f, table, ends[at], last);
		if (!s)
			break;
		add_switch(f, table, s, state_behind(s->what));
		last[s->thread] = i + 1;
	}
	bool good = last && ends;

	free(last);
	free(ends);
	return good;
}

bool gt_sql_threads(struct gt_sql_feeder *f)
{
	if (gt_model_sample_count(f->m))
		add_samples(f);
	return !gt_model_switch_count(f->m) || add_switches(f);
}
