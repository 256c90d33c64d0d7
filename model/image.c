/*
 * model/image.c - what a process image says of itself: clock sets, its window, exec and exit, threads' names, costs
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/internal.h"

/* 1: filled in, 0: damaged, -1: no memory. The reader has checked sizes and texts. */
static int fill(struct gt_model *m, struct gt_image_record *r, const struct gt_rec *rec)
{
	const uint64_t *w = rec->args;
	struct gt_string text;
	uint32_t at = 2;

	switch (rec->id) {
	case REC_CLOCK:
		r->clock.tick = w[0];
		r->clock.monotonic_ns = w[1];
		r->clock.raw_ns = w[2];
		r->clock.realtime_ns = w[3];
		r->clock.boottime_ns = w[4];
		r->clock.bracket = w[5];
		return 1;
	case REC_WINDOW:
		r->window.on = w[1] & 1;
		return 1;
	case REC_EXEC:
		if (!gt_record_text(rec, &at, &text))
			return 0;
		r->exec.followed = !(w[1] & 1);
		r->exec.path = gt_arena_copy(&m->arena, text.text, text.bytes);
		return r->exec.path ? 1 : -1;
	case REC_THREAD_NAME:
		if (!gt_record_text(rec, &at, &text))
			return 0;
		r->thread.tid = (int)(uint32_t)w[1];
		r->thread.priority = (int)(w[1] >> 32);
		r->thread.name = gt_arena_copy(&m->arena, text.text, text.bytes);
		return r->thread.name ? 1 : -1;
	case REC_COST:
		r->cost.end_ns = gt_reader_tick_ns(m->reader, rec->process, w[1]);
		r->cost.tid = (int)(uint32_t)w[2];
		r->cost.what = (enum rec_cost)(w[2] >> 32);
		return 1;
	default:
		r->exit.how = (enum rec_exit)(uint32_t)w[1];
		r->exit.status = (int)(w[1] >> 32);
		return 1;
	}
}

int gt_image_take(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_image_record *r = GT_LIST_ADD(&m->image_records);
	int filled;

	if (!r)
		return -1;
	*r = (struct gt_image_record){ .type = (enum rec_type)rec->id,
		.process = rec->process,
		.time_ns = gt_reader_tick_ns(m->reader, rec->process, rec->args[0]) };
	filled = fill(m, r, rec);
	if (filled <= 0)
		m->image_records.n--;
	return filled < 0 ? -1 : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct gt_image_record *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

void gt_image_finish(struct gt_model *m)
{
	if (m->image_records.n)
		qsort(m->image_records.v, m->image_records.n, sizeof *m->image_records.v, by_time);
}

uint32_t gt_model_image_record_count(const struct gt_model *m) { return m->image_records.n; }
const struct gt_image_record *gt_model_image_record(const struct gt_model *m, uint32_t i)
{
	return i < m->image_records.n ? &m->image_records.v[i] : NULL;
}
