/*
 * writers/apilog/render.c - a call as the OpenCL API log shows it
 *
 *	name(type name = value, type name = value) = RESULT, *out = value
 *
 * Numbers decimal, handles and addresses 16 upper-case digits, codes returned by name. docs/apilog.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/harmless.h"
#include "common/utf8.h"
#include "writers/render.h"

#define TEXT_MAX 256                      /* bytes of a string shown */
#define ARGS_MAX 64                       /* a table with longer prototypes is refused */

static void put_address(struct gt_text *t, uint64_t v)
{
	gt_text_hex(t, v, 16, true);
}

static void put_scalar(struct gt_text *t, enum gt_value v, uint64_t bits)
{
	switch (v) {
	case GT_I8: case GT_I16: case GT_I32: case GT_I64: case GT_ERROR:
		gt_text_i64(t, gt_sign_extend(bits, v, 8));
		break;
	case GT_F32: case GT_F64:
		gt_render_float(t, v, bits);
		break;
	case GT_HANDLE: case GT_POINTER: case GT_CALLBACK: case GT_STRUCT: case GT_VOID:
		put_address(t, bits);
		break;
	default:
		gt_text_u64(t, bits);
	}
}

/* Three digits always: a digit that follows cannot join the escape. */
static void put_octal(struct gt_text *t, unsigned char c)
{
	gt_text_char(t, '\\');
	gt_text_char(t, (char)('0' + (c >> 6)));
	gt_text_char(t, (char)('0' + (c >> 3 & 7)));
	gt_text_char(t, (char)('0' + (c & 7)));
}

static void put_text(struct gt_text *t, const unsigned char *s, size_t n, bool cut)
{
	static const char from[] = "\a\b\t\n\v\f\r\"\\", to[] = "abtnvfr\"\\";

	if (n > TEXT_MAX) {
		n = TEXT_MAX;
		cut = true;
	}
	gt_text_char(t, '"');
	for (size_t i = 0; i < n;) {
		size_t sequence = 0;
		const char *named;

		if (gt_is_harmful((const char *)s + i, n - i, &sequence) || s[i] == '"' || s[i] == '\\')
			sequence = 0;
		if (sequence) {
			gt_text_bytes(t, (const char *)s + i, sequence);
			i += sequence;
			continue;
		}
		named = memchr(from, s[i], sizeof(from) - 1);
		if (named) {
			gt_text_char(t, '\\');
			gt_text_char(t, to[named - from]);
		} else {
			put_octal(t, s[i]);
		}
		i++;
	}
	gt_text_char(t, '"');
	if (cut)
		gt_text_lit(t, "...");
}

static bool is_text(const struct gt_param *p)
{
	return p->dir == GT_IN && (p->copy == GT_COPY_STRING || (p->copy == GT_COPY_ARRAY && p->elem == GT_CHAR));
}

static void put_in(struct gt_text *t, const struct gt_arg *a)
{
	if (a->value && a->has_data && is_text(a->param))
		put_text(t, a->data, a->bytes, a->cut);
	else
		put_scalar(t, a->param->value, a->value);
}

static bool is_list(const struct gt_param *p)
{
	return p->count[0] && strcmp(p->count, "1") != 0;
}

static void put_element(struct gt_text *t, const struct gt_arg *a, uint64_t i, const struct gt_enum *symbols)
{
	const struct gt_param *p = a->param;
	uint64_t bits = gt_element(a, i, p->elem_bytes);

	if (p->elem == GT_ERROR)
		gt_render_error(t, symbols, (int32_t)bits);
	else
		put_scalar(t, p->elem, bits);
}

static void put_out_value(struct gt_text *t, const struct gt_arg *a, const struct gt_enum *symbols)
{
	const struct gt_param *p = a->param;
	uint32_t bytes = p->elem_bytes;
	uint64_t n = bytes && bytes <= 8 ? gt_elements_here(a, bytes) : 0;

	if (!is_list(p)) {
		if (n)
			put_element(t, a, 0, symbols);
		return;
	}
	gt_text_char(t, '(');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			gt_text_char(t, ',');
		put_element(t, a, i, symbols);
	}
	if (a->cut)
		gt_text_str(t, n ? ",..." : "...");
	gt_text_char(t, ')');
}

static void put_out(struct gt_text *t, const struct gt_render_plan *p, unsigned i, const struct gt_call *call,
	const struct gt_arg *a)
{
	const struct gt_render_param *rp = &p->params[i];

	/* A value that was not captured is left out; an empty list is a value. */
	if (a->value && (int)i != p->errcode && !a->has_data && !a->cut && !(is_list(a->param) && a->count == 0))
		return;
	gt_text_bytes(t, rp->log_out, rp->log_out_bytes);
	if (!a->value)
		gt_text_lit(t, "NULL");
	else if ((int)i == p->errcode)
		gt_render_error(t, rp->symbols, call->result);
	else
		put_out_value(t, a, rp->symbols);
}

static void put_result(struct gt_text *t, const struct gt_render_plan *p, const struct gt_call *call)
{
	gt_text_lit(t, " = ");
	switch (p->fn->ret) {
	case GT_VOID:
		gt_text_lit(t, "void");
		break;
	case GT_ERROR:
		gt_render_error(t, p->ret_symbols, call->result);
		break;
	case GT_HANDLE: case GT_POINTER: case GT_CALLBACK:
		put_address(t, gt_call_return(call));
		break;
	default:
		if (p->fn->ret_position >= 0)
			put_scalar(t, p->fn->ret, gt_call_return(call));
		else
			gt_text_i64(t, call->result);
	}
}

void gt_render_log_call(struct gt_text *t, const struct gt_render_plan *p, const struct gt_call *call)
{
	const struct gt_fn *fn = p->fn;
	struct gt_arg args[ARGS_MAX];
	unsigned n = fn->n_params < ARGS_MAX ? fn->n_params : ARGS_MAX;
	bool known = call->has_args;

	for (unsigned i = 0; i < n && known; i++)
		known = gt_call_arg(call, i, &args[i]);
	if (fn->is_callback)
		gt_text_lit(t, "callback ");
	gt_text_str(t, fn->name);
	gt_text_char(t, '(');
	if (!known)
		gt_text_lit(t, "...");
	for (unsigned i = 0; i < n && known; i++) {
		gt_text_bytes(t, p->params[i].log_in, p->params[i].log_in_bytes);
		put_in(t, &args[i]);
	}
	gt_text_char(t, ')');
	if (fn->is_callback || call->unfinished)
		return;
	put_result(t, p, call);
	for (unsigned i = 0; i < n && known; i++)
		if (fn->params[i].typed_out && (!gt_call_failed(call) || (int)i == p->errcode))
			put_out(t, p, i, call, &args[i]);
}
