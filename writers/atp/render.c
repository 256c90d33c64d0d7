/*
 * writers/atp/render.c - a call as the API Trace section of .atp shows it
 *
 *	RESULT = name ( value;value;[value behind a pointer] )
 *
 * The rules are those of the profiler that made the format (docs/atp.md). A line must stay one line: line ends inside
 * any text are written as escapes, also where that profiler wrote them raw.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/harmless.h"
#include "writers/render.h"

#define PROPERTIES_MAX 64                 /* entries of a property list shown */
#define SOURCE_MAX 60                     /* bytes of program text shown */

#define QUERY_PROGRAM_SOURCE 0x1164
#define QUERY_PROGRAM_IL 0x1169
#define KEY_PARTITION_BY_COUNTS 0x1087

/* What a property's value is, where the key alone tells it (trace tables without a query line for the group). */
static const struct { const char *key; enum gt_value value; const char *group; } property_values[] = {
	{ "CL_QUEUE_PROPERTIES", GT_FLAGS, "cl_command_queue_properties" },
	{ "CL_SAMPLER_NORMALIZED_COORDS", GT_BOOL, "" },
	{ "CL_SAMPLER_ADDRESSING_MODE", GT_ENUM, "cl_addressing_mode" },
	{ "CL_SAMPLER_FILTER_MODE", GT_ENUM, "cl_filter_mode" },
	{ "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN", GT_FLAGS, "cl_device_affinity_domain" },
};

/* Keys that the headers name in another list than the properties': the query that answers them. */
static const struct { const char *group, *also; } property_keys[] = {
	{ "cl_queue_properties", "cl_command_queue_info" },
	{ "cl_sampler_properties", "cl_sampler_info" },
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct render {
	struct gt_text *t;
	const struct gt_fntable *table;
	const struct gt_render_plan *plan;
	const struct gt_call *call;
	const struct gt_render_agents *agents;
	bool hsa;
};

/* ---------------------------------------------------------------- scalars */

static void put_flags(struct gt_text *t, const struct gt_enum *e, uint64_t bits)
{
	const char *before = "", *name;

	while ((name = gt_enum_next_flag(e, &bits))) {
		gt_text_str(t, before);
		gt_text_str(t, name);
		before = "|";
	}
	if (bits || !before[0]) {
		gt_text_str(t, before);
		gt_text_u64(t, bits);
	}
}

static void put_enum(struct gt_text *t, const struct gt_enum *e, uint64_t bits, uint32_t bytes)
{
	const char *name = e ? gt_enum_name(e, (int64_t)bits) : NULL;

	if (!name && e && bytes == 4)
		name = gt_enum_name(e, (int32_t)bits);
	if (name)
		gt_text_str(t, name);
	else
		gt_text_u64(t, bits);
}

static void put_scalar(struct gt_text *t, enum gt_value v, uint64_t bits, uint32_t bytes, const struct gt_enum *e)
{
	switch (v) {
	case GT_I8: case GT_I16: case GT_I32: case GT_I64:
		gt_text_i64(t, gt_sign_extend(bits, v, bytes));
		break;
	case GT_F32: case GT_F64:
		gt_render_float(t, v, bits);
		break;
	case GT_BOOL:
		if (bits > 1)
			gt_text_u64(t, bits);
		else
			gt_text_str(t, bits ? "CL_TRUE" : "CL_FALSE");
		break;
	case GT_ENUM:
		put_enum(t, e, bits, bytes);
		break;
	case GT_FLAGS:
		put_flags(t, e, bits);
		break;
	case GT_ERROR:
		gt_render_error(t, e, (int32_t)bits);
		break;
	case GT_HANDLE: case GT_POINTER: case GT_CALLBACK:
		gt_render_atp_pointer(t, bits);
		break;
	default:
		gt_text_u64(t, bits);
	}
}

/* HSA handles are structs of one number; agents have names. */
static void put_hsa_handle(const struct render *r, const char *type, uint64_t handle)
{
	size_t bytes = 0;
	const char *name = NULL;

	if (r->agents && strcmp(type, "hsa_agent_t") == 0)
		name = r->agents->name(r->agents->ctx, handle, &bytes);
	gt_text_lit(r->t, "{handle=");
	gt_text_u64(r->t, handle);
	if (name) {
		gt_text_lit(r->t, ",name=");
		gt_text_bytes(r->t, name, bytes);
	}
	gt_text_char(r->t, '}');
}

/* ------------------------------------------------------------------- text */

/* names: what the program passes in keeps quotes as they are; answers of the driver have them escaped. */
static void put_text(struct gt_text *t, const char *s, size_t n, bool name, size_t max, bool cut)
{
	const char *zero = memchr(s, 0, n);

	if (zero) {
		n = (size_t)(zero - s);
		cut = false;
	}
	if (n > max) {
		n = max;
		cut = true;
	}
	gt_text_char(t, '"');
	for (size_t i = 0, bytes; i < n; i += bytes) {
		bool harmful = gt_is_harmful(s + i, n - i, &bytes);

		if (!name && s[i] == '"')
			gt_text_lit(t, "\\\"");
		else if (harmful)
			gt_text_harmless(t, s + i, bytes);
		else
			gt_text_bytes(t, s + i, bytes);
	}
	if (cut)
		gt_text_lit(t, "...");
	gt_text_char(t, '"');
}

/* ------------------------------------------------------------------ lists */

static void put_field(const struct render *r, const struct gt_field *f, const unsigned char *base)
{
	const struct gt_enum *e = f->group && f->group[0] ? gt_fntable_enum(r->table, f->group) : NULL;
	uint64_t bits = 0;

	if (f->value == GT_CHAR && f->bytes > 1) {
		put_text(r->t, (const char *)base + f->offset, f->bytes, false, SIZE_MAX, false);
		return;
	}
	memcpy(&bits, base + f->offset, f->bytes < 8 ? f->bytes : 8);
	put_scalar(r->t, f->value, bits, f->bytes, e);
}

static void put_struct(const struct render *r, const struct gt_struct *s, const unsigned char *base)
{
	gt_text_char(r->t, '{');
	for (uint32_t i = 0; i < s->n_fields; i++) {
		if (i)
			gt_text_char(r->t, ',');
		if (s->fields[i].offset + s->fields[i].bytes <= s->bytes)
			put_field(r, &s->fields[i], base);
	}
	gt_text_char(r->t, '}');
}

/* Elements of one class; has_data or not: "[]" is what an array without elements looks like. */
static void put_list(const struct render *r, const struct gt_arg *a, enum gt_value v, uint32_t bytes,
	const struct gt_enum *e, const struct gt_struct *layout)
{
	uint64_t n;

	if (v == GT_STRUCT)
		bytes = layout ? layout->bytes : 0;
	n = a->has_data && bytes && (v == GT_STRUCT || bytes <= 8) ? gt_elements_here(a, bytes) : 0;
	gt_text_char(r->t, '[');
	if (v == GT_CHAR && a->has_data) {
		put_text(r->t, a->data, a->bytes, false, SIZE_MAX, a->cut);
		n = 0;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			gt_text_char(r->t, ',');
		if (v == GT_STRUCT)
			put_struct(r, layout, (const unsigned char *)a->data + i * bytes);
		else if (r->hsa && v == GT_HANDLE)
			put_hsa_handle(r, a->param->type, gt_element(a, i, bytes));
		else
			put_scalar(r->t, v, gt_element(a, i, bytes), bytes, e);
	}
	if (v != GT_CHAR && (a->cut || (n && n < a->count)))
		gt_text_str(r->t, n ? ",..." : "...");
	gt_text_char(r->t, ']');
}

/*
 * The caller's memory is read only after a call that succeeded: what a failed call was given is known by its address.
 */
static void put_array(const struct render *r, const struct gt_render_param *rp, const struct gt_arg *a)
{
	if (a->param->dir == GT_IN && gt_call_failed(r->call)) {
		gt_render_atp_pointer(r->t, a->value);
		return;
	}
	put_list(r, a, a->param->elem, a->param->elem_bytes, rp->symbols, rp->layout);
}

static uint32_t value_bytes(enum gt_value v)
{
	switch (v) {
	case GT_I8: case GT_U8: case GT_CHAR: case GT_BYTE: return 1;
	case GT_I16: case GT_U16: return 2;
	case GT_I32: case GT_U32: case GT_F32: case GT_BOOL: case GT_ERROR: return 4;
	default: return 8;
	}
}

static void put_query(const struct render *r, const struct gt_render_param *rp, const struct gt_arg *a)
{
	struct gt_query q = { .value = GT_VOID, .group = "" };
	struct gt_arg asked = { 0 }, answer = *a;
	uint32_t bytes;

	if (!a->has_data) {
		gt_text_str(r->t, a->cut ? "[...]" : "[]");
		return;
	}
	if (rp->query >= 0)
		gt_call_arg(r->call, (unsigned)rp->query, &asked);
	if (!gt_fntable_query(r->table, a->param->group, (int64_t)asked.value, &q) || q.value == GT_VOID ||
		q.value == GT_BYTE) {
		gt_render_atp_pointer(r->t, a->value);
		return;
	}
	if (q.value == GT_CHAR) {
		bool source = (asked.value == QUERY_PROGRAM_SOURCE || asked.value == QUERY_PROGRAM_IL) &&
		              strcmp(r->plan->fn->name, "clGetProgramInfo") == 0;

		gt_text_char(r->t, '[');
		put_text(r->t, a->data, a->bytes, false, source ? SOURCE_MAX : SIZE_MAX, a->cut);
		gt_text_char(r->t, ']');
		return;
	}
	/* Enums and flags are 4 or 8 bytes wide: a single answer's size tells which. */
	bytes = value_bytes(q.value);
	if (bytes == 8 && (a->count == 4 || (q.value == GT_ENUM && !q.array && a->count < 8)))
		bytes = 4;
	if (!q.array && q.value != GT_STRUCT)
		answer.count = 1;
	else if (q.value != GT_STRUCT)
		answer.count = a->count / bytes;
	else
		answer.count = UINT64_MAX;
	{
		const struct gt_enum *e = q.group && q.group[0] ? gt_fntable_enum(r->table, q.group) : NULL;
		const struct gt_struct *s = q.group && q.group[0] ? gt_fntable_struct(r->table, q.group) : NULL;

		if (q.value == GT_STRUCT && s && s->bytes)
			answer.count = a->count / s->bytes;
		put_list(r, &answer, q.value, bytes, e, s);
	}
}

/* -------------------------------------------------------- property lists */

static const char *property_name(
	const struct render *r, const struct gt_render_param *rp, const char *group, uint64_t key)
{
	const char *name = rp->symbols ? gt_enum_name(rp->symbols, (int64_t)key) : NULL;

	for (size_t i = 0; !name && i < COUNT(property_keys); i++)
		if (strcmp(group, property_keys[i].group) == 0) {
			const struct gt_enum *e = gt_fntable_enum(r->table, property_keys[i].also);

			name = e ? gt_enum_name(e, (int64_t)key) : NULL;
		}
	return name;
}

static void put_key(const struct render *r, const struct gt_render_param *rp, const char *group, uint64_t key)
{
	const char *name = property_name(r, rp, group, key);

	if (name)
		gt_text_str(r->t, name);
	else
		gt_text_u64(r->t, key);
	gt_text_char(r->t, ',');
}

static void put_property_value(
	const struct render *r, const struct gt_render_param *rp, const char *group, uint64_t key, uint64_t value)
{
	const char *name = property_name(r, rp, group, key);
	struct gt_query q;

	for (size_t i = 0; name && i < COUNT(property_values); i++)
		if (strcmp(name, property_values[i].key) == 0) {
			put_scalar(r->t, property_values[i].value, value, 8,
				gt_fntable_enum(r->table, property_values[i].group));
			return;
		}
	if (gt_fntable_query(r->table, group, (int64_t)key, &q) &&
		(q.value == GT_ENUM || q.value == GT_FLAGS || q.value == GT_BOOL))
		put_scalar(r->t, q.value, value, 8, gt_fntable_enum(r->table, q.group));
	else
		gt_text_u64(r->t, value);
}

/* spec: ATP property lists: keys by name, values by key, NULL at the end, 64 entries at most. */
static void put_properties(const struct render *r, const struct gt_render_param *rp, const struct gt_arg *a)
{
	uint64_t n = gt_elements_here(a, 8), i;

	gt_text_lit(r->t, "[{");
	for (i = 0; i < n && i < PROPERTIES_MAX; i++) {
		uint64_t word = gt_element(a, i, 8);

		if (i % 2 == 0 && word == 0)
			break;
		if (i % 2 == 0) {
			put_key(r, rp, a->param->group, word);
			continue;
		}
		put_property_value(r, rp, a->param->group, gt_element(a, i - 1, 8), word);
		gt_text_char(r->t, ',');
	}
	gt_text_str(r->t, i < n && i < PROPERTIES_MAX ? "NULL}]" : "...}]");
}

/* spec: ATP partition properties: ends in 0; a list of counts ends in a name of its own. */
static void put_partition(const struct render *r, const struct gt_render_param *rp, const struct gt_arg *a)
{
	uint64_t n = gt_elements_here(a, 8), i = 1;
	uint64_t key = n ? gt_element(a, 0, 8) : 0;

	gt_text_lit(r->t, "[{");
	if (key)
		put_key(r, rp, a->param->group, key);
	for (; key && i < n && gt_element(a, i, 8); i++) {
		if (i == 1 && key != KEY_PARTITION_BY_COUNTS)
			put_property_value(r, rp, a->param->group, key, gt_element(a, i, 8));
		else
			gt_text_u64(r->t, gt_element(a, i, 8));
		gt_text_char(r->t, ',');
	}
	if (a->cut) {
		gt_text_lit(r->t, "...}]");
		return;
	}
	if (key == KEY_PARTITION_BY_COUNTS)
		gt_text_lit(r->t, "CL_PARTITION_BY_COUNTS_LIST_END,");
	gt_text_lit(r->t, "0}]");
}

/* ------------------------------------------------------------- parameters */

/* A value of a pointer's size is most often a memory object: shown; anything else is only an address. */
static void put_kernel_arg(const struct render *r, const struct gt_arg *a)
{
	uint64_t v;

	if (!a->has_data || a->count != sizeof(uint64_t) || a->bytes < sizeof(v)) {
		gt_render_atp_pointer(r->t, a->value);
		return;
	}
	memcpy(&v, a->data, sizeof(v));
	if (!v) {
		gt_text_lit(r->t, "[0]");
		return;
	}
	gt_text_lit(r->t, "[0x");
	gt_text_hex(r->t, v, 1, true);
	gt_text_char(r->t, ']');
}

static void put_behind_pointer(const struct render *r, const struct gt_render_param *rp, const struct gt_arg *a)
{
	switch (rp->how) {
	case GT_ATP_ERROR:
		gt_text_char(r->t, '[');
		gt_render_error(r->t, rp->symbols, r->call->result);
		gt_text_char(r->t, ']');
		break;
	case GT_ATP_LIST:
		put_array(r, rp, a);
		break;
	case GT_ATP_QUERY:
		put_query(r, rp, a);
		break;
	case GT_ATP_KERNEL_ARG:
		put_kernel_arg(r, a);
		break;
	default:
		if (!a->has_data)
			gt_render_atp_pointer(r->t, a->value);
		else if (rp->how == GT_ATP_NAME)
			put_text(r->t, a->data, a->bytes, true, SIZE_MAX, a->cut);
		else if (rp->how == GT_ATP_PROPERTIES)
			put_properties(r, rp, a);
		else
			put_partition(r, rp, a);
	}
}

static void put_param(const struct render *r, const struct gt_render_param *rp, const struct gt_arg *a)
{
	if (rp->how == GT_ATP_SCALAR && r->hsa && a->param->value == GT_HANDLE)
		put_hsa_handle(r, a->param->type, a->value);
	else if (rp->how == GT_ATP_SCALAR)
		put_scalar(r->t, a->param->value, a->value, a->param->bytes, rp->symbols);
	else if (rp->how == GT_ATP_POINTER || !a->value)
		gt_render_atp_pointer(r->t, a->value);
	else
		put_behind_pointer(r, rp, a);
}

static void put_return(const struct render *r)
{
	const struct gt_fn *fn = r->plan->fn;

	if (r->call->unfinished) {
		gt_text_lit(r->t, "unknown"); /* it never returned */
		return;
	}
	switch (fn->ret) {
	case GT_VOID:
		gt_text_lit(r->t, "void");
		break;
	case GT_ERROR:
		if (!r->call->result && r->plan->success)
			gt_text_str(r->t, r->plan->success);
		else
			gt_render_error(r->t, r->plan->ret_symbols, r->call->result);
		break;
	default:
		put_scalar(r->t, fn->ret,
			fn->ret_position >= 0 || fn->ret == GT_HANDLE || fn->ret == GT_POINTER || fn->ret == GT_CALLBACK
				? gt_call_return(r->call)
				: (uint32_t)r->call->result,
			4, r->plan->ret_symbols);
	}
}

void gt_render_atp_call(struct gt_text *t, struct gt_render *cache, const struct gt_render_plan *p,
	const struct gt_call *call, const struct gt_render_agents *agents)
{
	const struct render r = { t, gt_render_table(cache), p, call, agents, p->fn->domain == REC_DOMAIN_HSA };
	const struct gt_fn *fn = p->fn;
	struct gt_arg a;

	put_return(&r);
	gt_text_lit(t, " = ");
	gt_text_str(t, fn->name);
	gt_text_lit(t, " ( ");
	for (unsigned i = 0; i < fn->n_params && gt_call_arg(call, i, &a); i++) {
		if (i)
			gt_text_char(t, ';');
		if (r.hsa) {
			gt_text_str(t, fn->params[i].name);
			gt_text_char(t, '=');
		}
		put_param(&r, &p->params[i], &a);
	}
	gt_text_lit(t, " )");
}
