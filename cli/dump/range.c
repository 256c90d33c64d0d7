/*
 * cli/dump/range.c - gputap dump: NVTX ranges and marks, and what the program gave a name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"

/* -------------------------------------------------------------------- ranges */

static const char *range_kind(int kind)
{
	static const char *const names[] = { "", "mark", "push", "start" };

	return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

static const char *payload_kind(int type)
{
	static const char *const names[] = { NULL, "uint64", "int64", "double", "uint32", "int32", "float" };

	return (unsigned)type < sizeof names / sizeof *names ? names[type] : "schema";
}

static bool payload(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_range *g = record;
	double number;
	float single;

	(void)f;
	memcpy(&number, &g->payload, sizeof number);
	memcpy(&single, &g->payload, sizeof single);
	switch (g->payload_type) {
	case 0: return false;
	case REC_NVTX_SCHEMA_DATA: gt_json_bytes(s->t, g->data.text, g->data.bytes); break;
	case 2: gt_text_i64(s->t, (int64_t)g->payload); break;
	case 3: gt_text_float(s->t, number); break;
	case 4: gt_text_u64(s->t, (uint32_t)g->payload); break;
	case 5: gt_text_i64(s->t, (int32_t)g->payload); break;
	case 6: gt_text_float(s->t, (double)single); break;
	default: gt_text_u64(s->t, g->payload); break;
	}
	return true;
}

/* Marks took no time. */
static bool took(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_range *g = record;

	(void)f;
	if (g->end_ns == GT_NO_TIME) {
		gt_text_lit(s->t, " open");
		return g->kind != REC_NVTX_MARK;
	}
	gt_text_lit(s->t, " [");
	gt_text_i64(s->t, g->end_ns - g->start_ns);
	gt_text_lit(s->t, "ns]");
	return true;
}

static bool stack(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_range *g = record;

	(void)f;
	return gt_dump_stack_number(s, g->process, g->stack_link);
}

#define G struct gt_range
static const struct gt_shown range_fields[] = {
	{ "kind", gt_show_kind, GT_NUMBER(G, kind), .word = range_kind },
	GT_WHOSE(G),
	{ "tid", gt_show_tid, GT_NUMBER(G, thread) },
	{ "end_tid", gt_show_tid, GT_NUMBER(G, end_thread) },
	{ "start_ns", gt_show_moment, GT_NUMBER(G, start_ns) },
	{ "end_ns", gt_show_moment, GT_NUMBER(G, end_ns) },
	{ "took", took, GT_OWN, GT_TEXT_ONLY },
	{ "domain", gt_show_number, GT_NUMBER(G, domain) },
	{ "domain_name", gt_show_raw, GT_PLACE(G, domain_name) },
	{ "text", gt_show_message, GT_PLACE(G, text) },
	{ "registered", gt_show_flag, GT_NUMBER(G, registered) },
	{ "level", gt_show_number, GT_NUMBER(G, level) },
	{ "category", gt_show_number, GT_NUMBER(G, category) },
	{ "color", gt_show_number, GT_NUMBER(G, color), GT_HAS(G, has_color) },
	{ "range_id", gt_show_set, GT_NUMBER(G, id) },
	{ "payload_type", gt_show_word, GT_NUMBER(G, payload_type), .word = payload_kind },
	{ "payload", payload, GT_OWN },
	{ "stack", stack, GT_OWN },
};
#undef G
static const struct gt_shape range_shape = { "range",
	"{start_ns} {pid}/{tid} {kind} {domain_name}:{text|\"\"}{took}{ from stack #stack}",
	{ GT_FIELDS(range_fields) } };

void gt_dump_range(struct gt_show *s, const struct gt_range *g) { gt_show_record(s, &range_shape, g); }

/* --------------------------------------------------------------------- names */

static const char *name_kind(int what)
{
	static const char *const names[] = { "name", "domain", "domain_end", "string", "category", "thread", "resource",
		"resource_end" };

	return (unsigned)what < sizeof names / sizeof *names ? names[what] : names[0];
}

static bool resource_type(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return ((const struct gt_range_name *)record)->what == REC_NVTX_RESOURCE && gt_show_hex(s, f, record);
}

#define N struct gt_range_name
static const struct gt_shown name_fields[] = {
	{ "kind", gt_show_kind, GT_NUMBER(N, what), .word = name_kind },
	{ "pid", gt_show_pid, GT_NUMBER(N, process) },
	{ "tid", gt_show_tid, GT_NUMBER(N, thread) },
	{ "time_ns", gt_show_number, GT_NUMBER(N, time_ns) },
	{ "domain", gt_show_number, GT_NUMBER(N, domain) },
	{ "id", gt_show_number, GT_NUMBER(N, id) },
	{ "resource_type", resource_type, GT_NUMBER(N, resource_type) },
	{ "text", gt_show_message, GT_PLACE(N, text) },
};
#undef N
static const struct gt_shape name_shape = { "name", "name {pid} {kind} {id} {text|\"\"}", { GT_FIELDS(name_fields) } };

void gt_dump_range_name(struct gt_show *s, const struct gt_range_name *n) { gt_show_record(s, &name_shape, n); }
