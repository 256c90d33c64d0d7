/*
 * analysis/reports/waits.c - waits of threads for each other: for whom, and who ended them (-t osrt)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "analysis/sum.h"
#include "model/threads/waits.h"

struct state {
	struct gt_model *model;
	struct gt_waits *waits;
	struct gt_sum *sum;               /* of the report that sums */
	struct gt_table *table;           /* of the one that does not */
};

static void who(const struct gt_model *m, uint32_t thread, int tid, char *to, size_t bytes)
{
	const char *name = thread != UINT32_MAX ? gt_model_thread(m, thread)->name : "";

	if (tid < 0)
		snprintf(to, bytes, "unknown");
	else if (*name)
		snprintf(to, bytes, "%d (%s)", tid, name);
	else
		snprintf(to, bytes, "%d", tid);
}

static int sum_wait(void *ctx, const struct gt_wait *wait)
{
	struct state *s = ctx;
	char by[96], of[96];

	who(s->model, wait->other, wait->other_tid, by, sizeof by);
	who(s->model, wait->thread, gt_model_thread(s->model, wait->thread)->tid, of, sizeof of);
	return gt_sum_add(s->sum, wait->end_ns - wait->start_ns, wait->fn->name, of, by);
}

static int trace_wait(void *ctx, const struct gt_wait *wait)
{
	const struct state *s = ctx;
	char object[24];

	snprintf(object, sizeof object, "0x%llx", (unsigned long long)wait->object);
	const struct gt_cell cell[] = {
		gt_integer(wait->start_ns),
		gt_integer(wait->end_ns - wait->start_ns),
		gt_integer((int64_t)wait->id),
		gt_integer(gt_model_process(s->model, wait->process)->pid),
		gt_integer(gt_model_thread(s->model, wait->thread)->tid),
		gt_text(wait->fn->name),
		gt_text(gt_wait_word(wait->what)),
		wait->what == GT_WAIT_PROCESS || wait->what == GT_WAIT_ANYTHING ? gt_none() : gt_text(object),
		wait->other_tid < 0 ? gt_none() : gt_integer(wait->other_tid),
		wait->by ? gt_text(wait->by->name) : wait->by_kernel ? gt_text("(the kernel said so)") : gt_none(),
		wait->by ? gt_integer((int64_t)wait->by_id) : gt_none(),
		wait->by || wait->by_kernel ? gt_integer(wait->by_ns) : gt_none(),
	};
	return gt_table_row(s->table, cell);
}

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	if (!s)
		return NULL;
	*s = (struct state){ .model = m };
	if (!r->report->stream && !(s->sum = gt_sum_begin(r, m, a)))
		return NULL;
	s->waits = gt_waits_new(m, r->report->stream ? trace_wait : sum_wait, s);
	return s->waits ? s : NULL;
}

static int each_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;

	s->table = t;
	return gt_waits_call(s->waits, call);
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	int rc;

	s->table = t;
	rc = gt_waits_end(s->waits);
	gt_waits_free(s->waits);
	return rc || !s->sum ? rc : gt_sum_end(s->sum, t);
}

const struct gt_report gt_reports_waits[] = {
	{ .name = "osrt_wait_sum",
		.title = "OS Runtime Waits, and Who Ended Them",
		.headings = GT_TIMES("Num Waits") "Name<|Thread<|Ended By<",
		.recorded_by = "-t osrt",
		.domain = REC_DOMAIN_OSRT,
		.begin = begin,
		.call = each_call,
		.end = end,
		.detail = &(const struct gt_sum_detail){ .texts = 3 } },
	{ .name = "osrt_wait_trace",
		.title = "OS Runtime Wait Trace",
		.headings = "Start (ns)|Duration (ns)|CorrID|Pid|Tid|Name<|For<|Object<|Ended By Tid|Ended By<|"
			    "By CorrID|By Start (ns)",
		.recorded_by = "-t osrt",
		.domain = REC_DOMAIN_OSRT,
		.stream = true,
		.begin = begin,
		.call = each_call,
		.end = end },
	{ 0 },
};
