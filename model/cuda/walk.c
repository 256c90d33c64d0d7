/*
 * model/cuda/walk.c - CUDA calls as the walk hands them out: one after the other in time order
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/cuda/internal.h"
#include "model/cuda/walk.h"
#include "model/window.h"

int gt_cuda_feed_open(struct gt_cuda_feed *f, struct gt_model *m, const struct gt_walk_options *opt, struct gt_err *err)
{
	*f = (struct gt_cuda_feed){ .model = m, .process = opt->process, .nested = opt->cuda_nested };
	if (!opt->cuda)
		return 0;
	f->cuda = gt_model_cuda(m, err);
	if (!f->cuda)
		return -1;
	f->n = gt_cuda_count(f->cuda, GT_CUDA_CALL);
	return 0;
}

/* Looks at the place alone: of a trace with many processes most calls are another's. */
static bool passes(const struct gt_cuda_feed *f)
{
	const struct gt_cuda_entry *e = (const struct gt_cuda_entry *)f->cuda->kinds[GT_CUDA_CALL].data + f->at;

	if (e->start == GT_NO_TIME || (!f->nested && e->place & GT_PLACE_NESTED))
		return false;
	return f->process < 0 || gt_cuda_process_of(f->cuda, GT_CUDA_CALL, e) == (uint32_t)f->process;
}

int gt_cuda_feed_peek(struct gt_cuda_feed *f, const struct gt_cuda_event **e, struct gt_err *err)
{
	*e = &f->event;
	if (f->loaded)
		return 1;
	while (f->at < f->n && !passes(f))
		f->at++;
	if (f->at >= f->n)
		return 0;
	f->loaded = !gt_cuda_get(f->cuda, GT_CUDA_CALL, f->at, &f->event, err);
	return f->loaded ? 1 : -1;
}

/* An end that is not known, or not usable: the call is shown where it began. */
static int64_t end_of(const struct gt_cuda_event *e)
{
	return e->end_ns != GT_NO_TIME && e->end_ns > e->start_ns ? e->end_ns : e->start_ns;
}

void gt_cuda_feed_take(struct gt_cuda_feed *f, struct gt_call *call)
{
	const struct gt_cuda_event *e = &f->event;
	struct gt_process_state *p = &f->model->processes[e->process];
	const struct gt_fn *fn = gt_cuda_fn(f->cuda, e);
	int64_t start = e->start_ns, end = end_of(e);

	*call = (struct gt_call){
		.fn = fn, .process = e->process, .thread = e->thread,
		.start_tick = gt_reader_ns_tick(f->model->reader, e->process, start),
		.end_tick = gt_reader_ns_tick(f->model->reader, e->process, end), .start_ns = start, .end_ns = end,
		.start_mono_ns = start + p->to_mono_ns, .end_mono_ns = end + p->to_mono_ns, .result = e->call.result,
		.id = ++p->ids, .unfinished = !e->call.has_result,
		.cuda = e, .model = f->model, .stack_link = e->call.stack_link,
	};
	if (fn->has_event_out && e->call.has_result && !e->call.result && !e->call.nested)
		call->cmd_id = ++p->cmd_ids;
	f->at++;
	f->loaded = false;                /* the event itself stays until the next peek: call->cuda */
}

static bool work_overlaps(struct gt_cuda *c, const struct gt_cuda_place *at, int64_t from_ns, int64_t to_ns)
{
	struct gt_cuda_event work;
	struct gt_err ignored;

	if (gt_cuda_get(c, at->kind, at->index, &work, &ignored) || !work.timed)
		return false;
	return gt_overlaps(from_ns, to_ns, work.start_ns, work.end_ns);
}

bool gt_cuda_call_overlaps(struct gt_cuda *c, const struct gt_cuda_event *call, int64_t from_ns, int64_t to_ns)
{
	struct gt_cuda_place few[8], *all = few;
	uint32_t n = 0, room = 8;
	bool found = false;

	if (call->correlation != GT_CUDA_NONE)
		n = gt_cuda_work_of(c, call->process, call->correlation, call->start_ns, few, 8);

	if (n > room) {                   /* a graph, node by node */
		all = calloc(n, sizeof *all);
		room = n;
		if (all)
			gt_cuda_work_of(c, call->process, call->correlation, call->start_ns, all, n);
	}
	for (uint32_t i = 0; all && i < n && i < room && !found; i++)
		found = work_overlaps(c, &all[i], from_ns, to_ns);
	if (all != few)
		free(all);
	return found;
}

/* WINDOW1: a call without an end never returned; what else has none is a moment. */
static int64_t last_ns(const struct gt_cuda_event *e)
{
	return e->timed && e->end_ns != GT_NO_TIME ? e->end_ns : e->kind == GT_CUDA_CALL ? INT64_MAX : e->start_ns;
}

bool gt_cuda_may_follow(const struct gt_cuda_event *e) { return gt_cuda_is_work(e->kind); }

bool gt_cuda_inside(struct gt_cuda *c, const struct gt_cuda_event *e, int64_t from_ns, int64_t to_ns)
{
	struct gt_cuda_event call;

	if (from_ns == GT_NO_TIME && to_ns == GT_NO_TIME)
		return true;
	if (e->start_ns != GT_NO_TIME && gt_overlaps(from_ns, to_ns, e->start_ns, last_ns(e)))
		return true;
	if (e->kind == GT_CUDA_CALL)
		return gt_cuda_call_overlaps(c, e, from_ns, to_ns);
	return gt_cuda_is_work(e->kind) && gt_cuda_call_of(c, e->process, e->correlation, e->start_ns, &call) &&
		gt_overlaps(from_ns, to_ns, call.start_ns, last_ns(&call));
}
