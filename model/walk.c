/*
 * model/walk.c - all calls in time order, each with its objects and its command
 *
 * Always from the beginning of the trace: objects, numbers and clocks depend on what came before. A time window only
 * chooses which calls are handed out, so ids are the same with and without one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/cuda/walk.h"
#include "model/internal.h"
#include "model/window.h"
#include "trace/read/ahead.h"
#include "trace/read/slices.h"

#define AHEAD_MOST 4u                     /* threads that merge for one that does the rest */

struct gt_walk {
	struct gt_model *model;
	struct gt_merge *merge;
	struct gt_ahead *ahead;           /* instead of the merge, with several threads */
	struct gt_cuda_feed feed;
	struct gt_walk_options options;
	/* the next record of the merge, when loaded */
	struct gt_rec rec;
	const struct gt_fn *fn;
	int64_t rec_start_ns, rec_end_ns;
	bool loaded;
	struct gt_call call;
	struct gt_decoded decoded;
	uint32_t since_progress;
	bool stopped;
};

int gt_walk_begin(struct gt_model *m, struct gt_err *err)
{
	if (m->walking)
		return gt_fail(err, GT_EXIT_INPUT, "objects belong to one walk at a time", NULL,
			"%s: a second walk was begun", m->session.path);
	gt_objects_reset(m);
	for (uint32_t i = 0; i < m->n_processes; i++)
		m->processes[i].ids = m->processes[i].cmd_ids = 0;
	m->walking = true;
	return 0;
}

static void mark_walked(struct gt_model *m, const struct gt_walk_options *opt)
{
	for (uint32_t i = 0; i < m->n_processes; i++)
		if (opt->process < 0 || (uint32_t)opt->process == i)
			m->processes[i].walked = true;
}

void gt_walk_end(struct gt_model *m, const struct gt_walk_options *opt, bool whole)
{
	m->walking = m->quiet = false;
	if (whole)
		mark_walked(m, opt);
}

/* Few calls are cut finer, so that all workers have some. */
uint32_t gt_walk_slice(const struct gt_model *m, unsigned workers)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->n_processes; i++)
		n += m->processes[i].pub.calls;
	n /= 8 * workers;
	return n < 16 ? 16 : n < GT_SLICE_CALLS ? (uint32_t)n : GT_SLICE_CALLS;
}

static int open_merge(struct gt_walk *w, struct gt_err *err)
{
	struct gt_model *m = w->model;

	return m->jobs > 1 ? gt_ahead_open(m->reader, w->options.process, m->jobs < AHEAD_MOST ? m->jobs : AHEAD_MOST,
				     gt_walk_slice(m, m->jobs), &w->ahead, err)
			   : gt_merge_open(m->reader, w->options.process, GT_NO_TIME, GT_NO_TIME, &w->merge, err);
}

int gt_walk_open(struct gt_model *m, const struct gt_walk_options *opt, struct gt_walk **out, struct gt_err *err)
{
	static const struct gt_walk_options all = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	struct gt_walk *w;

	*out = NULL;
	if (gt_walk_begin(m, err))
		return -1;
	w = calloc(1, sizeof *w);
	if (!w) {
		gt_walk_end(m, opt, false);
		return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
	}
	w->model = m;
	w->options = opt ? *opt : all;
	if (gt_cuda_feed_open(&w->feed, m, &w->options, err) ||
	    open_merge(w, err)) {
		gt_walk_end(m, opt, false);
		free(w);
		return -1;
	}
	*out = w;
	return 0;
}

void gt_walk_close(struct gt_walk *w)
{
	if (!w)
		return;
	gt_walk_end(w->model, &w->options, false);
	gt_merge_close(w->merge);
	gt_ahead_close(w->ahead);
	gt_decoded_free(&w->decoded);
	free(w);
}

void gt_walk_apply(struct gt_model *m, struct gt_call *call, const struct gt_rec *rec, struct gt_command *room)
{
	const struct gt_fn_info *f = &m->fn_info[call->fn->index];

	switch (f->action) {
	case GT_ACT_NONE:
		break;
	case GT_ACT_ENQUEUE:
		call->command = gt_commands_make(m, call, f, rec->stream, rec->offset, room);
		gt_checks_command(m, call, call->command);
		break;
	case GT_ACT_FINISH:
		gt_checks_finish(m, call, f);
		break;
	default:
		gt_objects_apply(m, call, f);
	}
}

/* What a second walk finds was counted by the first. */
static void fill_call(struct gt_walk *w)
{
	struct gt_model *m = w->model;
	struct gt_process_state *p = &m->processes[w->rec.process];

	m->quiet = p->walked;
	gt_walk_fill(m, &w->rec, w->fn, w->rec_start_ns, w->rec_end_ns, &w->decoded,
		m->quiet ? NULL : &m->lost[REC_LOSS_DAMAGED], &w->call);
	w->call.id = ++p->ids;
	if (w->fn->has_event_out && !w->call.result)
		w->call.cmd_id = ++p->cmd_ids;
	gt_walk_apply(m, &w->call, &w->rec, &m->command);
}

/* WINDOW1 */
bool gt_walk_wanted(const struct gt_walk_options *opt, struct gt_cuda *cuda, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	bool ended = !call->unfinished && (!call->cuda || call->cuda->timed);

	if (gt_overlaps(opt->from_ns, opt->to_ns, call->start_ns, ended ? call->end_ns : INT64_MAX))
		return true;
	if (call->cuda)
		return gt_cuda_call_overlaps(cuda, call->cuda, opt->from_ns, opt->to_ns);
	return c && c->timed && gt_overlaps(opt->from_ns, opt->to_ns, c->start_ns, c->end_ns);
}

static bool may_go_on(struct gt_walk *w)
{
	if (++w->since_progress < 65536)
		return true;
	w->since_progress = 0;
	return !w->options.progress ||
		w->options.progress(w->options.ctx, w->ahead ? gt_ahead_done(w->ahead) : gt_merge_done(w->merge));
}

/* The next record of a function that the table knows: 1, 0 at the end, -1. */
static int load_record(struct gt_walk *w, struct gt_err *err)
{
	struct gt_model *m = w->model;
	int ret;

	if (w->loaded)
		return 1;
	while (!w->loaded) {
		ret = w->ahead ? gt_ahead_next(w->ahead, &w->rec, err) : gt_merge_next(w->merge, &w->rec, err);
		if (ret <= 0)
			return ret;
		w->stopped |= !may_go_on(w);
		w->fn = gt_fntable_find(m->table, w->rec.id);
		w->loaded = w->fn;        /* the others were counted when the trace was opened */
	}
	w->rec_start_ns = gt_reader_tick_ns(m->reader, w->rec.process, w->rec.start_tick);
	w->rec_end_ns = gt_reader_tick_ns(m->reader, w->rec.process, w->rec.end_tick);
	return 1;
}

/* By start; of two that begin together the longer one encloses the other. */
static bool cuda_comes_first(const struct gt_walk *w, const struct gt_cuda_event *e)
{
	return e->start_ns != w->rec_start_ns ? e->start_ns < w->rec_start_ns : e->end_ns > w->rec_end_ns;
}

/* The next call of either kind into w->call: 1, 0 at the end, -1. */
static int next_call(struct gt_walk *w, struct gt_err *err)
{
	const struct gt_cuda_event *e = NULL;
	int record = load_record(w, err), cuda = w->feed.n ? gt_cuda_feed_peek(&w->feed, &e, err) : 0;

	if (record < 0 || cuda < 0)
		return -1;
	if (cuda && (!record || cuda_comes_first(w, e))) {
		w->stopped |= !may_go_on(w);
		gt_cuda_feed_take(&w->feed, &w->call);
		return 1;
	}
	if (!record)
		return 0;
	fill_call(w);
	w->loaded = false;
	return 1;
}

int gt_walk_next(struct gt_walk *w, const struct gt_call **call, struct gt_err *err)
{
	int ret;

	while (!w->stopped && (ret = next_call(w, err)) != 0) {
		if (ret < 0)
			return -1;
		w->call.outside = !gt_walk_wanted(&w->options, w->feed.cuda, &w->call);
		if (!w->call.outside || (w->options.outside && w->call.start_ns < w->options.from_ns)) {
			*call = &w->call;
			return 1;
		}
		if (w->options.to_ns != GT_NO_TIME && w->call.start_ns > w->options.to_ns)
			w->stopped = true; /* sorted by start; commands begin after their calls */
	}
	mark_walked(w->model, &w->options);
	return 0;
}

int gt_walk_all(struct gt_model *m, int (*take)(void *ctx, const struct gt_call *call), void *ctx, const char *what,
	struct gt_err *err)
{
	const struct gt_walk_options opt = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	const struct gt_call *call;
	struct gt_walk *walk;
	int rc;

	if (gt_walk_open(m, &opt, &walk, err))
		return -1;
	while ((rc = gt_walk_next(walk, &call, err)) == 1)
		if (take(ctx, call)) {
			rc = gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "no memory for %s", what);
			break;
		}
	gt_walk_close(walk);
	return rc < 0 ? -1 : 0;
}
