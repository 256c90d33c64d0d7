/*
 * model/image.c - what a process image says of itself: clock sets, its window, exec and exit, threads' names, costs
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/internal.h"

/* Which types they are. */
bool gt_image_is(uint32_t type)
{
	static const bool is[REC_TYPE_COUNT] = {
#define IMAGE(NAME, member, label) [REC_##NAME] = true,
#include "trace/format/records.def"
	};

	return type < REC_TYPE_COUNT && is[type];
}

struct fill {
	struct gt_model *m;
	const struct gt_rec *rec;
	struct gt_image_record *out;
	int filled;                       /* 1: so far, 0: damaged, -1: no memory */
};

static const char *text_at(struct fill *f, uint32_t word)
{
	struct gt_string text;
	const char *copy;

	if (!gt_record_text(f->rec, &word, &text)) {
		f->filled = 0;
		return "";
	}
	copy = gt_arena_copy(&f->m->arena, text.text, text.bytes);
	if (!copy)
		f->filled = -1;
	return copy;
}

/* The words of records.def. */
#define WORD(n) f->rec->args[n]
#define LOW(n) (uint32_t)f->rec->args[n]
#define HIGH(n) (f->rec->args[n] >> 32)
#define TIME(n) gt_reader_tick_ns(f->m->reader, f->rec->process, f->rec->args[n])

/* fill_clock and so on: the values of each type. The reader has checked sizes and texts. */
#define IMAGE(NAME, member, label) static void fill_##member(struct fill *f) {
#define VALUE(member, type, field, form, label, value) f->out->member.field = (type)(value);
#define TEXT(member, field, form, label, word) f->out->member.field = text_at(f, word);
#define END(NAME, member) }
#include "trace/format/records.def"

static int fill(struct gt_model *m, struct gt_image_record *r, const struct gt_rec *rec)
{
	struct fill f = { .m = m, .rec = rec, .out = r, .filled = 1 };

	switch (rec->id) {
#define IMAGE(NAME, member, label) case REC_##NAME: fill_##member(&f); break;
#include "trace/format/records.def"
	}
	return f.filled;
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
