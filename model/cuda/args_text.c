/*
 * model/cuda/args_text.c - arguments of a recorded CUDA call: found in the raw structure by the table, and printed
 *
 * Text is as in the API log (docs/apilog.md): numbers and enumerations decimal, addresses and handles 16 hexadecimal
 * digits, texts quoted. By value or behind a pointer: dim3 as (x,y,z), other structures {member = value, ...} with
 * enumerations by name. What does not fit ends in "...".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/cuda/args_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/utf8.h"
#include "trace/format/cuda_capture.h"

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
	while (n && !t->full) {
		const char *e = *s ? memchr(escapes, *s, sizeof(escapes) - 1) : NULL;
		size_t sequence = gt_utf8_sequence(s, n);

		if (e && (e - escapes) % 2 == 0)
			put(t, (const char[]){ '\\', e[1] }, 2);
		else if (!sequence || (unsigned char)*s < 0x20 || *s == 0x7f)
			put_format(t, "\\%03o", (unsigned char)*s);
		else
			put(t, s, sequence);
		s += sequence ? sequence : 1;
		n -= sequence ? sequence : 1;
	}
	put_str(t, cut ? "\"..." : "\"");
}

/* -------------------------------------------------------------------- values */

static uint64_t word_at(const uint8_t *at, uint32_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes < 8 ? bytes : 8);
	return value;
}

static int64_t signed_of(uint64_t value, uint32_t bytes)
{
	return bytes == 1 ? (int8_t)value : bytes == 2 ? (int16_t)value : bytes == 4 ? (int32_t)value : (int64_t)value;
}

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
			? gt_cuda_table_symbol(table, m->type.values, signed_of(word_at(at + m->offset, 4), 4))
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
	uint64_t value = word_at(at, type->bytes);

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
		put_format(t, "%lld", (long long)signed_of(value, type->bytes));
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

/* -------------------------------------------------------------------- the record */

bool gt_cuda_args_read(const struct gt_rec *rec, struct gt_cuda_args_record *out)
{
	uint32_t words;

	memset(out, 0, sizeof(*out));
	if (rec->id < REC_FN_CUDA_RUNTIME || rec->id >= REC_FN_CUDA_DRIVER + GT_CUDA_TABLE_CBIDS ||
		rec->flags & REC_BARE || rec->n_args < 1)
		return false;
	out->domain = rec->id < REC_FN_CUDA_DRIVER ? REC_DOMAIN_CUDA_RUNTIME : REC_DOMAIN_CUDA_DRIVER;
	out->cbid = rec->id & (GT_CUDA_TABLE_CBIDS - 1);
	out->bytes = (uint32_t)rec->args[0] & ~REC_CUDA_RAW;
	out->raw = (uint32_t)rec->args[0] & REC_CUDA_RAW;
	out->n_copies = (uint32_t)(rec->args[0] >> 32);
	words = out->bytes / 8 + (out->bytes % 8 != 0);
	if (words > rec->n_args - 1)
		return false;
	out->params = (const uint8_t *)(rec->args + 1);
	out->copies = rec->args + 1 + words;
	out->copy_words = rec->n_args - 1 - words;
	out->cut = rec->flags & REC_CUT;
	return true;
}

/* What the pointer at that offset led to; NULL: not copied. */
static const void *find_copy(const struct gt_cuda_args_record *r, uint32_t offset, uint32_t *bytes, bool *is_out)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->n_copies && at < r->copy_words; i++) {
		uint32_t n = (uint32_t)(r->copies[at] >> 32), words;

		*is_out = n & REC_CUDA_COPY_OUT;
		n &= ~REC_CUDA_COPY_OUT;
		words = n / 8 + (n % 8 != 0);
		if (words > r->copy_words - at - 1)
			return NULL;
		*bytes = n;
		if ((uint32_t)r->copies[at] == offset)
			return r->copies + at + 1;
		at += 1 + words;
	}
	return NULL;
}

static enum gt_cuda_class class_of(char letter)
{
	switch (letter) {
	case 'i': return GT_CUDA_ARG_SIGNED;
	case 'u': return GT_CUDA_ARG_UNSIGNED;
	case 'f': return GT_CUDA_ARG_FLOAT;
	case 'e': return GT_CUDA_ARG_ENUM;
	case 'p': return GT_CUDA_ARG_POINTER;
	case 'd': return GT_CUDA_ARG_DEVICE_POINTER;
	case 'h': return GT_CUDA_ARG_HANDLE;
	case 's': return GT_CUDA_ARG_STRING;
	case 't': return GT_CUDA_ARG_STRUCT;
	}
	return GT_CUDA_ARG_WORD;
}

/* ---------------------------------------------------------------------- answers */

/* The structure's words, when nobody knows what they are. */
static bool get_word(const struct gt_cuda_args_record *r, unsigned i, struct gt_cuda_arg *out)
{
#define NAME(n) "word" #n,
#define EIGHT(a, b, c, d, e, f, g, h) NAME(a) NAME(b) NAME(c) NAME(d) NAME(e) NAME(f) NAME(g) NAME(h)
	static const char *const names[] = { EIGHT(0, 1, 2, 3, 4, 5, 6, 7) EIGHT(8, 9, 10, 11, 12, 13, 14, 15)
			EIGHT(16, 17, 18, 19, 20, 21, 22, 23) EIGHT(24, 25, 26, 27, 28, 29, 30, 31) };
#undef EIGHT
#undef NAME
	if (i >= r->bytes / 8 + (r->bytes % 8 != 0) || i >= sizeof(names) / sizeof(*names))
		return false;
	out->type = r->raw ? "uint64_t?" : "uint64_t";
	out->name = names[i];
	out->class = GT_CUDA_ARG_WORD;
	out->bytes = r->bytes - i * 8 < 8 ? r->bytes - i * 8 : 8;
	out->value = word_at(r->params + i * 8, out->bytes);
	out->has_value = true;
	snprintf(out->text, sizeof(out->text), "%016llX", (unsigned long long)out->value);
	return true;
}

static void put_copy(struct gt_cuda_arg *out, const struct gt_cuda_table *table, const struct gt_cuda_args_record *r,
	const struct gt_cuda_param *p)
{
	struct text t = { .at = out->is_out ? out->out_text : out->text, .size = sizeof(out->text) };

	t.at[0] = 0;
	if (p->copy & REC_CUDA_TEXT)
		put_quoted(&t, out->data, out->data_bytes, r->cut && out->data_bytes == REC_CUDA_COPY_BYTES);
	else if (p->target.class && out->data_bytes >= p->target.bytes)
		put_value(&t, table, &p->target, out->data, 0);
	else
		put_format(&t, "%016llX", (unsigned long long)word_at(out->data, out->data_bytes));
}

static void get_param(const struct gt_cuda_table *table, const struct gt_cuda_args_record *r,
	const struct gt_cuda_param *p, struct gt_cuda_arg *out)
{
	struct text t = { .at = out->text, .size = sizeof(out->text) };
	bool copied_out = false;

	out->type = p->text;
	out->name = p->name;
	out->class = class_of(p->type.class);
	out->bytes = p->type.bytes;
	out->is_out = p->copy & REC_CUDA_OUT;
	if (p->offset > r->bytes || p->type.bytes > r->bytes - p->offset)
		return;
	out->has_value = true;
	out->value = word_at(r->params + p->offset, p->type.bytes);
	if (p->type.class == 'e')
		out->symbol = gt_cuda_table_symbol(table, p->type.values, signed_of(out->value, p->type.bytes));
	put_value(&t, table, &p->type, r->params + p->offset, 0);
	if (p->type.class == 't') {
		out->data = r->params + p->offset;
		out->data_bytes = p->type.bytes;
		return;
	}
	out->data = find_copy(r, p->offset, &out->data_bytes, &copied_out);
	if (!out->data)
		return;
	out->is_out = copied_out;
	put_copy(out, table, r, p);
}

/* A structure of another size is another edition's: what the names would say of it is not sure. */
static bool fits(const struct gt_cuda_fn_args *fn, const struct gt_cuda_args_record *r)
{
	return fn && (r->raw || fn->bytes == r->bytes || !r->bytes);
}

bool gt_cuda_args_get(
	const struct gt_cuda_table *table, const struct gt_cuda_args_record *r, unsigned i, struct gt_cuda_arg *out)
{
	const struct gt_cuda_fn_args *fn = gt_cuda_table_fn(table, r->domain, r->cbid);

	if (!fits(fn, r)) {
		table = gt_cuda_table_own();
		fn = gt_cuda_table_fn(table, r->domain, r->cbid);
	}
	memset(out, 0, offsetof(struct gt_cuda_arg, text));
	out->text[0] = out->out_text[0] = 0;
	if (!fits(fn, r))
		return get_word(r, i, out);
	if (i >= fn->n)
		return false;
	get_param(table, r, &table->param[fn->first + i], out);
	return true;
}
