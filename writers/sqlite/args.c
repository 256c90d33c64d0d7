/*
 * writers/sqlite/args.c - a call's arguments as one line of text: "name=value, name=value"
 *
 * Values: symbols where the table knows them, else numbers; handles and pointers in hexadecimal; what a pointer led to
 * behind it in braces, text in quotes.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "writers/sqlite/feed.h"

#define LINE_BYTES 16384                /* a line that is longer ends with "..." */
#define TEXT_BYTES 256                  /* of one text argument */
#define ELEMENTS 16                     /* of one array */

struct line { size_t n; char text[LINE_BYTES + 8]; };

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *format, ...)
{
	va_list ap;

	if (l->n >= LINE_BYTES)
		return;
	va_start(ap, format);
	int n = vsnprintf(l->text + l->n, LINE_BYTES - l->n, format, ap);
	va_end(ap);
	l->n += n > 0 ? (size_t)n : 0;
	if (l->n >= LINE_BYTES)
		l->n = LINE_BYTES;
}

static int64_t sign_extend(uint64_t raw, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (int64_t)(raw << shift) >> shift;
}

static void add_flags(struct line *l, const struct gt_enum *e, uint64_t raw)
{
	const char *between = "", *name;

	while ((name = gt_enum_next_flag(e, &raw))) {
		add(l, "%s%s", between, name);
		between = "|";
	}
	if (raw || !*between)
		add(l, "%s%" PRIu64, between, raw);
}

static void add_value(struct line *l, const struct gt_fntable *t, enum gt_value value, const char *group, uint64_t raw,
	unsigned bytes)
{
	const struct gt_enum *e = group && *group ? gt_fntable_enum(t, group) : NULL;
	const char *name;
	double wide;
	float narrow;

	switch (value) {
	case GT_I8: case GT_I16: case GT_I32: case GT_I64: case GT_CHAR:
		add(l, "%" PRId64, sign_extend(raw, bytes));
		break;
	case GT_F32:
		memcpy(&narrow, &raw, 4);
		add(l, "%.9g", (double)narrow);
		break;
	case GT_F64:
		memcpy(&wide, &raw, 8);
		add(l, "%.17g", wide);
		break;
	case GT_BOOL:
		add(l, "%s", raw ? "CL_TRUE" : "CL_FALSE");
		break;
	case GT_ENUM: case GT_ERROR:
		name = e ? gt_enum_name(e, sign_extend(raw, bytes)) : NULL;
		name ? add(l, "%s", name) : add(l, "%" PRId64, sign_extend(raw, bytes));
		break;
	case GT_FLAGS:
		add_flags(l, e, raw);
		break;
	case GT_HANDLE: case GT_POINTER: case GT_CALLBACK:
		raw ? add(l, "0x%" PRIx64, raw) : add(l, "NULL");
		break;
	default:
		add(l, "%" PRIu64, raw);
	}
}

static void add_text(struct line *l, const char *text, size_t bytes, bool cut)
{
	size_t n = bytes < TEXT_BYTES ? bytes : TEXT_BYTES;

	add(l, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			add(l, "\\%c", c);
		else if (c == '\n')
			add(l, "\\n");
		else if (c < 0x20 || c == 0x7f)
			add(l, "\\x%02x", c);
		else
			add(l, "%c", c);
	}
	add(l, "\"%s", n < bytes || cut ? "..." : "");
}

static void add_elements(struct line *l, const struct gt_fntable *t, const struct gt_arg *a)
{
	const struct gt_param *p = a->param;
	unsigned bytes = p->elem_bytes ? p->elem_bytes : 8;
	uint32_t n = a->bytes / bytes;

	if (bytes > 8 || p->elem == GT_STRUCT || p->elem == GT_VOID) {
		add(l, "{%u bytes%s}", a->bytes, a->cut ? ",..." : "");
		return;
	}
	add(l, "{");
	for (uint32_t i = 0; i < n && i < ELEMENTS; i++) {
		uint64_t raw = 0;

		memcpy(&raw, (const char *)a->data + (size_t)i * bytes, bytes);
		add(l, "%s", i ? "," : "");
		add_value(l, t, p->elem, p->group, raw, bytes);
	}
	add(l, "%s%s}", n && (n > ELEMENTS || a->cut) ? "," : "", n > ELEMENTS || a->cut ? "..." : "");
}

static void add_arg(struct line *l, const struct gt_fntable *t, const struct gt_arg *a)
{
	if (a->param->copy == GT_COPY_STRING && a->has_data) {
		add_text(l, a->data, a->bytes, a->cut);
		return;
	}
	add_value(l, t, a->param->value, a->param->group, a->value, a->param->bytes ? a->param->bytes : 8);
	if ((a->has_data || a->cut) && (a->param->copy == GT_COPY_ARRAY || a->param->copy == GT_COPY_PLIST))
		add_elements(l, t, a);
}

const char *gt_sql_arguments(const struct gt_call *call, size_t *bytes)
{
	static struct line l;           /* one export at a time fills rows (DB1 in db.c) */
	const struct gt_fntable *t = gt_model_table(call->model);
	struct gt_arg a;

	if (!call->has_args)
		return NULL;
	l.n = 0;
	l.text[0] = 0;
	for (unsigned i = 0; i < call->fn->n_params; i++) {
		if (!gt_call_arg(call, i, &a))
			continue;
		add(&l, "%s%s=", l.n ? ", " : "", call->fn->params[i].name);
		add_arg(&l, t, &a);
	}
	if (l.n >= LINE_BYTES) {
		memcpy(l.text + LINE_BYTES - 1, "...", 4);
		l.n = LINE_BYTES + 2;
	}
	*bytes = l.n;
	return l.text;
}
