/*
 * model/cuda/take.c - what streams say about CUDA: the library, clocks, names, strings, events, calls with arguments
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/cuda/internal.h"

static int take_library(struct gt_cuda *c, struct gt_cuda_process *p, const struct gt_rec *rec)
{
	struct gt_cuda_library *l = &p->library;
	const char *path;
	uint32_t bytes;

	gt_cupti_sizes_take(&p->sizes, rec, &l->driver_version, &l->flags, &path, &bytes);
	l->cupti_version = p->sizes.version;
	l->path = (struct gt_string){ gt_arena_copy(&c->m->arena, path, bytes), bytes };
	return l->path.text ? 0 : -1;
}

static int add_knot(struct gt_cuda_process *p, bool pair, uint64_t tick, int64_t ns, uint64_t bracket)
{
	struct gt_cuda_knot *k = pair ? GT_LIST_ADD(&p->knots) : GT_LIST_ADD(&p->real);

	if (!k)
		return -1;
	*k = (struct gt_cuda_knot){ .tick = tick, .cupti_ns = ns, .bracket = bracket };
	return 0;
}

int gt_cuda_take_clock(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_cuda *c = gt_cuda_new(m);

	return c ? add_knot(&c->processes[rec->process], false, rec->args[0], (int64_t)rec->args[3], rec->args[5]) : -1;
}

/* A text of a record from word 2 of its arguments; the reader has checked that it fits. */
static bool text_of(const struct gt_rec *rec, const char **text, uint32_t *bytes)
{
	struct gt_string s;
	uint32_t at = 2;

	if (!gt_record_text(rec, &at, &s))
		return false;
	*text = s.text;
	*bytes = (uint32_t)s.bytes;
	return true;
}

static int take_name(struct gt_cuda *c, const struct gt_rec *rec)
{
	uint32_t domain = (uint32_t)rec->args[1] == 1 ? REC_DOMAIN_CUDA_DRIVER : REC_DOMAIN_CUDA_RUNTIME, bytes;
	const char *text;

	return text_of(rec, &text, &bytes)
		? gt_cuda_names_add(c, rec->process, domain, (uint32_t)(rec->args[1] >> 32), text, bytes)
		: 0;
}

static int take_string(struct gt_cuda *c, const struct gt_rec *rec)
{
	const char *text;
	uint32_t bytes;

	return text_of(rec, &text, &bytes)
		? gt_cuda_string_add(c, rec->process, rec->args[1], rec->args[0], text, bytes)
		: 0;
}

static int take_attach(struct gt_cuda *c, const struct gt_rec *rec, const struct gt_thread *thread, int64_t ns)
{
	struct gt_cuda_library *l = &c->processes[rec->process].library;

	l->attach_start_ns = gt_reader_tick_ns(c->m->reader, rec->process, rec->args[3]);
	l->attach_end_ns = ns;
	l->attach_thread = thread->index;
	return 0;
}

/* Of the window, by the process that records: where it began late, and whether it is over. */
static void take_edge(struct gt_cuda_process *p, uint32_t what, int64_t ns)
{
	p->ended_early = what == REC_CUPTI_PAUSED;
	if (what == REC_CUPTI_RESUMED && !p->begun_late) {
		p->begun_late = true;
		p->begun_ns = ns;
	}
}

/* The last counts: an exec may have failed, and the program gone on. */
static void take_ending(struct gt_cuda_process *p, int64_t start, int64_t end)
{
	if (end < p->ended_ns)
		return;
	p->ending_ns = start;
	p->ended_ns = end;
}

/* CUPTI's times are ours to some microseconds: what a thread of gputap's own did near by is gputap's, too. */
static void take_own_calls(struct gt_cuda_process *p, const struct gt_rec *rec, int64_t start, int64_t end)
{
	int64_t near = rec->args[3] >> 32 ? 1000000 : 0;

	p->own.tid = (uint32_t)rec->args[3];
	p->own.start_ns = start - near;
	p->own.end_ns = end + near;
}

/* Contexts live and die, modules are loaded; graphs and nodes become events of their own; the rest is not shown. */
static int take_event(struct gt_cuda *c, const struct gt_rec *rec, const struct gt_thread *thread)
{
	uint32_t what = (uint32_t)rec->args[1], context = (uint32_t)rec->args[2];
	int64_t ns = gt_reader_tick_ns(c->m->reader, rec->process, rec->args[0]);
	enum gt_cuda_kind kind = what <= REC_CUPTI_GRAPH_EXEC_DESTROYED ? GT_CUDA_GRAPH_EVENT : GT_CUDA_NODE_EVENT;
	struct gt_cuda_moment *moment;
	struct gt_cuda_entry *e;

	if (what == REC_CUPTI_CONTEXT_CREATED || what == REC_CUPTI_CONTEXT_DESTROYED)
		return gt_cuda_context_event(c, rec->process, what, context, (uint32_t)rec->args[3], ns);
	if (what == REC_CUPTI_STREAM_CREATED)
		return gt_cuda_stream_event(c, rec->process, context, (uint32_t)rec->args[3], rec->args[4], ns);
	if (what == REC_CUPTI_MODULE_LOADED)
		return gt_cuda_module_event(c, rec, ns);
	if (what == REC_CUPTI_MODULE_UNLOADED)
		return gt_cuda_module_gone(c, rec, ns);
	if (what == REC_CUPTI_LAUNCH_ORDER)
		return gt_cuda_order_add(c, rec);
	if (what == REC_CUPTI_RESUMED || what == REC_CUPTI_PAUSED) {
		take_edge(&c->processes[rec->process], what, ns);
		return 0;
	}
	if (what == REC_CUPTI_OWN_CALLS) {
		take_own_calls(&c->processes[rec->process], rec,
			gt_reader_tick_ns(c->m->reader, rec->process, rec->args[4]), ns);
		return 0;
	}
	if (what == REC_CUPTI_ENDING) {
		take_ending(&c->processes[rec->process],
			gt_reader_tick_ns(c->m->reader, rec->process, rec->args[3]), ns);
		return 0;
	}
	if (what == REC_CUPTI_ATTACHED)
		return take_attach(c, rec, thread, ns);
	if (what < REC_CUPTI_GRAPH_CREATED || what > REC_CUPTI_NODE_DESTROYED)
		return 0;
	moment = gt_bulk_add(&c->moments, sizeof *moment, &c->budget);
	e = moment ? gt_cuda_add(c, kind) : NULL;
	if (!e)
		return -1;
	*moment = (struct gt_cuda_moment){ { rec->args[3], rec->args[4], rec->args[5], rec->args[6] }, what, context,
		(uint32_t)(rec->args[2] >> 32), rec->process, thread->index, 0 };
	*e = (struct gt_cuda_entry){ ns, ns, c->moments.n - 1, moment->correlation, thread->index };
	return 0;
}

static int take_call(struct gt_cuda *c, const struct gt_rec *rec)
{
	struct gt_cuda_args *a = gt_bulk_add(&c->processes[rec->process].args, sizeof *a, &c->budget);

	if (!a)
		return -1;
	*a = (struct gt_cuda_args){ rec_link(rec->stream, rec->offset), rec->stack, rec->first_u32, rec->id,
		(rec->flags & REC_BARE) != 0 };
	return 0;
}

int gt_cuda_take(struct gt_model *m, const struct gt_rec *rec, const struct gt_thread *thread)
{
	struct gt_cuda *c = gt_cuda_new(m);
	struct gt_cuda_process *p;

	if (!c)
		return -1;
	p = &c->processes[rec->process];
	p->any = true;
	if (gt_cuda_is_call(rec->id))
		return take_call(c, rec);
	switch (rec->id) {
	case REC_CUPTI_LIBRARY:
		return take_library(c, p, rec);
	case REC_CUPTI_CLOCK:
		return add_knot(p, true, rec->args[0], (int64_t)rec->args[1], rec->args[2]);
	case REC_CUPTI_NAME:
		return take_name(c, rec);
	case REC_CUPTI_STRING:
		return take_string(c, rec);
	case REC_CUPTI_DROPPED:
		p->library.dropped += rec->args[1];
		gt_model_count_loss(m, REC_LOSS_CUPTI_DROPPED, rec->args[1]);
		return 0;
	case REC_CUPTI_EVENT:
		return take_event(c, rec, thread);
	}
	return 0;
}
