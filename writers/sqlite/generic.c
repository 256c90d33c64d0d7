/*
 * writers/sqlite/generic.c - generic events; of a source of our own, --sqlite-counters: what is pending and allocated
 *
 * Generic events are those whose fields only the file itself describes: a source, its types, each type's fields, and
 * the events with their values. Both layouts have JSON, with every value as a string, for that is what published
 * queries read; the newer one has a table for each of them besides, and values as numbers.
 *
 * spec: nsys SQLite "Generic events"; the newer tables: docs/sqlite.md
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/timeline.h"
#include "model/window.h"
#include "writers/sqlite/cuda.h"
#include "writers/sqlite/generic.h"

#define SOURCE GT_SQL_SOURCE(1)
#define SOURCE_NAME "gputap counters"
enum { FIELDS = 3 };

/* value -1 behind the first field: not known. */
static const struct { const char *name, *field[FIELDS]; } types[] = {
	{ "Pending commands", { "Value", "Device", "Queue" } },
	{ "Pending bytes", { "Value", "Device", "Queue" } },
	{ "GPU memory in use", { "Value", "Device", NULL } },
	{ "Buffer bytes", { "Value", "Context", NULL } },
};
enum type { PENDING_COMMANDS, PENDING_BYTES, MEMORY, BUFFERS, TYPES };

struct generic { struct gt_sql_generic to; bool used[TYPES]; };

static int64_t type_id(enum type type) { return SOURCE | (int64_t)(type + 1); }

static void put_event(struct generic *g, enum type type, int64_t at_ns, uint32_t process, const int64_t value[FIELDS])
{
	struct gt_sql_row *r = gt_sql_generic_event(&g->to, at_ns, type_id(type));
	char text[256] = "";
	int n = 0;

	g->used[type] = true;
	if (process != UINT32_MAX)
		gt_put(r, GE_globalTid, gt_sql_pid(g->to.f, process));
	for (int i = 0; i < FIELDS && types[type].field[i]; i++) {
		if (i && value[i] < 0)
			continue;
		n += snprintf(text + n, sizeof text - (size_t)n, "%s\"%s\":\"%" PRId64 "\"", n ? "," : "{",
			types[type].field[i], value[i]);
		if (!g->to.old)
			gt_sql_generic_number(&g->to, i, true, value[i]);
	}
	snprintf(text + n, sizeof text - (size_t)n, "}");
	gt_put_str(g->to.events, r, GE_data, text);
}

/* ------------------------------------------------------------------------- counters */

static int64_t device_of(const struct generic *g, const struct gt_track *track)
{
	if (track->object)
		return gt_sql_device_number(g->to.f, track->object);
	return track->device ? gt_sql_cuda_known(g->to.f, track->device->process, track->device->id) : -1;
}

static void put_counter(struct generic *g, const struct gt_timeline *t, const struct gt_item *item)
{
	const struct gt_track *counter = gt_timeline_track(t, item->track);
	const struct gt_track *of = gt_timeline_track(t, counter->parent), *device = of;
	int64_t value[FIELDS] = { item->value, -1, -1 };

	if (of->kind != GT_TRACK_QUEUE) {
		value[1] = device_of(g, of);
		put_event(g, MEMORY, item->at_ns, UINT32_MAX, value);
		return;
	}
	if (of->parent != GT_NO_TRACK)
		device = gt_timeline_track(t, of->parent);
	value[1] = device_of(g, device);
	value[2] = of->object ? gt_sql_object_number(g->to.f->objects, of->object)
		: of->stream == GT_CUDA_NONE ? -1 : (int64_t)of->stream;
	put_event(g, counter->unit == GT_UNIT_COUNT ? PENDING_COMMANDS : PENDING_BYTES, item->at_ns, item->process,
		value);
}

static int put_counters(struct generic *g, struct gt_err *err)
{
	const struct gt_timeline_options options = { .process = -1, .from_ns = g->to.f->x->from_ns,
		.to_ns = g->to.f->x->to_ns, .counters = true, .trial = true };
	const struct gt_item *item;
	struct gt_timeline *t;
	int more;

	if (gt_timeline_open(g->to.f->m, &options, &t, err))
		return -1;
	while ((more = gt_timeline_next(t, &item, err)) == 1)
		if (item->kind == GT_ITEM_COUNTER)
			put_counter(g, t, item);
	gt_timeline_close(t);
	return more < 0 ? -1 : 0;
}

/* -------------------------------------------------------------------------- buffers */

struct change { int64_t at_ns, bytes; const struct gt_object *context; };

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Buffers and images of OpenCL, from the call that made them to the one that freed them; parts of others not. */
static struct change *changes_of(const struct gt_model *m, uint32_t *n)
{
	uint32_t all = gt_model_object_count(m);
	struct change *v = calloc(2ull * all + 1, sizeof *v);

	*n = 0;
	for (uint32_t i = 0; v && i < all; i++) {
		const struct gt_object *o = gt_model_object((struct gt_model *)m, i);

		if (o->kind != REC_OBJECT_MEM || o->parent || !o->size || !o->context)
			continue;
		if (o->born_ns != GT_NO_TIME)
			v[(*n)++] = (struct change){ o->born_ns, (int64_t)o->size, o->context };
		if (o->born_ns != GT_NO_TIME && o->died_ns != GT_NO_TIME)
			v[(*n)++] = (struct change){ o->died_ns, -(int64_t)o->size, o->context };
	}
	if (v)
		qsort(v, *n, sizeof *v, by_time);
	return v;
}

static bool put_buffers(struct generic *g)
{
	uint32_t n, all = gt_model_object_count(g->to.f->m);
	struct change *v = changes_of(g->to.f->m, &n);
	/* sums by context, found by its place among the changes: there are few contexts */
	struct { const struct gt_object *context; int64_t bytes; } *sums = calloc(all + 1ull, sizeof *sums);
	uint32_t n_sums = 0;
	bool good = v && sums;

	for (uint32_t i = 0; good && i < n; i++) {
		uint32_t k = 0;

		while (k < n_sums && sums[k].context != v[i].context)
			k++;
		if (k == n_sums)
			sums[n_sums++].context = v[i].context;
		sums[k].bytes += v[i].bytes;
		if (gt_overlaps(g->to.f->x->from_ns, g->to.f->x->to_ns, v[i].at_ns, v[i].at_ns))
			put_event(g, BUFFERS, v[i].at_ns, v[i].context->process,
				(const int64_t[FIELDS]){ sums[k].bytes,
					gt_sql_object_number(g->to.f->objects, v[i].context), -1 });
	}
	free(v);
	free(sums);
	return good;
}

/* --------------------------------------------------------------------- types, source */

static void put_type(struct generic *g, enum type type)
{
	struct gt_sql_row *r = gt_sql_generic_type(&g->to, type_id(type), SOURCE, types[type].name);
	char text[256];
	int n = snprintf(text, sizeof text, "{\"Name\":\"%s\",\"Fields\":[", types[type].name);

	for (int i = 0; i < FIELDS && types[type].field[i]; i++) {
		n += snprintf(text + n, sizeof text - (size_t)n, "%s{\"Name\":\"%s\",\"Type\":\"Signed\"}",
			i ? "," : "", types[type].field[i]);
		if (!g->to.old)
			gt_sql_generic_field(&g->to, type_id(type), i, types[type].field[i],
				(int64_t)sizeof(int64_t) * i, sizeof(int64_t), true);
	}
	snprintf(text + n, sizeof text - (size_t)n, "]}");
	gt_put_str(g->to.types, r, GT_data, text);
}

static int put_own(struct generic *g, struct gt_err *err)
{
	if (put_counters(g, err))
		return -1;
	if (!put_buffers(g))
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", g->to.f->x->final_path);
	for (int i = 0; i < TYPES; i++)
		if (g->used[i])
			put_type(g, (enum type)i);
	if (g->to.id)
		gt_sql_generic_source(&g->to, SOURCE, SOURCE_NAME, GT_SQL_GROUP_UNKNOWN,
			"{\"Name\":\"" SOURCE_NAME "\",\"TimeSource\":\"SessionNs\"}");
	return 0;
}

/* --------------------------------------------------------------------------- tables */

struct gt_sql_row *gt_sql_generic_event(struct gt_sql_generic *g, int64_t at_ns, int64_t type)
{
	struct gt_sql_row *r = gt_sql_add(g->events);

	gt_put(r, GE_genericEventId, ++g->id);
	gt_put(r, GE_rawTimestamp, at_ns);
	gt_put(r, GE_timestamp, at_ns);
	gt_put(r, GE_typeId, type);
	return r;
}

void gt_sql_generic_number(struct gt_sql_generic *g, int field, bool has_sign, int64_t value)
{
	struct gt_sql_row *r = gt_sql_add(g->values);

	gt_put(r, GD_genericEventId, g->id);
	gt_put(r, GD_fieldIdx, field);
	gt_put(r, has_sign ? GD_intVal : GD_uintVal, value);
}

struct gt_sql_row *gt_sql_generic_type(struct gt_sql_generic *g, int64_t type, int64_t source, const char *name)
{
	struct gt_sql_row *r = gt_sql_add(g->types);

	gt_put(r, GT_typeId, type);
	gt_put(r, GT_sourceId, source);
	gt_put(r, GT_nameId, gt_sql_string(g->f->db, name, strlen(name)));
	return r;
}

struct gt_sql_row *gt_sql_generic_field(struct gt_sql_generic *g, int64_t type, int number, const char *name,
	int64_t offset, int64_t bytes, bool has_sign)
{
	struct gt_sql_row *r = gt_sql_add(g->fields);

	gt_put(r, GF_typeId, type);
	gt_put(r, GF_fieldIdx, number);
	gt_put(r, GF_fieldNameId, gt_sql_string(g->f->db, name, strlen(name)));
	gt_put(r, GF_offset, offset);
	gt_put(r, GF_size, bytes);
	gt_put(r, GF_type, has_sign ? GT_SQL_FIELD_SIGNED : GT_SQL_FIELD_UNSIGNED);
	return r;
}

void gt_sql_generic_source(
	struct gt_sql_generic *g, int64_t source, const char *name, enum gt_sql_group group, const char *json)
{
	struct gt_sql_row *r = gt_sql_add(g->sources);

	gt_put(r, 0, source);
	gt_put(r, 1, gt_sql_string(g->f->db, name, strlen(name)));
	gt_put(r, 2, GT_SQL_TIME_SESSION_NS);
	gt_put(r, 3, group);
	gt_put_constant(g->sources, r, 4, json);
}

int gt_sql_generic(struct gt_sql_feeder *f, struct gt_err *err)
{
	static const char *const event_cells[] = { "genericEventId", "rawTimestamp", "timestamp", "typeId",
		"globalTid", "data" };
	static const char *const value_cells[] = { "genericEventId", "fieldIdx", "intVal", "uintVal" };
	static const char *const type_cells[] = { "typeId", "sourceId", "nameId", "ftraceFormat", "data" };
	static const char *const field_cells[] = { "typeId", "fieldIdx", "fieldNameId", "offset", "size", "type",
		"ftracePrefix", "ftraceSuffix" };
	static const char *const source_cells[] = { "sourceId", "nameId", "timeSourceId", "sourceGroupId", "data" };
	bool own = gt_option_true(f->x->options, "sqlite-counters");
	struct generic g = { .to = { .f = f, .old = gt_sql_is_2021(f->db) } };

	if (!own && !gt_model_tracepoint_count(f->m))
		return 0;
#define FEED(name, cells) gt_sql_feed(f->db, name, cells, sizeof cells / sizeof *cells)
	g.to.events = FEED("GENERIC_EVENTS", event_cells);
	g.to.values = FEED("GENERIC_EVENT_DATA", value_cells);
	g.to.types = FEED("GENERIC_EVENT_TYPES", type_cells);
	g.to.fields = FEED("GENERIC_EVENT_TYPE_FIELDS", field_cells);
	g.to.sources = FEED("GENERIC_EVENT_SOURCES", source_cells);
#undef FEED
	if (own && put_own(&g, err))
		return -1;
	if (!gt_sql_tracepoints(&g.to))
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no memory", f->x->final_path);
	return 0;
}
