/*
 * model/cuda/args_value.c - arguments of a recorded CUDA call: found in the raw structure by the table
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/cuda/args_value.h"

#include <string.h>

#include "trace/format/cuda_capture.h"

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

struct found { uint32_t bytes; bool is_out, cut; };

/* Older traces cut all texts at one length, and only the record said that one was. */
static bool cut_as_of_old(const struct gt_cuda_args_record *r, uint32_t bytes)
{
	return r->cut && bytes == REC_CUDA_COPY_BYTES;
}

/* What the pointer at that offset led to; NULL: not copied. */
static const void *find_copy(const struct gt_cuda_args_record *r, uint32_t offset, struct found *f)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->n_copies && at < r->copy_words; i++) {
		uint32_t n = (uint32_t)(r->copies[at] >> 32), words;

		f->is_out = n & REC_CUDA_COPY_OUT;
		f->cut = n & REC_CUDA_COPY_CUT;
		n &= REC_CUDA_COPY_LENGTH;
		words = n / 8 + (n % 8 != 0);
		if (words > r->copy_words - at - 1)
			return NULL;
		f->bytes = n;
		f->cut |= cut_as_of_old(r, n);
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
	out->value = gt_cuda_word_at(r->params + i * 8, out->bytes);
	out->has_value = true;
	return true;
}

static void get_param(const struct gt_cuda_table *table, const struct gt_cuda_args_record *r,
	const struct gt_cuda_param *p, struct gt_cuda_arg *out)
{
	struct found found = { 0 };

	out->type = p->text;
	out->name = p->name;
	out->class = class_of(p->type.class);
	out->bytes = p->type.bytes;
	out->is_out = p->copy & REC_CUDA_OUT;
	out->table = table;
	out->param = p;
	if (p->offset > r->bytes || p->type.bytes > r->bytes - p->offset)
		return;
	out->has_value = true;
	out->at = r->params + p->offset;
	out->value = gt_cuda_word_at(out->at, p->type.bytes);
	if (p->type.class == 'e')
		out->symbol =
			gt_cuda_table_symbol(table, p->type.values, gt_cuda_signed(out->value, p->type.bytes));
	if (p->type.class == 't') {
		out->data = out->at;
		out->data_bytes = p->type.bytes;
		return;
	}
	out->data = find_copy(r, p->offset, &found);
	if (!out->data)
		return;
	out->data_bytes = found.bytes;
	out->is_out = found.is_out;
	out->is_text = p->copy & REC_CUDA_TEXT;
	out->cut = out->is_text && found.cut;
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
	memset(out, 0, sizeof(*out));
	if (!fits(fn, r))
		return get_word(r, i, out);
	if (i >= fn->n)
		return false;
	get_param(table, r, &table->param[fn->first + i], out);
	return true;
}
