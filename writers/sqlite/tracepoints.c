/*
 * writers/sqlite/tracepoints.c - events of the kernel's tracepoints (--ftrace) as generic events
 *
 * spec: nsys SQLite "Generic events": JSON has all values as strings. Numbers of an array stand in one string, with
 * commas between them, and in GENERIC_EVENT_DATA in as many rows of one field; a text stands in the JSON alone.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/json.h"
#include "model/threads/tracepoints.h"
#include "model/window.h"
#include "writers/sqlite/generic.h"

#define SOURCE GT_SQL_SOURCE(2)

static bool wanted(const struct gt_sql_feeder *f, const struct gt_tracepoint *e)
{
	return gt_overlaps(f->x->from_ns, f->x->to_ns, e->time_ns, e->time_ns);
}

static int64_t type_id(const struct gt_tracepoint_type *type) { return SOURCE | (int64_t)type->number; }

/* ------------------------------------------------------------------------- events */

static void put_numbers(struct gt_sql_generic *g, const struct gt_tracepoint *e, const struct gt_tracepoint_type *type)
{
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct gt_tracepoint_field *f = &type->fields[i];
		uint32_t n = gt_tracepoint_numbers(g->f->m, e, f);

		for (uint32_t k = 0; k < n; k++)
			gt_sql_generic_number(g, (int)i, f->flags & REC_FIELD_SIGNED,
				(int64_t)gt_tracepoint_number(g->f->m, e, f, k));
	}
}

static void put_event(
	struct gt_sql_generic *g, const struct gt_tracepoint *e, struct gt_text *json, struct gt_text *value)
{
	const struct gt_tracepoint_type *type = gt_model_tracepoint_type(g->f->m, e->type);
	struct gt_sql_row *r = gt_sql_generic_event(g, e->time_ns, type_id(type));

	gt_put(r, GE_globalTid, gt_sql_tid(g->f, e->process, e->thread));
	json->used = 0;
	gt_text_char(json, '{');
	for (uint32_t i = 0; i < type->n_fields; i++) {
		const struct gt_tracepoint_field *f = &type->fields[i];

		value->used = 0;
		if (!gt_tracepoint_value(g->f->m, e, f, value))
			continue;
		if (json->used > 1)
			gt_text_char(json, ',');
		gt_json_string(json, f->name.text, f->name.bytes);
		gt_text_char(json, ':');
		gt_json_string(json, value->data, value->used);
	}
	gt_text_char(json, '}');
	gt_put_text(g->events, r, GE_data, json->data, json->used);
	if (!g->old)
		put_numbers(g, e, type);
}

/* -------------------------------------------------------------------------- types */

static void put_field(struct gt_sql_generic *g, const struct gt_tracepoint_type *type, uint32_t i, struct gt_text *json)
{
	const struct gt_tracepoint_field *f = &type->fields[i];
	struct gt_sql_row *r;

	if (i)
		gt_text_char(json, ',');
	gt_text_char(json, '{');
	gt_json_field_text(json, "Name", f->name);
	gt_json_field_text(json, "Prefix", f->type);
	gt_json_field_text(json, "Suffix", f->suffix);
	gt_text_char(json, '}');
	if (g->old)
		return;
	r = gt_sql_generic_field(
		g, type_id(type), (int)i, f->name.text, f->offset, f->bytes, f->flags & REC_FIELD_SIGNED);
	gt_put_text(g->fields, r, GF_ftracePrefix, f->type.text, f->type.bytes);
	gt_put_text(g->fields, r, GF_ftraceSuffix, f->suffix.text, f->suffix.bytes);
}

static void put_type(struct gt_sql_generic *g, const struct gt_tracepoint_type *type, struct gt_text *json)
{
	struct gt_sql_row *r = gt_sql_generic_type(g, type_id(type), SOURCE, type->name.text);

	json->used = 0;
	gt_text_char(json, '{');
	gt_json_field_text(json, "Name", type->name);
	gt_json_field_text(json, "Format", type->format);
	gt_json_key(json, "Fields");
	gt_text_char(json, '[');
	for (uint32_t i = 0; i < type->n_fields; i++)
		put_field(g, type, i, json);
	gt_text_lit(json, "]}");
	gt_put_text(g->types, r, GT_ftraceFormat, type->format.text, type->format.bytes);
	gt_put_text(g->types, r, GT_data, json->data, json->used);
}

bool gt_sql_tracepoints(struct gt_sql_generic *g)
{
	struct gt_text json = { 0 }, value = { 0 };
	uint32_t n = gt_model_tracepoint_type_count(g->f->m);
	bool *used = calloc(n + 1ull, sizeof *used), some = false, good = used;

	for (uint64_t i = 0; good && i < gt_model_tracepoint_count(g->f->m); i++) {
		const struct gt_tracepoint *e = gt_model_tracepoint(g->f->m, i);

		if (!wanted(g->f, e))
			continue;
		put_event(g, e, &json, &value);
		used[e->type] = some = true;
	}
	for (uint32_t i = 0; good && i < n; i++)
		if (used[i])
			put_type(g, gt_model_tracepoint_type(g->f->m, i), &json);
	if (some)
		gt_sql_generic_source(g, SOURCE, "FTrace", GT_SQL_GROUP_FTRACE,
			"{\"Name\":\"FTrace\",\"TimeSource\":\"SessionNs\",\"SourceGroup\":\"FTrace\"}");
	good = good && !json.failed && !value.failed;
	gt_text_free(&json);
	gt_text_free(&value);
	free(used);
	return good;
}

void gt_sql_tracepoint_threads(struct gt_sql_feeder *f)
{
	for (uint64_t i = 0; i < gt_model_tracepoint_count(f->m); i++) {
		const struct gt_tracepoint *e = gt_model_tracepoint(f->m, i);

		if (wanted(f, e))
			f->thread_used[e->thread] = true;
	}
}
