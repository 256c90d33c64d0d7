/*
 * writers/render_cuda_args.c - arguments of CUDA calls as text
 *
 * Text is as in the API log (docs/apilog.md): numbers and enumerations decimal, addresses and handles 16 hexadecimal
 * digits, texts quoted. By value or behind a pointer: dim3 as (x,y,z), other structures {member = value, ...} with
 * enumerations by name. What does not fit ends in "...".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/harmless.h"
#include "model/cuda/table.h"
#include "writers/render.h"

#define DEEPEST 4                       /* structures inside structures */
#define ELEMENTS 8u                     /* of an array that are shown */

/* ------------------------------------------------------------- bounded text */

struct text { char *at; size_t used, size; bool full; };

static void put(struct text *t, const char *bytes, size_t n)
{
	if (t->full)
		return;
	if (t->used + n + 4 > t->size) {  /* room for "..." stays */
		memcpy(t->at + t->used, "...", 4);
		t->full = true;
		return;
	}
	memcpy(t->at + t->used, bytes, n);
	t->used += n;
	t->at[t->used] = 0;
}

static void put_str(struct text *t, const char *s) { put(t, s, strlen(s)); }

static void __attribute__((format(printf, 2, 3))) put_format(struct text *t, const char *format, ...)
{
	char one[64];
	va_list args;

	va_start(args, format);
	vsnprintf(one, sizeof(one), format, args);
	va_end(args);
	put_str(t, one);
}

static void put_quoted(struct text *t, const char *s, size_t n, bool cut)
{
	static const char escapes[] = "\"\"\\\\\nn\tt\rr";

	put_str(t, "\"");
	for (size_t bytes; n && !t->full; s += bytes, n -= bytes) {
		const char *e = *s ? memchr(escapes, *s, sizeof(escapes) - 1) : NULL;
		bool named = e && (e - escapes) % 2 == 0, harmful = gt_is_harmful(s, n, &bytes);

		if (named)
			put(t, (const char[]){ '\\', e[1] }, 2);
		else if (!harmful)
			put(t, s, bytes);
		for (size_t i = 0; harmful && !named && i < bytes; i++)
			put_format(t, "\\%03o", (unsigned char)s[i]);
	}
	put_str(t, cut ? "\"..." : "\"");
}

/* -------------------------------------------------------------------- values */

static void put_float(struct text *t, const uint8_t *at, uint32_t bytes)
{
	float f;
	double d;

	if (bytes == sizeof(f)) {
		memcpy(&f, at, sizeof(f));
		d = (double)f;
	} else {
		memcpy(&d, at, sizeof(d));
	}
	put_format(t, "%.9g", d);
}

static void put_value(struct text *t, const struct gt_cuda_table *table, const struct gt_cuda_type *type,
	const uint8_t *at, int depth);

static void put_struct(struct text *t, const struct gt_cuda_table *table, const struct gt_cuda_layout *layout,
	const uint8_t *at, int depth)
{
	bool dim3 = !strcmp(layout->name, "dim3"), first = true;

	put_str(t, dim3 ? "(" : "{");
	for (uint32_t i = 0; i < layout->n && !t->full; i++) {
		const struct gt_cuda_param *m = &table->param[layout->first + i];
		const char *symbol = m->type.class == 'e'
			? gt_cuda_table_symbol(table, m->type.values, (int32_t)gt_cuda_word_at(at + m->offset, 4))
			: NULL;

		if (!strncmp(m->name, "reserved", 8))
			continue;
		if (!first)
			put_str(t, dim3 ? "," : ", ");
		first = false;
		if (!dim3)
			put_format(t, "%.48s = ", m->name);
		if (symbol && m->type.count <= 1)
			put_str(t, symbol);
		else
			put_value(t, table, &m->type, at + m->offset, depth + 1);
	}
	put_str(t, dim3 ? ")" : "}");
}

static void put_array(struct text *t, const struct gt_cuda_table *table, const struct gt_cuda_type *type,
	const uint8_t *at, int depth)
{
	struct gt_cuda_type one = *type;

	one.count = 1;
	one.bytes = type->bytes / type->count;
	if (one.class == 'i' && one.bytes == 1) {
		put_quoted(t, (const char *)at, strnlen((const char *)at, type->bytes), false);
		return;
	}
	put_str(t, "(");
	for (uint32_t i = 0; i < type->count && !t->full; i++) {
		if (i)
			put_str(t, ",");
		if (i == ELEMENTS) {
			put_str(t, "...");
			break;
		}
		put_value(t, table, &one, at + (size_t)i * one.bytes, depth);
	}
	put_str(t, ")");
}

/* type->bytes bytes stand at `at`. */
static void put_value(struct text *t, const struct gt_cuda_table *table, const struct gt_cuda_type *type,
	const uint8_t *at, int depth)
{
	uint64_t value = gt_cuda_word_at(at, type->bytes);

	if (type->count > 1) {
		put_array(t, table, type, at, depth);
		return;
	}
	if (type->class == 't' && type->layout && depth < DEEPEST) {
		put_struct(t, table, type->layout, at, depth);
		return;
	}
	if (type->class == 't' || type->bytes > 8) {    /* a union, or of unknown members */
		put_str(t, "bytes ");
		for (uint32_t i = 0; i < type->bytes && !t->full; i++)
			put_format(t, "%02X", at[i]);
		return;
	}
	switch (type->class) {
	case 'i': case 'e':
		put_format(t, "%lld", (long long)gt_cuda_signed(value, type->bytes));
		break;
	case 'u':
		put_format(t, "%llu", (unsigned long long)value);
		break;
	case 'f':
		put_float(t, at, type->bytes);
		break;
	default:
		put_format(t, "%016llX", (unsigned long long)value);
		break;
	}
}

/* ----------------------------------------------------------------- an argument */

static void put_word(struct text *t, uint64_t word) { put_format(t, "%016llX", (unsigned long long)word); }

/* What the argument's pointer led to. */
static void put_copy(struct text *t, const struct gt_cuda_arg *a)
{
	t->at[t->used = 0] = 0;
	if (a->is_text)
		put_quoted(t, a->data, a->data_bytes, a->cut);
	else if (a->param->target.class && a->data_bytes >= a->param->target.bytes)
		put_value(t, a->table, &a->param->target, a->data, 0);
	else
		put_word(t, gt_cuda_word_at(a->data, a->data_bytes));
}

void gt_render_cuda_arg(const struct gt_cuda_arg *a, struct gt_cuda_arg_text *out)
{
	struct text value = { .at = out->value, .size = sizeof(out->value) };
	struct text target = { .at = out->target, .size = sizeof(out->target) };

	out->value[0] = out->target[0] = 0;
	if (!a->has_value)
		return;
	if (!a->param)
		put_word(&value, a->value);
	else if (!a->data || a->is_out || a->class == GT_CUDA_ARG_STRUCT)
		put_value(&value, a->table, &a->param->type, a->at, 0);
	if (a->data && a->class != GT_CUDA_ARG_STRUCT)
		put_copy(a->is_out ? &target : &value, a);
}
