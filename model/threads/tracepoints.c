/*
 * model/threads/tracepoints.c - TRACEPOINT_TYPE records, and what the fields of an event hold by them
 *
 * Every image has the types of its own events; all were written by one kernel, so a number means the same in each.
 * Neither a type nor an event is trusted: a field is read only where it lies inside its event.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/threads/tracepoints.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "model/internal.h"

struct slot { uint32_t number, index; };
struct gt_tracepoints {
	GT_LIST(struct gt_tracepoint_type) types;
	struct gt_map by_number;          /* struct slot */
};

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct slot *)element)->number == ((const struct slot *)key)->number;
}

static struct slot *slot_of(const struct gt_model *m, uint32_t number)
{
	const struct slot key = { number, 0 };

	return gt_map_find(&m->tracepoints->by_number, sizeof key, gt_hash(GT_HASH, number), &key, same, NULL);
}

/* 1: taken; 0: it is not there as a whole; -1: no memory. */
static int take_text(struct gt_model *m, const struct gt_rec *rec, uint32_t *at, struct gt_string *out)
{
	struct gt_string text;

	if (!gt_record_text(rec, at, &text))
		return 0;
	*out = (struct gt_string){ gt_arena_copy(&m->arena, text.text, text.bytes), text.bytes };
	return out->text ? 1 : -1;
}

static int take_field(struct gt_model *m, const struct gt_rec *rec, uint32_t *at, struct gt_tracepoint_field *f)
{
	const uint64_t *w = rec->args + *at;
	int got;

	if (rec->n_args - *at < 2)
		return 0;
	f->offset = (uint32_t)w[0];
	f->bytes = (uint32_t)(w[0] >> 32);
	f->flags = (uint32_t)w[1];
	f->element = (uint32_t)(w[1] >> 32);
	*at += 2;
	got = take_text(m, rec, at, &f->name);
	if (got == 1)
		got = take_text(m, rec, at, &f->type);
	return got == 1 ? take_text(m, rec, at, &f->suffix) : got;
}

static int take_type(struct gt_model *m, const struct gt_rec *rec, struct gt_tracepoint_type *type)
{
	uint32_t at = 2, n = (uint32_t)(rec->args[1] >> 32);
	struct gt_tracepoint_field *fields;
	int got = take_text(m, rec, &at, &type->name);

	if (got == 1)
		got = take_text(m, rec, &at, &type->format);
	if (got != 1 || n > rec->n_args)
		return got < 0 ? -1 : 0;
	fields = gt_arena_alloc(&m->arena, (n + 1ull) * sizeof *fields);
	if (!fields)
		return -1;
	for (type->n_fields = 0; type->n_fields < n; type->n_fields++) {
		got = take_field(m, rec, &at, &fields[type->n_fields]);
		if (got != 1)
			return got;
	}
	type->fields = fields;
	return 1;
}

int gt_tracepoints_take_type(struct gt_model *m, const struct gt_rec *rec)
{
	struct gt_tracepoint_type type = { .number = (uint32_t)rec->args[1] }, *kept;
	const struct slot key = { type.number, 0 };
	struct slot *slot;
	bool fresh;
	int got;

	if (!m->tracepoints && !(m->tracepoints = calloc(1, sizeof *m->tracepoints)))
		return -1;
	if (slot_of(m, type.number))
		return 0;
	got = take_type(m, rec, &type);
	if (got == 0)
		gt_model_count_loss(m, REC_LOSS_DAMAGED, 1);
	if (got != 1)
		return got;
	kept = GT_LIST_ADD(&m->tracepoints->types);
	slot = kept ? gt_map_add(&m->tracepoints->by_number, sizeof key, gt_hash(GT_HASH, key.number), &key, same, NULL,
			      &fresh) : NULL;
	if (!slot)
		return -1;
	*kept = type;
	*slot = key;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct gt_tracepoint_type *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

void gt_tracepoints_sort(struct gt_model *m)
{
	struct gt_tracepoints *t = m->tracepoints;

	if (!t || !t->types.n)
		return;
	qsort(t->types.v, t->types.n, sizeof *t->types.v, by_number);
	for (uint32_t i = 0; i < t->types.n; i++)
		slot_of(m, t->types.v[i].number)->index = i;
}

uint32_t gt_tracepoints_index(const struct gt_model *m, uint32_t number)
{
	const struct slot *s = m->tracepoints ? slot_of(m, number) : NULL;

	return s ? s->index : UINT32_MAX;
}

void gt_tracepoints_free(struct gt_model *m)
{
	if (!m->tracepoints)
		return;
	free(m->tracepoints->types.v);
	gt_map_free(&m->tracepoints->by_number, sizeof(struct slot));
	free(m->tracepoints);
	m->tracepoints = NULL;
}

uint32_t gt_model_tracepoint_type_count(const struct gt_model *m)
{
	return m->tracepoints ? m->tracepoints->types.n : 0;
}

const struct gt_tracepoint_type *gt_model_tracepoint_type(const struct gt_model *m, uint32_t i)
{
	return i < gt_model_tracepoint_type_count(m) ? &m->tracepoints->types.v[i] : NULL;
}

/* ------------------------------------------------------------------------- values */

/* Where the field's elements are, and how many bytes of them; false: not inside the event. */
static bool find(const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f,
	const char **from, uint32_t *bytes)
{
	const char *content = gt_tracepoint_content(m, e);
	uint64_t at = f->offset;
	uint32_t place;

	*bytes = f->bytes;
	if (at + f->bytes > e->bytes)
		return false;
	if (f->flags & REC_FIELD_PLACE) {
		if (f->bytes < sizeof place)
			return false;
		memcpy(&place, content + at, sizeof place);
		at = (place & 0xffffu) + (f->flags & REC_FIELD_BESIDE ? at + f->bytes : 0);
		*bytes = place >> 16;
		if (at + *bytes > e->bytes)
			return false;
	}
	*from = content + at;
	return true;
}

uint32_t gt_tracepoint_numbers(
	const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f)
{
	const char *from;
	uint32_t bytes;

	if (f->flags & REC_FIELD_TEXT || !f->element || f->element > 8 || f->element & (f->element - 1))
		return 0;
	return find(m, e, f, &from, &bytes) ? bytes / f->element : 0;
}

uint64_t gt_tracepoint_number(
	const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f, uint32_t i)
{
	const char *from;
	uint32_t bytes;
	uint64_t v = 0;
	unsigned empty = 64 - 8 * f->element;

	if (i >= gt_tracepoint_numbers(m, e, f) || !find(m, e, f, &from, &bytes))
		return 0;
	memcpy(&v, from + (size_t)i * f->element, f->element);    /* all our architectures begin with the low byte */
	return f->flags & REC_FIELD_SIGNED ? (uint64_t)((int64_t)(v << empty) >> empty) : v;
}

bool gt_tracepoint_text(const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f,
	struct gt_string *text)
{
	const char *from;
	uint32_t bytes;

	if (!(f->flags & REC_FIELD_TEXT) || !find(m, e, f, &from, &bytes))
		return false;
	*text = (struct gt_string){ from, strnlen(from, bytes) };
	return true;
}

bool gt_tracepoint_value(const struct gt_model *m, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f,
	struct gt_text *to)
{
	uint32_t n = gt_tracepoint_numbers(m, e, f);
	struct gt_string text;

	if (gt_tracepoint_text(m, e, f, &text)) {
		gt_text_bytes(to, text.text, text.bytes);
		return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = gt_tracepoint_number(m, e, f, i);

		if (i)
			gt_text_char(to, ',');
		if (f->flags & REC_FIELD_SIGNED)
			gt_text_i64(to, (int64_t)v);
		else
			gt_text_u64(to, v);
	}
	return n;
}

bool gt_tracepoint_is_common(const struct gt_tracepoint_field *f)
{
	return f->name.bytes > 7 && !memcmp(f->name.text, "common_", 7);
}
