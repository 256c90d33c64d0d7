/*
 * writers/sqlite/payload.c - NVTX_PAYLOAD_*: schemas and enumerations of structured payloads, as the program registered
 * them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/nvtx/payload.h"
#include "writers/sqlite/feed.h"

struct tables { struct gt_sql_table *schemas, *entries, *enums, *values, *relations; };

static void put_name(struct gt_sql_table *t, struct gt_sql_row *r, unsigned cell, struct gt_string name)
{
	if (name.text)
		gt_put_text(t, r, cell, name.text, name.bytes);
}

/* Columns that both kinds of entries begin with. */
static struct gt_sql_row *add_entry(struct gt_sql_table *t, const struct gt_payload_schema *s, uint32_t i)
{
	struct gt_sql_row *r = gt_sql_add(t);

	gt_put(r, 0, s->domain);
	gt_put(r, 1, (int64_t)s->id);
	gt_put(r, 2, i);
	return r;
}

static void add_enum(const struct tables *t, const struct gt_payload_schema *s)
{
	struct gt_sql_row *r = gt_sql_add(t->enums);

	gt_put(r, 0, s->domain);
	gt_put(r, 1, (int64_t)s->id);
	put_name(t->enums, r, 2, s->name);
	gt_put(r, 3, s->n_entries);
	gt_put(r, 4, (int64_t)s->bytes);
	for (uint32_t i = 0; i < s->n_entries; i++) {
		r = add_entry(t->values, s, i);
		put_name(t->values, r, 3, s->entries[i].name);
		gt_put(r, 4, (int64_t)s->entries[i].value);
		gt_put(r, 5, s->entries[i].is_flag);
	}
}

static void add_schema(const struct tables *t, const struct gt_sql_feeder *f, const struct gt_payload_schema *s)
{
	struct gt_sql_row *r = gt_sql_add(t->schemas);

	gt_put(r, 0, s->domain);
	gt_put(r, 1, (int64_t)s->id);
	put_name(t->schemas, r, 2, s->name);
	gt_put(r, 3, (int64_t)s->type);
	gt_put(r, 4, (int64_t)s->flags);
	gt_put(r, 5, s->n_entries);
	gt_put(r, 6, (int64_t)s->bytes);
	gt_put(r, 7, (int64_t)s->alignment);
	for (uint32_t i = 0; i < s->n_entries; i++) {
		const struct gt_payload_entry *e = &s->entries[i];

		r = add_entry(t->entries, s, i);
		gt_put(r, 3, (int64_t)e->flags);
		gt_put(r, 4, (int64_t)e->type);
		put_name(t->entries, r, 5, e->name);
		put_name(t->entries, r, 6, e->description);
		gt_put(r, 7, (int64_t)e->detail);
		gt_put(r, 8, (int64_t)e->offset);
		if (e->type < GT_PAYLOAD_FIRST_SCHEMA)
			continue;
		r = gt_sql_add(t->relations);
		gt_put(r, 0, gt_sql_pid(f, s->process));
		gt_put(r, 1, s->domain);
		gt_put(r, 2, (int64_t)s->id);
		gt_put_text(t->relations, r, 3, e->name.text ? e->name.text : "", e->name.text ? e->name.bytes : 0);
		gt_put(r, 4, (int64_t)e->type);
	}
}

void gt_sql_payload_schemas(struct gt_sql_feeder *f)
{
	static const char *const schema[] = { "domainId", "schemaId", "name", "type", "flags", "numEntries",
		"payloadSize", "alignTo" };
	static const char *const entry[] = { "domainId", "schemaId", "idx", "flags", "type", "name", "description",
		"arrayOrUnionDetail", "offset" };
	static const char *const enumeration[] = { "domainId", "schemaId", "name", "numEntries", "size" };
	static const char *const value[] = { "domainId", "schemaId", "idx", "name", "value", "isFlag" };
	static const char *const relation[] = { "globalPid", "domainId", "parentSchemaId", "fieldName",
		"nestedSchemaId" };
	struct tables t;

	if (!gt_model_payload_schema_count(f->m))
		return;
	t.schemas = gt_sql_feed(f->db, "NVTX_PAYLOAD_SCHEMAS", schema, 8);
	t.entries = gt_sql_feed(f->db, "NVTX_PAYLOAD_SCHEMA_ENTRIES", entry, 9);
	t.enums = gt_sql_feed(f->db, "NVTX_PAYLOAD_ENUMS", enumeration, 5);
	t.values = gt_sql_feed(f->db, "NVTX_PAYLOAD_ENUM_ENTRIES", value, 6);
	t.relations = gt_sql_feed(f->db, "NVTX_PAYLOAD_SCHEMA_RELATIONS", relation, 5);
	for (uint32_t i = 0; i < gt_model_payload_schema_count(f->m) && !gt_sql_failed(f->db); i++) {
		const struct gt_payload_schema *s = gt_model_payload_schema(f->m, i);

		if (s->enumeration)
			add_enum(&t, s);
		else
			add_schema(&t, f, s);
	}
}
