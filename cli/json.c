/*
 * cli/json.c - what is in a trace as JSON: values by their class, arguments of calls, answers to queries
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/json.h"

/* ------------------------------------------------------------------- scalars */

static int64_t sign_extend(uint64_t bits, uint32_t bytes)
{
	return bytes == 1 ? (int8_t)bits : bytes == 2 ? (int16_t)bits : bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

static const char *symbol(const struct gt_enum *symbols, uint64_t bits, uint32_t bytes)
{
	const char *name = gt_enum_name(symbols, (int64_t)bits);

	return name ? name : gt_enum_name(symbols, sign_extend(bits, bytes)); /* headers define both kinds */
}

static void flags(struct gt_text *t, const struct gt_enum *symbols, uint64_t bits)
{
	const char *before = "", *name;

	gt_text_char(t, '"');
	while ((name = gt_enum_next_flag(symbols, &bits))) {
		gt_text_str(t, before);
		gt_text_str(t, name);
		before = "|";
	}
	if (bits || !*before) {
		gt_text_str(t, before);
		gt_text_lit(t, "0x");
		gt_text_hex(t, bits, 1, false);
	}
	gt_text_char(t, '"');
}

void gt_json_scalar(
	struct gt_text *t, enum gt_value value, const struct gt_enum *symbols, uint64_t bits, uint32_t bytes)
{
	const char *name =
		value == GT_ENUM || value == GT_ERROR || value == GT_BOOL ? symbol(symbols, bits, bytes) : NULL;
	double d;
	float f;

	if (name) {
		gt_json_string(t, name, strlen(name));
		return;
	}
	switch (value) {
	case GT_FLAGS:
		flags(t, symbols, bits);
		break;
	case GT_HANDLE: case GT_POINTER: case GT_CALLBACK:
		if (bits)
			gt_json_hex(t, bits);
		else
			gt_text_lit(t, "null");
		break;
	case GT_F32:
		memcpy(&f, &bits, 4);
		gt_json_real(t, (double)f);
		break;
	case GT_F64:
		memcpy(&d, &bits, 8);
		gt_json_real(t, d);
		break;
	case GT_I8: case GT_I16: case GT_I32: case GT_I64: case GT_ERROR: case GT_CHAR:
		gt_text_i64(t, sign_extend(bits, bytes));
		break;
	default:
		gt_text_u64(t, bits);
	}
}

/* ---------------------------------------------------------------- behind pointers */

static uint64_t load(const void *from, uint32_t bytes)
{
	uint64_t v = 0;

	memcpy(&v, from, bytes < 8 ? bytes : 8);
	return v;
}

static uint32_t size_of(enum gt_value v)
{
	switch (v) {
	case GT_I8: case GT_U8: case GT_CHAR: case GT_BYTE:
		return 1;
	case GT_I16: case GT_U16:
		return 2;
	case GT_I32: case GT_U32: case GT_F32: case GT_BOOL: case GT_ERROR:
		return 4;
	default:
		return 8;
	}
}

static void structure(
	struct gt_text *t, const struct gt_fntable *table, const char *group, const void *data, uint32_t bytes)
{
	const struct gt_struct *s = gt_fntable_struct(table, group);

	if (!s || s->bytes > bytes) {
		gt_json_bytes(t, data, bytes);
		return;
	}
	gt_text_char(t, '{');
	for (uint32_t i = 0; i < s->n_fields; i++) {
		const struct gt_field *f = &s->fields[i];

		gt_json_key(t, f->name);
		if (f->value == GT_CHAR || f->value == GT_BYTE || f->bytes > 8) {
			const char *text = (const char *)data + f->offset;

			if (f->value == GT_CHAR)
				gt_json_string(t, text, strnlen(text, f->bytes));
			else
				gt_json_bytes(t, text, f->bytes);
			continue;
		}
		gt_json_scalar(t, f->value, *f->group ? gt_fntable_enum(table, f->group) : NULL,
			load((const char *)data + f->offset, f->bytes), f->bytes);
	}
	gt_text_char(t, '}');
}

/* n elements of one class; alone: without brackets. */
static void elements(struct gt_text *t, const struct gt_fntable *table, enum gt_value value, const char *group,
	uint32_t each, const void *data, uint32_t bytes, bool alone)
{
	const struct gt_enum *symbols = *group ? gt_fntable_enum(table, group) : NULL;

	if (!alone)
		gt_text_char(t, '[');
	for (uint32_t at = 0; each && at + each <= bytes; at += each) {
		if (at)
			gt_text_char(t, ',');
		if (value == GT_STRUCT)
			structure(t, table, group, (const char *)data + at, each);
		else
			gt_json_scalar(t, value, symbols, load((const char *)data + at, each), each);
	}
	if (!alone)
		gt_text_char(t, ']');
}

void gt_json_query(struct gt_text *t, const struct gt_fntable *table, const char *group, int64_t query,
	const void *data, uint32_t bytes)
{
	const struct gt_struct *s;
	struct gt_query q;
	uint32_t each;

	if (!gt_fntable_query(table, group, query, &q)) {
		gt_json_bytes(t, data, bytes);
	} else if (q.value == GT_CHAR) {
		gt_json_string(t, data, strnlen(data, bytes));
	} else {
		s = q.value == GT_STRUCT ? gt_fntable_struct(table, q.group) : NULL;
		each = s ? s->bytes : q.value == GT_ENUM || q.value == GT_FLAGS ?
			(bytes < 8 && !q.array ? bytes : q.value == GT_ENUM && !q.array ? 4 : 8) : size_of(q.value);
		if (!q.array && bytes && bytes < each)
			each = bytes;     /* the driver answered with a narrower type */
		if (q.value == GT_STRUCT && !s)
			gt_json_bytes(t, data, bytes);
		else if (!q.array && bytes < each)
			gt_text_lit(t, "null");
		else
			elements(t, table, q.value, q.group, each, data, q.array ? bytes : each, !q.array);
	}
}

/* The parameter that says what an info query's answer is: of the same group, with a value of its own. */
static bool find_query(const struct gt_call *call, const struct gt_param *p, int64_t *query)
{
	struct gt_arg arg;

	for (uint32_t i = 0; *p->group && i < call->fn->n_params; i++) {
		const struct gt_param *q = &call->fn->params[i];

		if (q == p || strcmp(q->group, p->group) || q->copy != GT_COPY_NONE || !gt_call_arg(call, i, &arg))
			continue;
		*query = (int64_t)arg.value;
		return true;
	}
	return false;
}

static void behind(struct gt_text *t, const struct gt_call *call, const struct gt_arg *a)
{
	const struct gt_fntable *table = gt_model_table(call->model);
	const struct gt_param *p = a->param;
	int64_t query;

	switch (p->copy) {
	case GT_COPY_STRING:
		gt_json_string(t, a->data, a->bytes);
		break;
	case GT_COPY_PLIST:
		elements(t, table, GT_U64, "", 8, a->data, a->bytes, false);
		break;
	case GT_COPY_BYTES:
		if (find_query(call, p, &query))
			gt_json_query(t, table, p->group, query, a->data, a->bytes);
		else
			gt_json_bytes(t, a->data, a->bytes);
		break;
	default:
		if (p->elem == GT_CHAR)
			gt_json_string(t, a->data, strnlen(a->data, a->bytes));
		else
			elements(t, table, p->is_errcode ? GT_ERROR : p->elem, p->group, p->elem_bytes, a->data,
				a->bytes, !*p->count);
	}
}

void gt_json_arg(struct gt_text *t, const struct gt_call *call, unsigned i)
{
	struct gt_arg a;

	if (!gt_call_arg(call, i, &a))
		gt_text_lit(t, "null");
	else if (a.has_data)
		behind(t, call, &a);
	else
		gt_json_scalar(t, a.param->value, a.param->symbols, a.value, a.param->bytes);
}
