/*
 * cli/dump/call.c - gputap dump: calls, callbacks, and the commands that they set going
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/dump/dump.h"

/* ------------------------------------------------------------------ commands */

static const char *local_source(int source)
{
	static const char *const names[] = { "unknown", "application", "required", "suggested" };

	return (unsigned)source < 4 ? names[source] : names[0];
}

static bool command_type(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *type = ((const struct gt_call *)s->outer)->fn->command_type;

	(void)f, (void)record;
	gt_json_string(s->t, type, strlen(type));
	return true;
}

static bool work_size(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_command *c = record;

	if (c->work_dim)
		gt_show_list(s, (const uint64_t *)((const char *)record + f->at), c->work_dim);
	return c->work_dim;
}

static bool local_size(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return ((const struct gt_command *)record)->local_source != REC_LOCAL_UNKNOWN && work_size(s, f, record);
}

static bool local_size_source(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return ((const struct gt_command *)record)->work_dim && gt_show_word(s, f, record);
}

static bool local_arg_bytes(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return ((const struct gt_command *)record)->work_dim && gt_show_set(s, f, record);
}

static bool untimed_reason(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return !((const struct gt_command *)record)->timed && gt_show_word(s, f, record);
}

static bool ran(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_command *c = record;

	(void)f;
	gt_text_i64(s->t, (int64_t)((uint64_t)c->end_ns - (uint64_t)c->start_ns));
	gt_text_lit(s->t, "ns");
	return true;
}

static bool untimed(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_command *c = record;
	const char *reason = gt_show_loss(c->reason);

	(void)f;
	if (c->timed)
		return false;
	gt_text_lit(s->t, " no times");
	if (c->status < 0) {
		gt_text_lit(s->t, ", failed with ");
		gt_text_i64(s->t, c->status);
	}
	if (reason) {
		gt_text_lit(s->t, ": ");
		gt_text_str(s->t, reason);
	}
	return true;
}

static bool pattern(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_command *c = record;

	(void)f;
	if (c->pattern_bytes)
		gt_json_bytes(s->t, c->pattern, c->pattern_bytes);
	return c->pattern_bytes;
}

/* By the names of the metrics that hold them; null where there is no value. */
static bool cpu(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	static const char *const names[REC_CPU_END] = {
		[REC_CPU_TASK_CLOCK] = "task_clock", [REC_CPU_PAGE_FAULTS] = "page_faults", [REC_CPU_CYCLES] = "cycles",
		[REC_CPU_INSTRUCTIONS] = "instructions", [REC_CPU_CACHE_MISSES] = "cache_misses",
		[REC_CPU_BRANCH_MISSES] = "branch_misses", [REC_CPU_SWITCHES] = "context_switches",
		[REC_CPU_SWITCHES_FORCED] = "context_switches_forced", [REC_CPU_MIGRATIONS] = "migrations",
	};
	const struct gt_cpu_counts *c = ((const struct gt_command *)record)->cpu;

	(void)f;
	if (!c)
		return false;
	gt_text_lit(s->t, "{\"threads\":");
	gt_text_u64(s->t, c->threads);
	gt_text_lit(s->t, ",\"why\":");
	gt_text_u64(s->t, c->why);
	for (unsigned k = 1; !c->why && k < REC_CPU_END; k++) {
		gt_text_lit(s->t, ",\"");
		gt_text_str(s->t, names[k]);
		gt_text_lit(s->t, "\":");
		if (c->at[k].why)
			gt_text_lit(s->t, "null");
		else
			gt_text_u64(s->t, c->at[k].value);
	}
	gt_text_char(s->t, '}');
	return true;
}

static bool waits(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_command *c = record;

	(void)f;
	for (uint32_t i = 0; i < c->n_waits; i++) {
		gt_text_char(s->t, i ? ',' : '[');
		gt_json_scalar(s->t, GT_HANDLE, NULL, c->waits[i], 8);
	}
	gt_text_char(s->t, ']');
	return c->n_waits;
}

#define C struct gt_command
static const struct gt_shown command_fields[] = {
	{ "type", command_type, GT_OWN },
	{ "name", gt_show_raw, GT_PLACE(C, name) },
	{ "is_kernel", gt_show_flag, GT_NUMBER(C, is_kernel) },
	{ "status", gt_show_number, GT_NUMBER(C, status) },
	{ "timed", gt_show_flag, GT_NUMBER(C, timed) },
	{ "queued", gt_show_moment, GT_NUMBER(C, queued_ns), GT_HAS(C, timed) },
	{ "submit", gt_show_moment, GT_NUMBER(C, submit_ns), GT_HAS(C, timed) },
	{ "start", gt_show_moment, GT_NUMBER(C, start_ns), GT_HAS(C, timed) },
	{ "end", gt_show_moment, GT_NUMBER(C, end_ns), GT_HAS(C, timed) },
	{ "complete", gt_show_moment, GT_NUMBER(C, complete_ns), GT_HAS(C, timed) },
	{ "ran", ran, GT_OWN, GT_TEXT_ONLY, GT_HAS(C, timed) },
	{ "untimed", untimed, GT_OWN, GT_TEXT_ONLY },
	{ "reason", untimed_reason, GT_NUMBER(C, reason), .word = gt_show_loss },
	{ "queue", gt_show_object, GT_PLACE(C, queue) },
	{ "context", gt_show_object, GT_PLACE(C, context) },
	{ "device", gt_show_object, GT_PLACE(C, device) },
	{ "kernel", gt_show_object, GT_PLACE(C, kernel) },
	{ "program", gt_show_object, GT_PLACE(C, program) },
	{ "src", gt_show_object, GT_PLACE(C, src) },
	{ "dst", gt_show_object, GT_PLACE(C, dst) },
	{ "global", work_size, GT_PLACE(C, global_size), GT_HAS(C, has_global) },
	{ "offset", work_size, GT_PLACE(C, global_offset), GT_HAS(C, has_offset) },
	{ "local", local_size, GT_PLACE(C, local_size) },
	{ "local_source", local_size_source, GT_NUMBER(C, local_source), .word = local_source },
	{ "local_arg_bytes", local_arg_bytes, GT_NUMBER(C, local_arg_bytes) },
	{ "first", gt_show_set, GT_NUMBER(C, first_launch) },
	{ "bytes", gt_show_number, GT_NUMBER(C, bytes), GT_HAS(C, has_bytes) },
	{ "blocking", gt_show_flag, GT_NUMBER(C, blocking) },
	{ "pattern", pattern, GT_OWN },
	{ "waits", waits, GT_OWN },
	{ "cpu", cpu, GT_OWN, GT_JSON_ONLY },
};
#undef C
static const struct gt_shape command_shape = {
	.text = "\n    command {name}{ global=global}{ offset=offset}{ local=local}{ bytes=bytes}{ queued=queued}"
		"{ submit=submit}{ start=start}{ end=end}{ ran=ran}{untimed}",
	.parts = { GT_FIELDS(command_fields) },
};

/* --------------------------------------------------------------------- calls */

/* A callback returns nothing, nor does a void function. */
static bool has_result(const struct gt_call *call)
{
	return !call->is_callback && call->fn->ret != GT_VOID;
}

static bool function(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;

	(void)f;
	gt_show_plain(s, call->fn->name, strlen(call->fn->name));
	return true;
}

static bool result(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return has_result(record) && gt_show_number(s, f, record);
}

static bool result_name(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;
	const char *name = call->fn->errors ? gt_enum_name(call->fn->errors, gt_show_integer(f, record)) : NULL;

	if (!name || !has_result(record))
		return false;
	gt_json_string(s->t, name, strlen(name));
	return true;
}

static bool returned(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;

	(void)f;
	if (!call->has_args || call->fn->ret_position < 0)
		return false;
	gt_json_scalar(s->t, call->fn->ret, NULL, gt_call_return(call), 8);
	return true;
}

/* Text has one place for what came back: an object, the result's name, or its number. */
static bool answer(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;
	const char *name = call->fn->errors ? gt_enum_name(call->fn->errors, call->result) : NULL;

	if (!has_result(call))
		return false;
	if (!call->result && returned(s, f, record))
		return true;
	if (name)
		gt_text_str(s->t, name);
	else
		gt_text_i64(s->t, call->result);
	return true;
}

static bool args(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;

	(void)f;
	if (!call->has_args)
		return false;
	gt_text_str(s->t, s->json ? "{" : "");
	for (uint32_t i = 0; i < call->fn->n_params; i++) {
		if (s->json) {
			gt_json_key(s->t, call->fn->params[i].name);
		} else {
			gt_text_str(s->t, i ? ", " : "");
			gt_text_str(s->t, call->fn->params[i].name);
			gt_text_char(s->t, '=');
		}
		gt_json_arg(s->t, call, i);
	}
	gt_text_str(s->t, s->json ? "}" : "");
	return true;
}

/* Names of arguments of which only a part was kept. */
static bool cut(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;
	bool any = false;
	struct gt_arg a;

	(void)f;
	if (!(call->flags & REC_CUT || call->more))
		return false;
	for (uint32_t i = 0; i < call->fn->n_params; i++) {
		if (!gt_call_arg(call, i, &a) || !a.cut)
			continue;
		gt_text_char(s->t, any ? ',' : '[');
		gt_json_string(s->t, a.param->name, strlen(a.param->name));
		any = true;
	}
	if (any)
		gt_text_char(s->t, ']');
	return any;
}

static bool took(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;

	(void)f;
	gt_text_i64(s->t, call->end_ns - call->start_ns);
	gt_text_lit(s->t, "ns");
	return true;
}

static bool stack(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;

	(void)f;
	return gt_dump_stack_number(s, call->process, call->stack_link);
}

static bool command(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_call *call = record;

	(void)f;
	if (call->command)
		gt_show_inside(s, &command_shape, call->command, call);
	return call->command;
}

#define C struct gt_call
static const struct gt_shown call_fields[] = {
	GT_WHOSE(C),
	{ "tid", gt_show_tid, GT_NUMBER(C, thread) },
	{ "id", gt_show_number, GT_NUMBER(C, id) },
	{ "cmd_id", gt_show_set, GT_NUMBER(C, cmd_id) },
	{ "name", function, GT_OWN },
	{ "start_ns", gt_show_moment, GT_NUMBER(C, start_ns) },
	{ "end_ns", gt_show_moment, GT_NUMBER(C, end_ns) },
	{ "result", result, GT_NUMBER(C, result) },
	{ "result_name", result_name, GT_NUMBER(C, result) },
	{ "return", returned, GT_OWN },
	{ "answer", answer, GT_OWN, GT_TEXT_ONLY },
	{ "has_args", gt_show_flag, GT_NUMBER(C, has_args) },
	{ "args", args, GT_OWN },
	{ "cut", cut, GT_OWN },
	{ "took", took, GT_OWN, GT_TEXT_ONLY },
	{ "stack", stack, GT_OWN },
	{ "command", command, GT_OWN },
};
#undef C
#define CALL_TEXT(what) \
	"{start_ns} {pid}/{tid} #{id} " what "{name}({args|?}){ = answer} [{took}]{ from stack #stack}{command}"
static const struct gt_shape call_shape = { "call", CALL_TEXT(""), { GT_FIELDS(call_fields) } };
static const struct gt_shape callback_shape = { "callback", CALL_TEXT("callback "), { GT_FIELDS(call_fields) } };

void gt_dump_call(struct gt_show *s, const struct gt_call *call)
{
	gt_show_record(s, call->is_callback ? &callback_shape : &call_shape, call);
}
