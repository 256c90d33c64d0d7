/*
 * cli/dump/tracepoint.c - gputap dump: events of the kernel's tracepoints, and what they look like
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"
#include "common/harmless.h"

/* -------------------------------------------------------------------------- types */

static void put_field(struct gt_show *s, const struct gt_tracepoint_field *f)
{
	if (!s->json) {
		gt_text_lit(s->t, "\n    ");
		gt_text_harmless(s->t, f->type.text, f->type.bytes);
		gt_text_char(s->t, ' ');
		gt_text_harmless(s->t, f->name.text, f->name.bytes);
		gt_text_harmless(s->t, f->suffix.text, f->suffix.bytes);
		return;
	}
	gt_text_char(s->t, '{');
	gt_json_field_text(s->t, "name", f->name);
	gt_json_field_text(s->t, "type", f->type);
	gt_json_field_text(s->t, "suffix", f->suffix);
	gt_json_field_u64(s->t, "offset", f->offset);
	gt_json_field_u64(s->t, "bytes", f->bytes);
	gt_json_field_u64(s->t, "element", f->element);
	gt_json_field_bool(s->t, "signed", f->flags & REC_FIELD_SIGNED);
	gt_text_char(s->t, '}');
}

static bool type_fields(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_tracepoint_type *type = record;

	(void)f;
	gt_text_str(s->t, s->json ? "[" : "");
	for (uint32_t i = 0; i < type->n_fields; i++) {
		if (s->json && i)
			gt_text_char(s->t, ',');
		put_field(s, &type->fields[i]);
	}
	gt_text_str(s->t, s->json ? "]" : "");
	return true;
}

#define T struct gt_tracepoint_type
static const struct gt_shown type_shown[] = {
	{ "number", gt_show_number, GT_NUMBER(T, number) },
	{ "name", gt_show_raw, GT_PLACE(T, name), GT_TEXT_ONLY },
	{ "name", gt_show_string, GT_PLACE(T, name), GT_JSON_ONLY },
	{ "format", gt_show_string, GT_PLACE(T, format) },
	{ "fields", type_fields, GT_OWN },
};
#undef T
static const struct gt_shape type_shape = { "tracepoint_type", "tracepoint_type {number} {name}{fields}",
	{ GT_FIELDS(type_shown) } };

void gt_dump_tracepoint_type(struct gt_show *s, const struct gt_tracepoint_type *v)
{
	gt_show_record(s, &type_shape, v);
}

/* ------------------------------------------------------------------------- events */

static bool event_name(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_tracepoint *e = record;
	const struct gt_string *name = &gt_model_tracepoint_type(s->m, e->type)->name;

	(void)f;
	if (s->json)
		gt_json_string(s->t, name->text, name->bytes);
	else
		gt_text_harmless(s->t, name->text, name->bytes);
	return true;
}

static bool put_numbers(struct gt_show *s, const struct gt_tracepoint *e, const struct gt_tracepoint_field *f)
{
	uint32_t n = gt_tracepoint_numbers(s->m, e, f);
	bool list = f->element != f->bytes || f->flags & REC_FIELD_PLACE;

	if (list)
		gt_text_char(s->t, '[');
	if (n)
		gt_tracepoint_value(s->m, e, f, s->t);
	else if (!list)
		gt_text_lit(s->t, "null");
	if (list)
		gt_text_char(s->t, ']');
	return true;
}

/* JSON has every field, a line those of its own type alone. */
static bool event_fields(struct gt_show *s, const struct gt_shown *shown, const void *record)
{
	const struct gt_tracepoint *e = record;
	const struct gt_tracepoint_type *type = gt_model_tracepoint_type(s->m, e->type);
	struct gt_string text;
	bool some = false;

	(void)shown;
	gt_text_str(s->t, s->json ? "{" : "");
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct gt_tracepoint_field *f = &type->fields[i];

		if (!s->json && gt_tracepoint_is_common(f))
			continue;
		if (some)
			gt_text_char(s->t, s->json ? ',' : ' ');
		some = true;
		if (s->json)
			gt_json_string(s->t, f->name.text, f->name.bytes);
		else
			gt_text_harmless(s->t, f->name.text, f->name.bytes);
		gt_text_char(s->t, s->json ? ':' : '=');
		if (gt_tracepoint_text(s->m, e, f, &text))
			gt_json_string(s->t, text.text, text.bytes);
		else
			put_numbers(s, e, f);
	}
	gt_text_str(s->t, s->json ? "}" : "");
	return s->json || some;
}

#define E struct gt_tracepoint
static const struct gt_shown event_shown[] = {
	GT_WHOSE(E),
	{ "tid", gt_show_tid, GT_NUMBER(E, thread) },
	{ "time_ns", gt_show_number, GT_NUMBER(E, time_ns) },
	{ "cpu", gt_show_number, GT_NUMBER(E, cpu) },
	{ "name", event_name, GT_OWN },
	{ "fields", event_fields, GT_OWN },
};
#undef E
static const struct gt_shape event_shape = { "tracepoint", "tracepoint {pid} {tid} {time_ns} cpu {cpu} {name}{ fields}",
	{ GT_FIELDS(event_shown) } };

void gt_dump_tracepoint(struct gt_show *s, const struct gt_tracepoint *v) { gt_show_record(s, &event_shape, v); }
