/*
 * model/gather.c - the opening pass over all records, by several threads
 *
 * Nearly all records are calls of which the opening pass only counts something. Each thread counts over a group of
 * blocks and keeps what is more than that; kept records are taken in file order, as one thread takes all, and the
 * counts are added behind them.
 *
 * GATHER1  Adding counts behind the kept records of a group gives what the order of the file gives: a call that is only
 *          counted has a thread that a THREAD record before it named, and that record is kept.
 * GATHER2  Device records stand in file order among themselves, whatever form they have; nothing else looks at them
 *          before all records were taken.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/pieces.h"
#include "model/checks/checks.h"
#include "model/cuda/take.h"
#include "model/internal.h"
#include "trace/read/slices.h"

#define TOGETHER 16u                      /* blocks in a group */

/* Calls that follow each other in a stream while one thread held it. */
struct counts {
	uint32_t process, stream, holder;
	uint64_t calls, device_calls, callbacks, unknown, commands, kernels;
	uint64_t first_tick, last_tick;
	uint32_t joins;                   /* of those below that are of these calls */
};

/* Device records of one stream's calls that follow each other; none: the next one of gatherer.odd. */
struct run { uint32_t process, stream, n; };

struct cut_call { uint32_t process; const struct gt_fn *fn; uint64_t start_tick; };

struct gatherer {
	uint64_t calls, n_cut;            /* of the group: all, and those with a copy that was cut */
	struct cut_call cut[GT_CHECK_SHOWN];
	struct gt_cursor *cursor;
	struct gt_batch kept;
	GT_LIST(struct run) runs;         /* GATHER2 */
	GT_LIST(struct gt_join_entry) entries;
	struct gt_batch odd;              /* device records that are not in short form */
	GT_LIST(struct counts) counts;
	GT_LIST(uint32_t) joins;          /* offset / 8 of enqueue calls that have an event */
	uint64_t records;
	struct gt_err err;
};

struct gather {
	struct gt_model *m;
	const struct gt_model_options *opt;
	struct gatherer *gatherers;
	struct gt_decoded decoded;
	size_t n_blocks;
	uint64_t records, told;
	struct gt_err *err;
};

static int no_memory(const struct gt_model *m, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
}

/* ----------------------------------------------------------- beside the others */

/* What makes objects, and what says something of them: the rest is counted alone. */
static bool is_kept(const struct gt_fn_info *f)
{
	return f->action == GT_ACT_CREATE || f->action == GT_ACT_CREATE_MANY || f->action == GT_ACT_DEFINE_MANY ||
		f->action == GT_ACT_ASK;
}

static struct counts *counts_of(struct gatherer *g, const struct gt_rec *rec)
{
	struct counts *c = g->counts.n ? &g->counts.v[g->counts.n - 1] : NULL;

	if (c && c->process == rec->process && c->stream == rec->stream && c->holder == rec->holder)
		return c;
	c = GT_LIST_ADD(&g->counts);
	if (c)
		*c = (struct counts){ .process = rec->process,
			.stream = rec->stream,
			.holder = rec->holder,
			.first_tick = UINT64_MAX };
	return c;
}

static int count_call(struct gatherer *g, const struct gt_rec *rec, const struct gt_fn *fn, const struct gt_fn_info *f)
{
	struct counts *c = counts_of(g, rec);
	uint32_t *at;

	if (!c)
		return -1;
	if (rec->end_tick > c->last_tick)
		c->last_tick = rec->end_tick;
	if (rec->start_tick < c->first_tick)
		c->first_tick = rec->start_tick;
	if (!fn) {
		c->unknown++;
		return 0;
	}
	if (fn->is_callback) {
		c->callbacks++;
		return 0;
	}
	c->calls++;
	c->device_calls += gt_is_of_device(fn);
	if (f->action != GT_ACT_ENQUEUE || rec->result)
		return 0;
	c->commands++;
	c->kernels += f->is_kernel;
	if (!fn->has_event_out)
		return 0;
	at = GT_LIST_ADD(&g->joins);
	if (!at)
		return -1;
	*at = (uint32_t)(rec->offset / 8);
	c->joins++;
	return 0;
}

static bool add_run(struct gatherer *g, uint32_t process, uint32_t stream, uint32_t n)
{
	struct run *last = g->runs.n ? &g->runs.v[g->runs.n - 1] : NULL;

	if (n && last && last->n && last->process == process && last->stream == stream) {
		last->n++;
		return true;
	}
	last = GT_LIST_ADD(&g->runs);
	if (last)
		*last = (struct run){ process, stream, n };
	return last;
}

static int keep_command(struct gatherer *g, const struct gt_rec *rec)
{
	struct gt_join_entry e, *to;
	uint32_t stream;

	if (!gt_join_short(rec, &stream, &e))
		return add_run(g, 0, 0, 0) && gt_batch_add(&g->odd, rec) ? 0 : -1;
	to = GT_LIST_ADD(&g->entries);
	if (!to)
		return -1;
	*to = e;
	return add_run(g, rec->process, stream, 1) ? 0 : -1;
}

/* The first few cut ones with what info shows of them. */
static void look_whether_whole(struct gatherer *g, const struct gt_model *m, const struct gt_rec *rec)
{
	g->calls++;
	if (!(rec->flags & REC_CUT))
		return;
	if (g->n_cut < GT_CHECK_SHOWN)
		g->cut[g->n_cut] =
			(struct cut_call){ rec->process, gt_fntable_find(m->table, rec->id), rec->start_tick };
	g->n_cut++;
}

static void add_whole(struct gt_model *m, const struct gatherer *g)
{
	gt_check_looked(m, GT_CHECK_WHOLE, g->calls);
	for (uint64_t i = 0; i < g->n_cut && i < GT_CHECK_SHOWN; i++)
		gt_checks_cut(m, g->cut[i].process, g->cut[i].fn, g->cut[i].start_tick);
	if (g->n_cut > GT_CHECK_SHOWN)
		gt_check_failed(m, GT_CHECK_WHOLE, g->n_cut - GT_CHECK_SHOWN, NULL);
}

static int look(struct gatherer *g, const struct gt_model *m, const struct gt_rec *rec)
{
	const struct gt_fn *fn = NULL;
	const struct gt_fn_info *f = NULL;

	if (rec->id == REC_COMMAND || rec->id == REC_COMMAND_UNTIMED)
		return keep_command(g, rec);
	if (rec->id < REC_FIRST_FUNCTION || gt_cuda_is_call(rec->id) || !rec->holder)
		return gt_batch_add(&g->kept, rec) ? 0 : -1;
	fn = gt_fntable_find(m->table, rec->id);
	f = fn ? &m->fn_info[fn->index] : NULL;
	if (f && !fn->is_callback && is_kept(f))
		return gt_batch_add(&g->kept, rec) ? 0 : -1;
	return count_call(g, rec, fn, f);
}

static int look_at_group(void *ctx, unsigned worker, size_t group)
{
	const struct gather *all = ctx;
	struct gatherer *g = &all->gatherers[worker];
	size_t first = group * TOGETHER, n = all->n_blocks - first < TOGETHER ? all->n_blocks - first : TOGETHER;
	struct gt_rec rec;
	int rc;

	gt_batch_clear(&g->kept);
	gt_batch_clear(&g->odd);
	g->counts.n = g->joins.n = g->runs.n = g->entries.n = 0;
	g->records = g->calls = g->n_cut = 0;
	if (gt_cursor_blocks(all->m->reader, first, n, &g->cursor, &g->err) < 0)
		return -1;
	while ((rc = gt_cursor_next(g->cursor, &rec, &g->err)) > 0) {
		if (rec.id >= REC_FIRST_FUNCTION)
			look_whether_whole(g, all->m, &rec);
		if (look(g, all->m, &rec))
			return no_memory(all->m, &g->err);
		g->records++;
	}
	return rc;
}

/* ------------------------------------------------------------------- in order */

static int add_counts(struct gt_model *m, const struct counts *c, const uint32_t *joins)
{
	struct gt_process_state *p = &m->processes[c->process];
	struct gt_rec rec = { .process = c->process, .stream = c->stream, .holder = c->holder };
	struct gt_thread *t = gt_model_thread_of(m, &rec); /* GATHER1 */

	if (!t)
		return -1;
	if (c->last_tick > p->last_tick)
		p->last_tick = c->last_tick;
	if (!p->first_tick || c->first_tick < p->first_tick)
		p->first_tick = c->first_tick;
	p->pub.calls += c->calls;
	p->pub.device_calls += c->device_calls;
	p->pub.callbacks += c->callbacks;
	p->pub.commands += c->commands;
	p->pub.kernels += c->kernels;
	t->calls += c->calls;
	if (c->unknown)
		gt_model_count_loss(m, REC_LOSS_UNKNOWN_RECORD, c->unknown);
	return c->joins ? gt_join_add_calls(m, c->process, c->stream, joins, c->joins) : 0;
}

static int add_commands(struct gt_model *m, const struct gatherer *g, struct gt_decoded *decoded)
{
	const struct gt_join_entry *e = g->entries.v;
	const struct gt_rec *odd = g->odd.recs;

	for (uint32_t i = 0; i < g->runs.n; i++) {
		const struct run *r = &g->runs.v[i];

		if (r->n ? gt_join_add_short(m, r->process, r->stream, e, r->n)
			 : gt_model_take_record(m, odd++, decoded))
			return -1;
		e += r->n;
	}
	return 0;
}

static int add_group(void *ctx, unsigned worker, size_t group, int rc)
{
	struct gather *all = ctx;
	const struct gatherer *g = &all->gatherers[worker];
	const uint32_t *joins = g->joins.v;

	(void)group;
	if (rc) {
		*all->err = g->err;
		return -1;
	}
	add_whole(all->m, g);
	for (uint32_t i = 0; i < g->kept.n; i++)
		if (gt_model_take_record(all->m, &g->kept.recs[i], &all->decoded))
			return no_memory(all->m, all->err);
	if (add_commands(all->m, g, &all->decoded))
		return no_memory(all->m, all->err);
	for (uint32_t i = 0; i < g->counts.n; joins += g->counts.v[i++].joins)
		if (add_counts(all->m, &g->counts.v[i], joins))
			return no_memory(all->m, all->err);
	all->records += g->records;
	if (all->opt && all->opt->progress && all->records - all->told > 0xfffff) {
		all->told = all->records;
		all->opt->progress(all->opt->ctx, 0);
	}
	return 0;
}

int gt_model_gather(struct gt_model *m, const struct gt_model_options *opt, struct gt_err *err)
{
	struct gather *all = calloc(1, sizeof *all);
	int rc = -1;

	if (all)
		*all = (struct gather){ .m = m, .opt = opt, .n_blocks = gt_reader_block_count(m->reader), .err = err,
			.gatherers = calloc(m->jobs, sizeof *all->gatherers) };
	if (!all || !all->gatherers) {
		free(all);
		return no_memory(m, err);
	}
	rc = gt_pieces_do(&(struct gt_pieces){ .workers = m->jobs, .n = (all->n_blocks + TOGETHER - 1) / TOGETHER,
		.ctx = all, .work = look_at_group, .turn = add_group });
	for (unsigned i = 0; i < m->jobs; i++) {
		struct gatherer *g = &all->gatherers[i];

		if (g->cursor)
			gt_cursor_close(g->cursor);
		gt_batch_free(&g->kept);
		gt_batch_free(&g->odd);
		free(g->runs.v);
		free(g->entries.v);
		free(g->counts.v);
		free(g->joins.v);
	}
	free(all->gatherers);
	gt_decoded_free(&all->decoded);
	free(all);
	return rc;
}
