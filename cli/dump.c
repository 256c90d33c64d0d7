/*
 * cli/dump.c - gputap dump: everything in a trace, one line a call
 *
 * Text for people, with --json one object a line for programs. Both show the same facts in time order:
 * calls and callbacks with decoded arguments and the command they set going, then CUDA (dump_cuda.c), objects, the
 * content of programs, notes and HSA kernels.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/dump.h"
#include "cli/json.h"
#include "model/nvtx/ranges.h"

#define DRAIN (1u << 18)                  /* bytes of text kept before they are written */

struct dump {
	struct gt_model *m;
	const struct gt_enum *errors;     /* names of result codes */
	struct gt_text t;
	bool json, failed;
};

static void drain(struct dump *d, size_t keep)
{
	if (d->t.used > keep) {
		if (fwrite(d->t.data, 1, d->t.used, stdout) != d->t.used)
			d->failed = true;
		d->t.used = 0;
	}
	d->failed |= d->t.failed;
}

static const char *object_kind(enum rec_object kind)
{
	static const char *const names[] = { "object", "platform", "device", "context", "queue", "mem", "program",
		"kernel", "sampler", "event", "command_buffer", "svm", "semaphore" };

	return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

const char *gt_dump_loss_name(int reason)
{
	static const char *const names[] = {
#define X(id, text) #id,
		REC_LOSSES(X)
#undef X
	};

	return reason >= 0 && reason < REC_LOSS_COUNT ? names[reason] : NULL;
}

static const char *local_source(enum rec_local_source s)
{
	static const char *const names[] = { "unknown", "application", "required", "suggested" };

	return (unsigned)s < 4 ? names[s] : names[0];
}

/* --------------------------------------------------------------------- JSON */

static void json_object_ref(struct gt_text *t, const char *name, const struct gt_object *o)
{
	if (!o)
		return;
	gt_json_key(t, name);
	gt_text_char(t, '{');
	gt_json_field_hex(t, "handle", o->handle);
	gt_json_field_u64(t, "id", o->id);
	gt_text_char(t, '}');
}

static void json_sizes(struct gt_text *t, const char *name, const uint64_t *v, uint32_t n)
{
	gt_json_key(t, name);
	gt_text_char(t, '[');
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			gt_text_char(t, ',');
		gt_text_u64(t, v[i]);
	}
	gt_text_char(t, ']');
}

static void json_work(struct gt_text *t, const struct gt_command *c)
{
	json_sizes(t, "global", c->global_size, c->work_dim);
	if (c->has_offset)
		json_sizes(t, "offset", c->global_offset, c->work_dim);
	if (c->local_source != REC_LOCAL_UNKNOWN)
		json_sizes(t, "local", c->local_size, c->work_dim);
	gt_json_field_str(t, "local_source", local_source(c->local_source));
	if (c->local_arg_bytes)
		gt_json_field_u64(t, "local_arg_bytes", c->local_arg_bytes);
}

static void json_times(struct gt_text *t, const struct gt_command *c)
{
	gt_json_field_i64(t, "status", c->status);
	gt_json_field_bool(t, "timed", c->timed);
	if (c->timed) {
		gt_json_field_time(t, "queued", c->queued_ns);
		gt_json_field_time(t, "submit", c->submit_ns);
		gt_json_field_time(t, "start", c->start_ns);
		gt_json_field_time(t, "end", c->end_ns);
		gt_json_field_time(t, "complete", c->complete_ns);
	} else if (c->reason >= 0) {
		gt_json_field_str(t, "reason", gt_dump_loss_name(c->reason));
	}
}

static void json_command(struct gt_text *t, const struct gt_call *call)
{
	const struct gt_command *c = call->command;

	gt_json_key(t, "command");
	gt_text_char(t, '{');
	gt_json_field_str(t, "type", call->fn->command_type);
	gt_json_field_text(t, "name", c->name);
	gt_json_field_bool(t, "is_kernel", c->is_kernel);
	json_times(t, c);
	json_object_ref(t, "queue", c->queue);
	json_object_ref(t, "context", c->context);
	json_object_ref(t, "device", c->device);
	json_object_ref(t, "kernel", c->kernel);
	json_object_ref(t, "program", c->program);
	json_object_ref(t, "src", c->src);
	json_object_ref(t, "dst", c->dst);
	if (c->work_dim)
		json_work(t, c);
	if (c->has_bytes)
		gt_json_field_u64(t, "bytes", c->bytes);
	gt_json_field_bool(t, "blocking", c->blocking);
	if (c->pattern_bytes) {
		gt_json_key(t, "pattern");
		gt_text_char(t, '"');
		for (uint32_t i = 0; i < c->pattern_bytes; i++)
			gt_text_hex(t, c->pattern[i], 2, false);
		gt_text_char(t, '"');
	}
	if (c->n_waits) {
		gt_json_key(t, "waits");
		gt_text_char(t, '[');
		for (uint32_t i = 0; i < c->n_waits; i++) {
			if (i)
				gt_text_char(t, ',');
			gt_json_scalar(t, GT_HANDLE, NULL, c->waits[i], 8);
		}
		gt_text_char(t, ']');
	}
	gt_text_char(t, '}');
}

static void json_args(struct gt_text *t, const struct gt_call *call)
{
	gt_json_key(t, "args");
	gt_text_char(t, '{');
	for (uint32_t i = 0; i < call->fn->n_params; i++) {
		gt_json_key(t, call->fn->params[i].name);
		gt_json_arg(t, call, i);
	}
	gt_text_char(t, '}');
}

/* Names of arguments of which only a part was kept. */
static void json_cut(struct gt_text *t, const struct gt_call *call)
{
	bool any = false;
	struct gt_arg a;

	if (!(call->flags & REC_CUT))
		return;
	for (uint32_t i = 0; i < call->fn->n_params; i++) {
		if (!gt_call_arg(call, i, &a) || !a.cut)
			continue;
		if (!any) {
			gt_json_key(t, "cut");
			gt_text_char(t, '[');
		} else {
			gt_text_char(t, ',');
		}
		gt_json_string(t, a.param->name, strlen(a.param->name));
		any = true;
	}
	if (any)
		gt_text_char(t, ']');
}

/* A callback returns nothing, nor does a void function. */
static bool has_result(const struct gt_call *call)
{
	return !call->is_callback && call->fn->ret != GT_VOID;
}

static void json_call(struct dump *d, const struct gt_call *call)
{
	const struct gt_process *p = gt_model_process(d->m, call->process);
	const struct gt_thread *thread = gt_model_thread(d->m, call->thread);
	const char *error = gt_enum_name(d->errors, call->result);
	struct gt_text *t = &d->t;

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", call->is_callback ? "callback" : "call");
	gt_json_field_i64(t, "pid", p->pid);
	gt_json_field_i64(t, "instance", p->instance);
	gt_json_field_i64(t, "tid", thread ? thread->tid : 0);
	gt_json_field_u64(t, "id", call->id);
	if (call->cmd_id)
		gt_json_field_u64(t, "cmd_id", call->cmd_id);
	gt_json_field_str(t, "name", call->fn->name);
	gt_json_field_i64(t, "start_ns", call->start_ns);
	gt_json_field_i64(t, "end_ns", call->end_ns);
	if (has_result(call))
		gt_json_field_i64(t, "result", call->result);
	if (has_result(call) && error)
		gt_json_field_str(t, "result_name", error);
	if (call->has_args && call->fn->ret_position >= 0) {
		gt_json_key(t, "return");
		gt_json_scalar(t, call->fn->ret, NULL, gt_call_return(call), 8);
	}
	gt_json_field_bool(t, "has_args", call->has_args);
	if (call->has_args)
		json_args(t, call);
	json_cut(t, call);
	if (call->command)
		json_command(t, call);
	gt_text_lit(t, "}\n");
}

/* A fact that the shim adds to the driver's answers; those that stand in the object's own fields are left out. */
static void json_own_fact(struct gt_text *t, const struct gt_attr *a)
{
	static const char *const clocks[] = { "none", "timer", "brackets" };
	uint32_t v = 0;

	memcpy(&v, a->value, a->bytes < sizeof v ? a->bytes : sizeof v);
	if (a->key == REC_ATTR_CLOCK)
		gt_json_field_str(t, "clock", v < sizeof clocks / sizeof *clocks ? clocks[v] : "unknown");
	if (a->key == REC_ATTR_STAND_IN)
		gt_json_field_bool(t, "stand_in", v);
	if (a->key == REC_ATTR_LOADER)
		gt_json_field_text(t, "loader", (struct gt_string){ a->value, a->bytes });
}

/* What the driver answered, by the names of the queries. */
static void json_facts(struct gt_text *t, const struct gt_fntable *table, const struct gt_object *o)
{
	char group[64], number[16];
	bool any = false;

	for (uint32_t i = 0; i < o->n_attrs; i++)
		if (o->attrs[i].key >= REC_ATTR_PLATFORM)
			json_own_fact(t, &o->attrs[i]);
		else
			any = true;
	if (!any)
		return;
	gt_json_key(t, "facts");
	gt_text_char(t, '{');
	for (uint32_t i = 0; i < o->n_attrs; i++) {
		uint32_t key = o->attrs[i].key;
		const char *name;

		if (key >= REC_ATTR_PLATFORM)
			continue;
		snprintf(group, sizeof group, "cl_%s_info",
			o->kind == REC_OBJECT_QUEUE ? "command_queue" : object_kind(o->kind));
		name = gt_enum_name(gt_fntable_enum(table, group), key);
		if (!name && o->kind == REC_OBJECT_KERNEL) {
			snprintf(group, sizeof group, "cl_kernel_work_group_info");
			name = gt_enum_name(gt_fntable_enum(table, group), key);
		}
		snprintf(number, sizeof number, "0x%x", key);
		gt_json_key(t, name ? name : number);
		gt_json_query(t, table, group, key, o->attrs[i].value, o->attrs[i].bytes);
	}
	gt_text_char(t, '}');
}

static void json_id(struct gt_text *t, const char *name, const uint64_t id[2])
{
	gt_json_key(t, name);
	gt_text_char(t, '"');
	gt_text_hex(t, id[1], 16, false);
	gt_text_hex(t, id[0], 16, false);
	gt_text_char(t, '"');
}

static const char *content_kind(uint32_t kind)
{
	static const char *const names[] = { "content", "source", "log", "binary", "il", "options" };

	return kind < sizeof names / sizeof *names ? names[kind] : names[0];
}

static bool is_text(uint32_t kind)
{
	return kind == REC_BLOB_SOURCE || kind == REC_BLOB_LOG || kind == REC_BLOB_OPTIONS;
}

static void json_object(struct dump *d, const struct gt_object *o)
{
	struct gt_text *t = &d->t;

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", "object");
	gt_json_field_i64(t, "pid", gt_model_process(d->m, o->process)->pid);
	gt_json_field_i64(t, "instance", gt_model_process(d->m, o->process)->instance);
	gt_json_field_str(t, "kind", object_kind(o->kind));
	gt_json_field_hex(t, "handle", o->handle);
	gt_json_field_u64(t, "id", o->id);
	gt_json_field_time(t, "born_ns", o->born_ns);
	gt_json_field_time(t, "died_ns", o->died_ns);
	if (o->name.bytes)
		gt_json_field_text(t, "name", o->name);
	json_object_ref(t, "platform", o->platform);
	json_object_ref(t, "device", o->device);
	json_object_ref(t, "context", o->context);
	json_object_ref(t, "parent", o->parent);
	if (o->kind == REC_OBJECT_DEVICE) {
		gt_json_field_u64(t, "device_index", o->device_index);
		gt_json_field_u64(t, "compute_units", o->compute_units);
	}
	if (o->kind == REC_OBJECT_QUEUE) {
		gt_json_field_u64(t, "properties", o->properties);
		gt_json_field_i64(t, "profiled", o->profiled);
		gt_json_field_i64(t, "clock_error_ns", o->clock_error_ns);
	}
	if (o->kind == REC_OBJECT_MEM) {
		gt_json_field_u64(t, "size", o->size);
		gt_json_field_u64(t, "flags", o->flags);
		gt_json_field_u64(t, "mem_type", o->mem_type);
	}
	if (o->kind == REC_OBJECT_PROGRAM) {
		gt_json_field_text(
			t, "build_options", o->build_options.text ? o->build_options : (struct gt_string){ "", 0 });
		if (o->has_source)
			json_id(t, "source_id", o->source_id);
		if (o->has_log)
			json_id(t, "log_id", o->log_id);
	}
	json_facts(t, gt_model_table(d->m), o);
	gt_text_lit(t, "}\n");
}

/* The content of programs, once for each id: sources and logs as text, binaries in hexadecimal; null when it was not
 * stored. */
static void json_content(struct dump *d, const struct gt_content *c)
{
	struct gt_text *t = &d->t;
	struct gt_string stored;
	uint64_t total = c->bytes;
	bool there = gt_model_blob(d->m, c->id, &stored, &total);

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", "content");
	gt_json_field_str(t, "kind", content_kind(c->kind));
	json_id(t, "id", c->id);
	gt_json_field_u64(t, "bytes", total);
	gt_json_field_u64(t, "stored", there ? stored.bytes : 0);
	if (there && is_text(c->kind)) {
		gt_json_field_text(t, "text", stored);
	} else {
		gt_json_key(t, is_text(c->kind) ? "text" : "hex");
		gt_text_char(t, there ? '"' : 'n');
		for (size_t i = 0; there && i < stored.bytes; i++)
			gt_text_hex(t, (unsigned char)stored.text[i], 2, false);
		gt_text_str(t, there ? "\"" : "ull");
	}
	gt_text_lit(t, "}\n");
}

static void json_note(struct dump *d, const struct gt_note *n)
{
	struct gt_text *t = &d->t;

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", "note");
	gt_json_field_i64(t, "pid", gt_model_process(d->m, n->process)->pid);
	gt_json_field_i64(t, "instance", gt_model_process(d->m, n->process)->instance);
	gt_json_field_i64(t, "time_ns", n->time_ns);
	gt_json_field_str(t, "text", n->text);
	gt_text_lit(t, "}\n");
}

static void json_hsa(struct dump *d, const struct gt_hsa_kernel *k)
{
	struct gt_text *t = &d->t;

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", "hsa_kernel");
	gt_json_field_i64(t, "pid", gt_model_process(d->m, k->process)->pid);
	gt_json_field_i64(t, "tid", k->tid);
	gt_json_field_text(t, "name", k->name.text ? k->name : (struct gt_string){ "", 0 });
	gt_json_field_hex(t, "kernel", k->kernel);
	gt_json_field_i64(t, "start_ns", k->start_ns);
	gt_json_field_i64(t, "end_ns", k->end_ns);
	gt_json_field_text(t, "agent_name", k->agent_name.text ? k->agent_name : (struct gt_string){ "", 0 });
	gt_json_field_hex(t, "queue", k->queue);
	gt_json_field_u64(t, "packet_id", k->packet_id);
	gt_text_lit(t, "}\n");
}

static void json_payload(struct gt_text *t, const struct gt_range *g)
{
	static const char *const types[] = { "none", "uint64", "int64", "double", "uint32", "int32", "float" };
	uint64_t bits = g->payload;
	double number;
	float single;

	if (!g->payload_type)
		return;
	gt_json_field_str(
		t, "payload_type", g->payload_type < sizeof types / sizeof *types ? types[g->payload_type] : "schema");
	gt_json_key(t, "payload");
	if (g->payload_type == REC_NVTX_SCHEMA_DATA) {
		gt_text_char(t, '"');
		for (size_t i = 0; i < g->data.bytes; i++)
			gt_text_hex(t, (unsigned char)g->data.text[i], 2, false);
		gt_text_char(t, '"');
		return;
	}
	memcpy(&number, &bits, sizeof number);
	memcpy(&single, &bits, sizeof single);
	switch (g->payload_type) {
	case 2: gt_text_i64(t, (int64_t)bits); break;
	case 3: gt_text_float(t, number); break;
	case 4: gt_text_u64(t, (uint32_t)bits); break;
	case 5: gt_text_i64(t, (int32_t)bits); break;
	case 6: gt_text_float(t, single); break;
	default: gt_text_u64(t, bits); break;
	}
}

static void json_range(struct dump *d, const struct gt_range *g)
{
	static const char *const kinds[] = { "", "mark", "push", "start" };
	struct gt_text *t = &d->t;

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", "range");
	gt_json_field_str(t, "kind", kinds[g->kind]);
	gt_json_field_i64(t, "pid", gt_model_process(d->m, g->process)->pid);
	gt_json_field_i64(t, "instance", gt_model_process(d->m, g->process)->instance);
	gt_json_field_i64(t, "tid", gt_model_thread(d->m, g->thread)->tid);
	gt_json_field_i64(t, "end_tid", gt_model_thread(d->m, g->end_thread)->tid);
	gt_json_field_i64(t, "start_ns", g->start_ns);
	gt_json_field_time(t, "end_ns", g->end_ns);
	gt_json_field_u64(t, "domain", g->domain);
	gt_json_field_text(t, "domain_name", g->domain_name);
	if (g->text.text)
		gt_json_field_text(t, "text", g->text);
	gt_json_field_bool(t, "registered", g->registered);
	gt_json_field_u64(t, "level", g->level);
	gt_json_field_u64(t, "category", g->category);
	if (g->has_color)
		gt_json_field_u64(t, "color", g->color);
	if (g->id)
		gt_json_field_u64(t, "range_id", g->id);
	json_payload(t, g);
	gt_text_lit(t, "}\n");
}

static const char *name_kind(enum rec_nvtx_name what)
{
	static const char *const names[] = { "name", "domain", "domain_end", "string", "category", "thread", "resource",
		"resource_end" };

	return (unsigned)what < sizeof names / sizeof *names ? names[what] : names[0];
}

static void json_range_name(struct dump *d, const struct gt_range_name *n)
{
	struct gt_text *t = &d->t;

	gt_text_char(t, '{');
	gt_json_field_str(t, "type", "name");
	gt_json_field_str(t, "kind", name_kind(n->what));
	gt_json_field_i64(t, "pid", gt_model_process(d->m, n->process)->pid);
	gt_json_field_i64(t, "tid", gt_model_thread(d->m, n->thread)->tid);
	gt_json_field_i64(t, "time_ns", n->time_ns);
	gt_json_field_u64(t, "domain", n->domain);
	gt_json_field_u64(t, "id", n->id);
	if (n->what == REC_NVTX_RESOURCE)
		gt_json_field_hex(t, "resource_type", n->resource_type);
	if (n->text.text)
		gt_json_field_text(t, "text", n->text);
	gt_text_lit(t, "}\n");
}

/* --------------------------------------------------------------------- text */

/* Seconds with nine digits: 0.000001234 */
static void seconds(struct gt_text *t, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char digits[9];

	if (ns < 0)
		gt_text_char(t, '-');
	gt_text_u64(t, n / 1000000000u);
	n %= 1000000000u;
	for (int i = 8; i >= 0; i--, n /= 10)
		digits[i] = (char)('0' + n % 10);
	gt_text_char(t, '.');
	gt_text_bytes(t, digits, 9);
}

static void text_sizes(struct gt_text *t, const char *name, const uint64_t *v, uint32_t n)
{
	gt_text_str(t, name);
	for (uint32_t i = 0; i < n; i++) {
		gt_text_char(t, i ? 'x' : '=');
		gt_text_u64(t, v[i]);
	}
}

static void text_command(struct gt_text *t, const struct gt_command *c)
{
	const char *reason = gt_dump_loss_name(c->reason);

	gt_text_lit(t, "    command ");
	gt_text_bytes(t, c->name.text, c->name.bytes);
	if (c->work_dim) {
		text_sizes(t, " global", c->global_size, c->work_dim);
		if (c->has_offset)
			text_sizes(t, " offset", c->global_offset, c->work_dim);
		if (c->local_source != REC_LOCAL_UNKNOWN)
			text_sizes(t, " local", c->local_size, c->work_dim);
	}
	if (c->has_bytes) {
		gt_text_lit(t, " bytes=");
		gt_text_u64(t, c->bytes);
	}
	if (c->timed) {
		gt_text_lit(t, " queued=");
		seconds(t, c->queued_ns);
		gt_text_lit(t, " submit=");
		seconds(t, c->submit_ns);
		gt_text_lit(t, " start=");
		seconds(t, c->start_ns);
		gt_text_lit(t, " end=");
		seconds(t, c->end_ns);
		gt_text_lit(t, " ran=");
		gt_text_i64(t, (int64_t)((uint64_t)c->end_ns - (uint64_t)c->start_ns));
		gt_text_lit(t, "ns");
	} else {
		gt_text_lit(t, " no times");
		if (c->status < 0) {
			gt_text_lit(t, ", failed with ");
			gt_text_i64(t, c->status);
		}
		if (reason) {
			gt_text_lit(t, ": ");
			gt_text_str(t, reason);
		}
	}
	gt_text_char(t, '\n');
}

static void text_result(struct dump *d, const struct gt_call *call)
{
	const char *error = gt_enum_name(d->errors, call->result);

	gt_text_lit(&d->t, " = ");
	if (call->has_args && call->fn->ret_position >= 0 && !call->result)
		gt_json_scalar(&d->t, call->fn->ret, NULL, gt_call_return(call), 8);
	else if (error)
		gt_text_str(&d->t, error);
	else
		gt_text_i64(&d->t, call->result);
}

static void text_call(struct dump *d, const struct gt_call *call)
{
	const struct gt_thread *thread = gt_model_thread(d->m, call->thread);
	struct gt_text *t = &d->t;

	seconds(t, call->start_ns);
	gt_text_char(t, ' ');
	gt_text_i64(t, gt_model_process(d->m, call->process)->pid);
	gt_text_char(t, '/');
	gt_text_i64(t, thread ? thread->tid : 0);
	gt_text_lit(t, " #");
	gt_text_u64(t, call->id);
	gt_text_str(t, call->is_callback ? " callback " : " ");
	gt_text_str(t, call->fn->name);
	gt_text_char(t, '(');
	for (uint32_t i = 0; call->has_args && i < call->fn->n_params; i++) {
		gt_text_str(t, i ? ", " : "");
		gt_text_str(t, call->fn->params[i].name);
		gt_text_char(t, '=');
		gt_json_arg(t, call, i);
	}
	gt_text_str(t, call->has_args ? ")" : "?)");
	if (has_result(call))
		text_result(d, call);
	gt_text_lit(t, " [");
	gt_text_i64(t, call->end_ns - call->start_ns);
	gt_text_lit(t, "ns]\n");
	if (call->command)
		text_command(t, call->command);
}

static void text_id(struct gt_text *t, const char *before, const uint64_t *id)
{
	if (!id)
		return;
	gt_text_str(t, before);
	gt_text_hex(t, id[1], 16, false);
	gt_text_hex(t, id[0], 16, false);
}

static void text_object(struct dump *d, const struct gt_object *o)
{
	struct gt_text *t = &d->t;

	gt_text_lit(t, "object ");
	gt_text_i64(t, gt_model_process(d->m, o->process)->pid);
	gt_text_char(t, ' ');
	gt_text_str(t, object_kind(o->kind));
	gt_text_char(t, ' ');
	gt_text_u64(t, o->id);
	gt_text_lit(t, " 0x");
	gt_text_hex(t, o->handle, 1, false);
	if (o->name.bytes) {
		gt_text_char(t, ' ');
		gt_json_string(t, o->name.text, o->name.bytes);
	}
	if (o->build_options.bytes) {
		gt_text_lit(t, " options ");
		gt_json_string(t, o->build_options.text, o->build_options.bytes);
	}
	text_id(t, " source ", o->has_source ? o->source_id : NULL);
	text_id(t, " log ", o->has_log ? o->log_id : NULL);
	gt_text_char(t, '\n');
}

static void text_content(struct dump *d, const struct gt_content *c)
{
	struct gt_text *t = &d->t;
	struct gt_string stored = { "", 0 };
	uint64_t total = c->bytes;
	bool there = gt_model_blob(d->m, c->id, &stored, &total);

	gt_text_str(t, content_kind(c->kind));
	text_id(t, " ", c->id);
	gt_text_char(t, ' ');
	gt_text_u64(t, total);
	gt_text_str(t, there ? " bytes" : " bytes, not stored");
	if (there && is_text(c->kind)) {
		gt_text_char(t, ' ');
		gt_json_string(t, stored.text, stored.bytes);
	}
	gt_text_char(t, '\n');
}

static void text_range(struct dump *d, const struct gt_range *g)
{
	static const char *const kinds[] = { "", " mark ", " push ", " start " };
	struct gt_text *t = &d->t;

	seconds(t, g->start_ns);
	gt_text_char(t, ' ');
	gt_text_i64(t, gt_model_process(d->m, g->process)->pid);
	gt_text_char(t, '/');
	gt_text_i64(t, gt_model_thread(d->m, g->thread)->tid);
	gt_text_str(t, kinds[g->kind]);
	gt_text_bytes(t, g->domain_name.text, g->domain_name.bytes);
	gt_text_char(t, ':');
	gt_json_string(t, g->text.text ? g->text.text : "", g->text.text ? g->text.bytes : 0);
	if (g->end_ns != GT_NO_TIME) {
		gt_text_lit(t, " [");
		gt_text_i64(t, g->end_ns - g->start_ns);
		gt_text_lit(t, "ns]");
	} else if (g->kind != REC_NVTX_MARK) {
		gt_text_lit(t, " open");
	}
	gt_text_char(t, '\n');
}

static void text_range_name(struct dump *d, const struct gt_range_name *n)
{
	struct gt_text *t = &d->t;

	gt_text_lit(t, "name ");
	gt_text_i64(t, gt_model_process(d->m, n->process)->pid);
	gt_text_char(t, ' ');
	gt_text_str(t, name_kind(n->what));
	gt_text_char(t, ' ');
	gt_text_u64(t, n->id);
	gt_text_char(t, ' ');
	gt_json_string(t, n->text.text ? n->text.text : "", n->text.text ? n->text.bytes : 0);
	gt_text_char(t, '\n');
}

static void text_note(struct dump *d, const struct gt_note *n)
{
	struct gt_text *t = &d->t;

	gt_text_lit(t, "note ");
	gt_text_i64(t, gt_model_process(d->m, n->process)->pid);
	gt_text_char(t, ' ');
	gt_text_str(t, n->text);
	gt_text_char(t, '\n');
}

/* ---------------------------------------------------------------------- all */

static int dump_calls(struct dump *d, struct gt_err *err)
{
	const struct gt_walk_options o = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	const struct gt_call *call;
	struct gt_walk *w;
	int r;

	if (gt_walk_open(d->m, &o, &w, err))
		return -1;
	while ((r = gt_walk_next(w, &call, err)) == 1 && !d->failed) {
		if (d->json)
			json_call(d, call);
		else
			text_call(d, call);
		drain(d, DRAIN);
	}
	gt_walk_close(w);
	return r < 0 ? -1 : 0;
}

static bool drain_cuda(void *ctx)
{
	drain(ctx, DRAIN);
	return !((struct dump *)ctx)->failed;
}

static int by_id(const void *a, const void *b)
{
	const struct gt_content *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : memcmp(x->id, y->id, sizeof x->id);
}

static void dump_contents(struct dump *d)
{
	struct gt_content *all = NULL;
	size_t n = 0;

	for (uint32_t i = 0; i < gt_model_object_count(d->m); i++)
		n += gt_model_object(d->m, i)->n_contents;
	if (!n || !(all = malloc(n * sizeof *all))) {
		d->failed |= n > 0;
		return;
	}
	n = 0;
	for (uint32_t i = 0; i < gt_model_object_count(d->m); i++) {
		const struct gt_object *o = gt_model_object(d->m, i);

		for (uint32_t k = 0; k < o->n_contents; k++)
			all[n++] = o->contents[k];
	}
	qsort(all, n, sizeof *all, by_id);
	for (size_t i = 0; i < n; i++) {
		if (i && !by_id(&all[i - 1], &all[i]))
			continue;
		if (d->json)
			json_content(d, &all[i]);
		else
			text_content(d, &all[i]);
		drain(d, DRAIN);
	}
	free(all);
}

static void dump_rest(struct dump *d)
{
	for (uint32_t i = 0; i < gt_model_object_count(d->m); i++) {
		if (d->json)
			json_object(d, gt_model_object(d->m, i));
		else
			text_object(d, gt_model_object(d->m, i));
		drain(d, DRAIN);
	}
	dump_contents(d);
	for (uint32_t i = 0; i < gt_model_note_count(d->m); i++) {
		if (d->json)
			json_note(d, gt_model_note(d->m, i));
		else
			text_note(d, gt_model_note(d->m, i));
		drain(d, DRAIN);
	}
	for (uint32_t i = 0; d->json && i < gt_model_hsa_kernel_count(d->m); i++) {
		json_hsa(d, gt_model_hsa_kernel(d->m, i));
		drain(d, DRAIN);
	}
	for (uint64_t i = 0; i < gt_model_range_count(d->m); i++) {
		if (d->json)
			json_range(d, gt_model_range(d->m, i));
		else
			text_range(d, gt_model_range(d->m, i));
		drain(d, DRAIN);
	}
	for (uint32_t i = 0; i < gt_model_range_name_count(d->m); i++) {
		if (d->json)
			json_range_name(d, gt_model_range_name(d->m, i));
		else
			text_range_name(d, gt_model_range_name(d->m, i));
		drain(d, DRAIN);
	}
	drain(d, 0);
}

int gt_cmd_dump(struct gt_cli *cli)
{
	struct dump d = { .json = gt_option_true(&cli->options, "json") };
	struct gt_err err = { 0 };
	char text[1024];
	int rc;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "dump takes one trace" : "which trace?");
	if (gt_model_open(cli->args[0],
		    &(struct gt_model_options){ .cuda_table = gt_option(&cli->options, "cuda-table") }, &d.m, &err))
		return gt_cli_fail(&err);
	d.errors = gt_fntable_enum(gt_model_table(d.m), "cl_error");
	rc = dump_calls(&d, &err);
	if (!rc)
		rc = gt_dump_cuda(d.m, &d.t, d.json, drain_cuda, &d, &err);
	if (!rc)
		dump_rest(&d);
	if (!rc && (d.failed || fflush(stdout) || ferror(stdout)))
		rc = gt_fail(&err, GT_EXIT_OUTPUT, NULL, NULL, "standard output cannot be written");
	if (!rc)
		fprintf(stderr, "gputap: %s\n", gt_model_complete_text(d.m, text, sizeof text));
	gt_text_free(&d.t);
	gt_model_close(d.m);
	return rc ? gt_cli_fail(&err) : GT_EXIT_OK;
}
