/*
 * cli/dump/object.c - gputap dump: OpenCL's objects with the driver's answers, and the content of programs
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/dump/dump.h"
#include "model/cuda/cuda.h"

/* ------------------------------------------------------------------- objects */

static const char *object_kind(int kind)
{
	static const char *const names[] = { "object", "platform", "device", "context", "queue", "mem", "program",
		"kernel", "sampler", "event", "command_buffer", "svm", "semaphore" };

	return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

/* Facts that the shim adds to the driver's answers; those that stand in the object's own fields are left out. */
static bool own_fact(const void *object, uint32_t key, uint32_t *value)
{
	const struct gt_attr *a = gt_object_attr(object, key);

	*value = 0;
	if (a)
		memcpy(value, a->value, a->bytes < sizeof *value ? a->bytes : sizeof *value);
	return a;
}

static bool clock_of(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	static const char *const clocks[] = { "none", "timer", "brackets" };
	const char *name;
	uint32_t v;

	(void)f;
	if (!own_fact(record, REC_ATTR_CLOCK, &v))
		return false;
	name = v < sizeof clocks / sizeof *clocks ? clocks[v] : "unknown";
	gt_json_string(s->t, name, strlen(name));
	return true;
}

static bool stand_in(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	uint32_t v;

	(void)f;
	if (!own_fact(record, REC_ATTR_STAND_IN, &v))
		return false;
	gt_text_str(s->t, v ? "true" : "false");
	return true;
}

static bool loader(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_attr *a = gt_object_attr(record, REC_ATTR_LOADER);

	(void)f;
	if (a)
		gt_json_string(s->t, a->value, a->bytes);
	return a;
}

/* One answer, by the name of its query. */
static void driver_fact(struct gt_show *s, const struct gt_object *o, const struct gt_attr *a)
{
	const struct gt_fntable *table = gt_model_table(s->m);
	char group[64], number[16];
	const char *name;

	snprintf(group, sizeof group, "cl_%s_info",
		o->kind == REC_OBJECT_QUEUE ? "command_queue" : object_kind(o->kind));
	name = gt_enum_name(gt_fntable_enum(table, group), a->key);
	if (!name && o->kind == REC_OBJECT_KERNEL) {
		snprintf(group, sizeof group, "cl_kernel_work_group_info");
		name = gt_enum_name(gt_fntable_enum(table, group), a->key);
	}
	snprintf(number, sizeof number, "0x%x", a->key);
	gt_json_key(s->t, name ? name : number);
	gt_json_query(s->t, table, group, a->key, a->value, a->bytes);
}

static bool facts(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_object *o = record;
	bool any = false;

	(void)f;
	gt_text_char(s->t, '{');
	for (uint32_t i = 0; i < o->n_attrs; i++)
		if (o->attrs[i].key < REC_ATTR_PLATFORM) {
			driver_fact(s, o, &o->attrs[i]);
			any = true;
		}
	gt_text_char(s->t, '}');
	return any;
}

#define O struct gt_object
static const struct gt_shown object_fields[] = {
	GT_WHOSE(O),
	{ "kind", gt_show_kind, GT_NUMBER(O, kind), .word = object_kind },
	{ "handle", gt_show_hex, GT_NUMBER(O, handle) },
	{ "id", gt_show_number, GT_NUMBER(O, id) },
	{ "born_ns", gt_show_moment, GT_NUMBER(O, born_ns) },
	{ "died_ns", gt_show_moment, GT_NUMBER(O, died_ns) },
	{ "name", gt_show_string, GT_PLACE(O, name) },
	{ "platform", gt_show_object, GT_PLACE(O, platform) },
	{ "device", gt_show_object, GT_PLACE(O, device) },
	{ "context", gt_show_object, GT_PLACE(O, context) },
	{ "parent", gt_show_object, GT_PLACE(O, parent) },
};
static const struct gt_shown device_fields[] = {
	{ "device_index", gt_show_number, GT_NUMBER(O, device_index) },
	{ "compute_units", gt_show_set, GT_NUMBER(O, compute_units) },
};
static const struct gt_shown queue_fields[] = {
	{ "properties", gt_show_number, GT_NUMBER(O, properties), GT_HAS(O, has_flags) },
	{ "profiled", gt_show_known, GT_NUMBER(O, profiled) },
	{ "clock_error_ns", gt_show_known, GT_NUMBER(O, clock_error_ns) },
};
static const struct gt_shown mem_fields[] = {
	{ "size", gt_show_set, GT_NUMBER(O, size) },
	{ "flags", gt_show_number, GT_NUMBER(O, flags), GT_HAS(O, has_flags) },
	{ "mem_type", gt_show_set, GT_NUMBER(O, mem_type) },
};
static const struct gt_shown program_fields[] = {
	{ "build_options", gt_show_string, GT_PLACE(O, build_options), GT_JSON_ONLY },
	{ "options", gt_show_string, GT_PLACE(O, build_options), GT_TEXT_ONLY },   /* the same */
	{ "source_id", gt_show_content_id, GT_PLACE(O, source_id), GT_HAS(O, has_source) },
	{ "log_id", gt_show_content_id, GT_PLACE(O, log_id), GT_HAS(O, has_log) },
};
static const struct gt_shown fact_fields[] = {
	{ "clock", clock_of, GT_OWN },
	{ "loader", loader, GT_OWN },
	{ "stand_in", stand_in, GT_OWN },
	{ "facts", facts, GT_OWN },
};
#undef O

void gt_dump_object(struct gt_show *s, const struct gt_object *o)
{
	static const struct gt_shown_list by_kind[] = {
		[REC_OBJECT_DEVICE] = GT_FIELDS(device_fields),
		[REC_OBJECT_QUEUE] = GT_FIELDS(queue_fields),
		[REC_OBJECT_MEM] = GT_FIELDS(mem_fields),
		[REC_OBJECT_PROGRAM] = GT_FIELDS(program_fields),
	};
	struct gt_shape shape = { "object",
		"object {pid} {kind} {id} {handle}{ name}{ options options}{ source source_id}{ log log_id}",
		{ GT_FIELDS(object_fields), { 0 }, GT_FIELDS(fact_fields) } };

	if ((unsigned)o->kind < sizeof by_kind / sizeof *by_kind)
		shape.parts[1] = by_kind[o->kind];
	gt_show_record(s, &shape, o);
}

/* ------------------------------------------------------------------ contents */

/*
 * The content of programs and modules, once per id: sources and logs as text, binaries in hexadecimal; null: it was not
 * stored.
 */
struct content {
	uint64_t id[2], total, kept;
	uint32_t kind;
	bool there;
	struct gt_string stored;
};

static const char *content_kind(int kind)
{
	static const char *const names[] = { "content", "source", "log", "binary", "il", "options", "counters",
		"module" };

	return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

static bool is_text(uint32_t kind)
{
	return kind == REC_BLOB_SOURCE || kind == REC_BLOB_LOG || kind == REC_BLOB_OPTIONS;
}

static bool content_text(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct content *c = record;

	(void)f;
	if (c->there)
		gt_json_string(s->t, c->stored.text, c->stored.bytes);
	else
		gt_text_lit(s->t, "null");
	return is_text(c->kind) && (c->there || s->json);
}

static bool content_hex(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct content *c = record;

	(void)f;
	if (is_text(c->kind))
		return false;
	if (c->there)
		gt_json_bytes(s->t, c->stored.text, c->stored.bytes);
	else
		gt_text_lit(s->t, "null");
	return true;
}

static bool not_stored(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	(void)f;
	gt_text_lit(s->t, ", not stored");
	return !((const struct content *)record)->there;
}

#define C struct content
static const struct gt_shown content_fields[] = {
	{ "kind", gt_show_kind, GT_NUMBER(C, kind), .word = content_kind },
	{ "id", gt_show_content_id, GT_PLACE(C, id) },
	{ "bytes", gt_show_number, GT_NUMBER(C, total) },
	{ "stored", gt_show_number, GT_NUMBER(C, kept) },
	{ "not_stored", not_stored, GT_OWN, GT_TEXT_ONLY },
	{ "text", content_text, GT_OWN },
	{ "hex", content_hex, GT_OWN, GT_JSON_ONLY },
};
#undef C
static const struct gt_shape content_shape = { "content", "{kind} {id} {bytes} bytes{not_stored}{ text}",
	{ GT_FIELDS(content_fields) } };

static void dump_content(struct gt_show *s, const struct gt_content *from)
{
	struct content c = { .id = { from->id[0], from->id[1] }, .total = from->bytes, .kind = from->kind };

	c.there = gt_model_blob(s->m, c.id, &c.stored, &c.total);
	c.kept = c.there ? c.stored.bytes : 0;
	gt_show_record(s, &content_shape, &c);
	gt_model_blob_forget(s->m, c.id);
}

static int by_id(const void *a, const void *b)
{
	const struct gt_content *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : memcmp(x->id, y->id, sizeof x->id);
}

bool gt_dump_contents(struct gt_show *s, gt_dump_drain *drain, void *ctx)
{
	struct gt_content *all = NULL;
	size_t n = s->cuda ? gt_cuda_module_count(s->cuda) : 0;
	uint64_t total;

	for (uint32_t i = 0; i < gt_model_object_count(s->m); i++)
		n += gt_model_object(s->m, i)->n_contents;
	if (!n)
		return true;
	all = malloc(n * sizeof *all);
	if (!all)
		return false;
	n = 0;
	for (uint32_t i = 0; i < gt_model_object_count(s->m); i++) {
		const struct gt_object *o = gt_model_object(s->m, i);

		for (uint32_t k = 0; k < o->n_contents; k++)
			all[n++] = o->contents[k];
	}
	for (uint32_t i = 0; s->cuda && i < gt_cuda_module_count(s->cuda); i++) {
		const struct gt_cuda_module *m = gt_cuda_module(s->cuda, i);

		if (gt_model_blob_total(s->m, m->content, &total))
			all[n++] = (struct gt_content){ .kind = REC_BLOB_CUBIN, .bytes = m->bytes,
				.id = { m->content[0], m->content[1] } };
	}
	qsort(all, n, sizeof *all, by_id);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_id(&all[i - 1], &all[i]))
			continue;
		dump_content(s, &all[i]);
		drain(ctx);
	}
	free(all);
	return true;
}
