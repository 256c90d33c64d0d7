/*
 * writers/render_cuda.c - CUDA calls as the two text formats show them
 *
 * What an argument is comes from model/cuda/args.c, which knows the functions by tables that are made on the user's
 * machine. Calls that were recorded by name only, which is the default, show none.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/render.h"

#include <stdio.h>

#include "model/cuda/table.h"

static void put_result(struct gt_text *t, const struct gt_call *call)
{
	char buf[64];

	if (!call->cuda->call.has_result) {
		gt_text_lit(t, "unknown"); /* it never returned */
		return;
	}
	gt_text_str(t, gt_cuda_result_text(call->cuda, buf, sizeof(buf)));
}

/* ------------------------------------------------------------------------ .atp */

static void put_atp_value(struct gt_text *t, const struct gt_cuda_arg *a, const char *text)
{
	double d;
	float f;

	if (!a->has_value) {
		gt_text_char(t, '?');
		return;
	}
	switch (a->class) {
	case GT_CUDA_ARG_SIGNED:
		gt_text_i64(t, gt_cuda_signed(a->value, a->bytes));
		break;
	case GT_CUDA_ARG_UNSIGNED:
		gt_text_u64(t, a->value);
		break;
	case GT_CUDA_ARG_FLOAT:
		memcpy(&d, &a->value, sizeof(d));
		memcpy(&f, &a->value, sizeof(f));
		gt_text_float(t, a->bytes == sizeof(f) ? (double)f : d);
		break;
	case GT_CUDA_ARG_WORD:
		gt_text_lit(t, "0x");
		gt_text_hex(t, a->value, 1, true);
		break;
	case GT_CUDA_ARG_POINTER: case GT_CUDA_ARG_DEVICE_POINTER: case GT_CUDA_ARG_HANDLE:
		gt_render_atp_pointer(t, a->value);
		break;
	case GT_CUDA_ARG_STRING:
		if (a->data)
			gt_text_str(t, text);
		else
			gt_render_atp_pointer(t, a->value);
		break;
	case GT_CUDA_ARG_ENUM:
		gt_text_str(t, a->symbol ? a->symbol : text);
		break;
	case GT_CUDA_ARG_STRUCT:
		gt_text_str(t, text);
		break;
	}
}

/* What a pointer led to. An address there has the form of addresses here. */
static void put_atp_target(struct gt_text *t, const struct gt_cuda_arg *a, const char *text)
{
	char address[24];
	uint64_t word = 0;

	if (a->data && a->data_bytes == sizeof(word))
		memcpy(&word, a->data, sizeof(word));
	snprintf(address, sizeof(address), "%016llX", (unsigned long long)word);
	gt_text_char(t, '[');
	if (a->data && a->data_bytes == sizeof(word) && strcmp(text, address) == 0)
		gt_render_atp_pointer(t, word);
	else
		gt_text_str(t, text);
	gt_text_char(t, ']');
}

static void put_atp_argument(struct gt_text *t, const struct gt_call *call, const struct gt_cuda_arg *a)
{
	bool pointer = a->class == GT_CUDA_ARG_POINTER || a->class == GT_CUDA_ARG_DEVICE_POINTER ||
		a->class == GT_CUDA_ARG_HANDLE;
	struct gt_cuda_arg_text text;

	gt_render_cuda_arg(a, &text);
	if (a->is_out && text.target[0] && !gt_call_failed(call))
		put_atp_target(t, a, text.target);
	else if (pointer && a->data && !a->is_out)
		put_atp_target(t, a, text.value);
	else
		put_atp_value(t, a, text.value);
}

void gt_render_atp_cuda(struct gt_text *t, struct gt_cuda *c, const struct gt_call *call, bool names)
{
	struct gt_cuda_arg a;

	put_result(t, call);
	gt_text_lit(t, " = ");
	gt_text_str(t, call->fn->name);
	gt_text_lit(t, " ( ");
	for (unsigned i = 0; call->cuda->call.has_args && gt_cuda_arg(c, call->cuda, i, &a); i++) {
		if (i)
			gt_text_char(t, ';');
		if (names) {
			gt_text_str(t, a.name);
			gt_text_char(t, '=');
		}
		put_atp_argument(t, call, &a);
	}
	gt_text_lit(t, " )");
}

/* --------------------------------------------------------------------- API log */

static void put_log_argument(struct gt_text *t, const struct gt_cuda_arg *a)
{
	struct gt_cuda_arg_text text;

	gt_render_cuda_arg(a, &text);
	gt_text_str(t, a->type);
	gt_text_char(t, ' ');
	gt_text_str(t, a->name);
	gt_text_lit(t, " = ");
	if (a->has_value)
		gt_text_str(t, text.value);
	else
		gt_text_char(t, '?');
}

/* A value that was not copied is left out; so is everything behind the pointers of a call that failed. */
static void put_log_output(struct gt_text *t, const struct gt_call *call, const struct gt_cuda_arg *a)
{
	struct gt_cuda_arg_text text;

	if (!a->is_out || gt_call_failed(call))
		return;
	gt_render_cuda_arg(a, &text);
	if (a->value && !text.target[0])
		return;
	gt_text_lit(t, ", *");
	gt_text_str(t, a->name);
	gt_text_lit(t, " = ");
	gt_text_str(t, a->value ? text.target : "NULL");
}

void gt_render_log_cuda(struct gt_text *t, struct gt_cuda *c, const struct gt_call *call)
{
	bool known = call->cuda->call.has_args;
	struct gt_cuda_arg a;

	gt_text_str(t, call->fn->name);
	gt_text_str(t, known ? "(" : "(...");
	for (unsigned i = 0; known && gt_cuda_arg(c, call->cuda, i, &a); i++) {
		if (i)
			gt_text_lit(t, ", ");
		put_log_argument(t, &a);
	}
	gt_text_char(t, ')');
	if (!call->cuda->call.has_result)
		return;
	gt_text_lit(t, " = ");
	put_result(t, call);
	for (unsigned i = 0; known && gt_cuda_arg(c, call->cuda, i, &a); i++)
		put_log_output(t, call, &a);
}
