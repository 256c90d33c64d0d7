/*
 * model/cuda/table.h - what the parameters of CUDA calls are: the table that api/cuda_generate.py makes
 * (docs/cuda-args.md)
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_TABLE_H
#define GPUTAP_MODEL_CUDA_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GT_CUDA_TABLE_CBIDS 0x1000u

/* The first 8 bytes of a value as a number; one of `bytes` bytes with its sign. */
static inline uint64_t gt_cuda_word_at(const void *at, uint32_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes < 8 ? bytes : 8);
	return value;
}
static inline int64_t gt_cuda_signed(uint64_t value, uint32_t bytes)
{
	return bytes == 1 ? (int8_t)value : bytes == 2 ? (int16_t)value : bytes == 4 ? (int32_t)value : (int64_t)value;
}

struct gt_cuda_values { const char *name; uint32_t first, n; };  /* an enumeration: its part of gt_cuda_table.value */

/* Class: i signed, u unsigned, f float, e enumeration, p pointer, d device pointer, h handle, s text, t structure. */
struct gt_cuda_type {
	char class;
	uint32_t bytes, count;            /* bytes of all elements of an array */
	const char *ref;                  /* enumeration or structure; NULL */
	const struct gt_cuda_values *values;
	const struct gt_cuda_layout *layout;
};

struct gt_cuda_param {
	const char *name, *text;          /* text: its type as C writes it */
	struct gt_cuda_type type, target; /* target: what a pointer leads to; class 0: nothing that is known */
	uint32_t offset;
	uint32_t copy;                    /* enum rec_cuda_copy_flag */
};

/* members: part of gt_cuda_table.param */
struct gt_cuda_layout { const char *name; uint32_t bytes, first, n; };
struct gt_cuda_fn_args { const char *name; uint32_t bytes, first, n; bool known; };

struct gt_cuda_table {
	char *text;                       /* all names point into it */
	struct { const char *name; int64_t value; } *value; uint32_t n_values, value_room;
	struct gt_cuda_values *set; uint32_t n_sets, set_room;
	struct gt_cuda_layout *layout; uint32_t n_layouts, layout_room;
	struct gt_cuda_param *param; uint32_t n_params, param_room;
	struct gt_cuda_fn_args fn[2][GT_CUDA_TABLE_CBIDS];      /* runtime, driver */
	const char *source;               /* its first "source" line; "" */
};

/* Takes a copy of the text. NULL: it is no such table, or out of memory. */
struct gt_cuda_table *gt_cuda_table_parse(const char *text, size_t bytes);
void gt_cuda_table_free(struct gt_cuda_table *t);
/* The built-in one: the calls that nearly every program makes. Lives to the end; NULL: out of memory. */
const struct gt_cuda_table *gt_cuda_table_own(void);
const char *gt_cuda_own_text(void);

/* NULL: the table does not know the call's parameters. domain: enum rec_domain. */
const struct gt_cuda_fn_args *gt_cuda_table_fn(const struct gt_cuda_table *t, uint32_t domain, uint32_t cbid);
/* Name of an enumeration's value, NULL. */
const char *gt_cuda_table_symbol(const struct gt_cuda_table *t, const struct gt_cuda_values *set, int64_t value);
const struct gt_cuda_values *gt_cuda_table_set(const struct gt_cuda_table *t, const char *name);

#endif
