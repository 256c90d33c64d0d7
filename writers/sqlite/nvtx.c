/*
 * writers/sqlite/nvtx.c - NVTX_EVENTS: marks, ranges, and the names of domains, categories and threads
 *
 * A registered string is text and textId, any other message text alone: consumers read one or the other. With
 * --nvtx-text=strict, and in the edition of 2021, a registered string is textId alone, as the source document has it.
 *
 * cuBLAS and cuDNN annotate their own functions with pushes and pops of a domain of theirs: these are rows of
 * CUBLAS_EVENTS and CUDNN_EVENTS, and of NVTX_EVENTS only when asked. Those tables cannot hold a range without an end.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/map.h"
#include "common/paged.h"
#include "model/nvtx/ranges.h"
#include "model/window.h"
#include "writers/payload_json.h"
#include "writers/sqlite/feed.h"

#define CELLS(X) \
	X(start) X(end) X(eventType) X(rangeId) X(category) X(color) X(text) X(globalTid) X(endGlobalTid) X(textId) \
	X(domainId) \
	X(uint64Value) X(int64Value) X(doubleValue) X(uint32Value) X(int32Value) X(floatValue) X(jsonText) X(jsonTextId)
#define X(cell) NV_##cell,
enum { CELLS(X) };
#undef X
#define X(cell) #cell,
static const char *const cells[] = { CELLS(X) };
#undef X

/* spec: nsys SQLite ENUM_NSYS_EVENT_TYPE */
enum { CATEGORY = 33, MARK = 34, THREAD = 39, PUSH_POP = 59, START_END = 60, DOMAIN = 75, DOMAIN_END = 76 };

/* spec: nsys SQLite CUBLAS_EVENTS, CUDNN_EVENTS. Domain names as the libraries create them. */
enum { LIBRARIES = 2 };
static const struct { const char *domain, *table; int class; } libraries[LIBRARIES] = {
	{ "cuBLAS", "CUBLAS_EVENTS", GT_SQL_CLASS_CUBLAS }, { "cuDNN", "CUDNN_EVENTS", GT_SQL_CLASS_CUDNN },
};

struct known_domain { uint32_t process, domain; bool has_row; struct gt_string name; };

struct nvtx {
	struct gt_sql_feeder *f;
	struct gt_sql_table *table, *library[LIBRARIES], *schema;
	struct gt_map known;              /* struct known_domain: with a row, or named by the program */
	struct gt_text json;
};

static bool in_window(const struct nvtx *n, int64_t start, int64_t end)
{
	return gt_overlaps(n->f->x->from_ns, n->f->x->to_ns, start, end);
}

static struct gt_sql_row *add(
	struct nvtx *n, int64_t start, int type, int64_t tid, uint32_t domain, struct gt_string text)
{
	struct gt_sql_row *r = gt_sql_add(n->table);

	gt_put(r, NV_start, start);
	gt_put(r, NV_eventType, type);
	gt_put(r, NV_globalTid, tid);
	gt_put(r, NV_domainId, domain);
	gt_put_text(n->table, r, NV_text, text.text, text.bytes);
	return r;
}

static bool same_domain(const void *element, const void *key, const void *ctx)
{
	const struct known_domain *a = element, *b = key;

	(void)ctx;
	return a->process == b->process && a->domain == b->domain;
}

static struct known_domain *known_domain(struct nvtx *n, uint32_t process, uint32_t domain)
{
	const struct known_domain key = { .process = process, .domain = domain };
	uint64_t hash = gt_hash(GT_HASH, (uint64_t)process << 32 | domain);
	struct known_domain *k;
	bool fresh;

	gt_paged_tick();
	k = gt_map_add(&n->known, sizeof *k, hash, &key, same_domain, NULL, &fresh);
	if (k && fresh)
		*k = key;
	return k;
}

/* True when it had no row yet. */
static bool note_domain(struct nvtx *n, uint32_t process, uint32_t domain)
{
	struct known_domain *k = known_domain(n, process, domain);
	bool had = k && k->has_row;

	if (k)
		k->has_row = true;
	return !had;
}

/*
 * Consumers look a domain's name up among the rows of its process: a child of fork gets rows for those of its parent.
 */
static void inherited_domain(struct nvtx *n, const struct gt_range *g)
{
	if (g->domain && note_domain(n, g->process, g->domain))
		add(n, g->start_ns, DOMAIN, gt_sql_tid(n->f, g->process, g->thread), g->domain, g->domain_name);
}

/* The library whose domain has that name; -1. */
static int library_of(struct gt_string domain)
{
	for (int i = 0; i < LIBRARIES; i++)
		if (domain.text && domain.bytes == strlen(libraries[i].domain) &&
			!memcmp(domain.text, libraries[i].domain, domain.bytes))
			return i;
	return -1;
}

/* What domains were called, for their ends. The last name holds, wherever the end stands. */
static void note_names(struct nvtx *n)
{
	for (uint32_t i = 0; i < gt_model_range_name_count(n->f->m); i++) {
		const struct gt_range_name *name = gt_model_range_name(n->f->m, i);
		struct known_domain *k =
			name->what == REC_NVTX_DOMAIN ? known_domain(n, name->process, name->domain) : NULL;

		if (k)
			k->name = name->text;
	}
}

/* What the domain that ends was called. */
static struct gt_string domain_name(struct nvtx *n, const struct gt_range_name *end)
{
	const struct known_domain *k = known_domain(n, end->process, end->domain);

	return k ? k->name : (struct gt_string){ NULL, 0 };
}

/* True when the range stands there and not in NVTX_EVENTS. */
static bool add_library_event(struct nvtx *n, const struct gt_range *g)
{
	int library = g->kind == REC_NVTX_PUSH && g->end_ns != GT_NO_TIME ? library_of(g->domain_name) : -1;

	if (library < 0)
		return false;
	struct gt_sql_row *r = gt_sql_add(n->library[library]);

	gt_put(r, 0, g->start_ns);
	gt_put(r, 1, g->end_ns);
	gt_put(r, 2, libraries[library].class);
	gt_put(r, 3, gt_sql_tid(n->f, g->process, g->thread));
	gt_put(r, 4, gt_sql_string(n->f->db, g->text.text, g->text.bytes));
	n->f->thread_used[g->thread] = true;
	return !n->f->library_ranges;
}

static void add_name(struct nvtx *n, const struct gt_range_name *name)
{
	int64_t tid = gt_sql_tid(n->f, name->process, name->thread);
	struct gt_sql_row *r;

	switch (name->what) {
	case REC_NVTX_DOMAIN:
		if (!n->f->library_ranges && library_of(name->text) >= 0)
			break;          /* it gets a row with its first row here, if ever */
		note_domain(n, name->process, name->domain);
		add(n, name->time_ns, DOMAIN, tid, name->domain, name->text);
		break;
	case REC_NVTX_DOMAIN_END:
		if (!n->f->library_ranges && library_of(domain_name(n, name)) >= 0)
			break;
		add(n, name->time_ns, DOMAIN_END, tid, name->domain, name->text);
		break;
	case REC_NVTX_CATEGORY:
		r = add(n, name->time_ns, CATEGORY, tid, name->domain, name->text);
		gt_put(r, NV_category, (int64_t)name->id);
		break;
	case REC_NVTX_THREAD:
		add(n, name->time_ns, THREAD, gt_sql_pid(n->f, name->process) | (int64_t)(name->id & 0xffffff),
			name->domain, name->text);
		break;
	default:                        /* resources have no event type in this table */
		break;
	}
}

static void put_payload(struct gt_sql_row *r, const struct gt_range *g)
{
	float single;
	double number;

	switch (g->payload_type) {
	case 1: gt_put(r, NV_uint64Value, (int64_t)g->payload); break;
	case 2: gt_put(r, NV_int64Value, (int64_t)g->payload); break;
	case 3:
		memcpy(&number, &g->payload, sizeof number);
		gt_put_real(r, NV_doubleValue, number);
		break;
	case 4: gt_put(r, NV_uint32Value, (uint32_t)g->payload); break;
	case 5: gt_put(r, NV_int32Value, (int32_t)g->payload); break;
	case 6:
		memcpy(&single, &g->payload, sizeof single);
		gt_put_real(r, NV_floatValue, single);
		break;
	default: break;
	}
}

/* Which schemas the pieces of a payload have. A piece: schema id, size, bytes kept, these bytes padded to words. */
static void add_schema_links(struct nvtx *n, const struct gt_range *g, int64_t event)
{
	uint64_t piece[3];

	for (size_t at = 0; g->data.bytes - at >= sizeof piece; at += (piece[2] + 7) / 8 * 8) {
		struct gt_sql_row *r = gt_sql_add(n->schema);

		memcpy(piece, g->data.text + at, sizeof piece);
		at += sizeof piece;
		gt_put(r, 0, event);
		gt_put(r, 1, gt_sql_pid(n->f, g->process));
		gt_put(r, 2, g->domain);
		gt_put(r, 3, (int64_t)piece[0]);
		if (piece[2] > g->data.bytes - at || (piece[2] + 7) / 8 * 8 > g->data.bytes - at)
			break;
	}
}

/* What the payload says, when its schemas are known. */
static void add_json(struct nvtx *n, struct gt_sql_row *r, const struct gt_range *g)
{
	n->json.used = 0;
	if (!gt_payload_json(&n->json, n->f->m, g) || n->json.failed)
		return;
	if (gt_sql_takes_text(n->table, NV_jsonText))
		gt_put_text(n->table, r, NV_jsonText, n->json.data, n->json.used);
	else                            /* a number in edition 2021, which has a column for its place in StringIds */
		gt_put(r, NV_jsonTextId, gt_sql_string(n->f->db, n->json.data, n->json.used));
}

static void add_range(struct nvtx *n, const struct gt_range *g)
{
	static const int types[] = { [REC_NVTX_MARK] = MARK, [REC_NVTX_PUSH] = PUSH_POP, [REC_NVTX_START] = START_END };
	struct gt_string none = { NULL, 0 };
	struct gt_sql_row *r;

	n->f->range_rows = true;
	if (add_library_event(n, g))
		return;
	inherited_domain(n, g);
	n->f->thread_used[g->thread] = n->f->thread_used[g->end_thread] = true;
	r = add(n, g->start_ns, types[g->kind], gt_sql_tid(n->f, g->process, g->thread), g->domain,
		n->f->strict_text && g->registered ? none : g->text);
	if (g->end_ns != GT_NO_TIME)
		gt_put(r, NV_end, g->end_ns);
	if (g->kind == REC_NVTX_START)
		gt_put(r, NV_rangeId, (int64_t)g->id);
	if (g->end_thread != g->thread)
		gt_put(r, NV_endGlobalTid, gt_sql_tid(n->f, g->process, g->end_thread));
	if (g->registered && g->text.text)
		gt_put(r, NV_textId, gt_sql_string(n->f->db, g->text.text, g->text.bytes));
	if (g->category)
		gt_put(r, NV_category, g->category);
	if (g->has_color)
		gt_put(r, NV_color, g->color);
	put_payload(r, g);
	if (g->payload_type == REC_NVTX_SCHEMA_DATA && g->data.text) {
		add_json(n, r, g);
		add_schema_links(n, g, (int64_t)gt_sql_rows(n->table));
	}
}

void gt_sql_nvtx(struct gt_sql_feeder *f)
{
	static const char *const schema_cells[] = { "eventId", "globalPid", "domainId", "payloadSchemaID" };
	static const char *const library_cells[] = { "start", "end", "eventClass", "globalTid", "nameId" };
	struct nvtx n = { .f = f };

	if (!gt_model_range_count(f->m) && !gt_model_range_name_count(f->m))
		return;
	n.table = gt_sql_feed(f->db, "NVTX_EVENTS", cells, sizeof cells / sizeof *cells);
	n.schema = gt_sql_feed(f->db, "NVTX_EVENTS_PAYLOAD_SCHEMAS", schema_cells, 4);
	for (int i = 0; i < LIBRARIES; i++)
		n.library[i] = gt_sql_feed(f->db, libraries[i].table, library_cells, 5);
	note_names(&n);
	for (uint32_t i = 0; i < gt_model_range_name_count(f->m) && !gt_sql_failed(f->db); i++)
		/* names hold for what comes later, whatever the window */
		add_name(&n, gt_model_range_name(f->m, i));
	for (uint64_t i = 0; i < gt_model_range_count(f->m) && !gt_sql_failed(f->db); i++) {
		const struct gt_range *g = gt_model_range(f->m, i);
		int64_t end = g->end_ns != GT_NO_TIME ? g->end_ns : g->kind == REC_NVTX_MARK ? g->start_ns : INT64_MAX;

		if (in_window(&n, g->start_ns, end))
			add_range(&n, g);
	}
	gt_sql_payload_schemas(f);
	gt_map_free(&n.known, sizeof(struct known_domain));
	gt_text_free(&n.json);
}
