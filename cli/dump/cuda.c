/*
 * cli/dump/cuda.c - gputap dump: the CUDA part: libraries, buffers, objects, and every activity
 *
 * What the producing library did not tell has no field.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "cli/dump/dump.h"
#include "model/cuda/cuda.h"
#include "writers/render.h"

#define E struct gt_cuda_event
#define NUMBER(name, member) { name, gt_show_number, GT_NUMBER(E, member) }
#define KNOWN(name, member) { name, gt_show_known, GT_NUMBER(E, member) }
#define ID(name, member) { name, gt_show_id, GT_NUMBER(E, member) }
#define WHEN(name, member) { name, gt_show_when, GT_NUMBER(E, member) }
#define STRING(name, member) { name, gt_show_string, GT_PLACE(E, member) }
#define WORD(name, member, words) { name, gt_show_word, GT_NUMBER(E, member), .word = words }

/* The forms of model/cuda/kinds.def. */
#define SHOW_unshown(name, member)
#define SHOW_number(name, member) NUMBER(name, member),
#define SHOW_known(name, member) KNOWN(name, member),
#define SHOW_detail(name, member) { name, gt_show_known, GT_NUMBER(E, member), GT_JSON_ONLY },
#define SHOW_if_set(name, member) { name, gt_show_set, GT_NUMBER(E, member) },
#define SHOW_if_set_hex(name, member) { name, gt_show_set_hex, GT_NUMBER(E, member) },
#define SHOW_id(name, member) ID(name, member),
#define SHOW_hex(name, member) { name, gt_show_hex, GT_NUMBER(E, member) },
#define SHOW_flag(name, member) { name, gt_show_flag, GT_NUMBER(E, member) },
#define SHOW_flag_in_json(name, member) { name, gt_show_flag, GT_NUMBER(E, member), GT_JSON_ONLY },
#define SHOW_when(name, member) WHEN(name, member),
#define SHOW_text(name, member) STRING(name, member),
#define SHOW_text_in_json(name, member) { name, gt_show_string, GT_PLACE(E, member), GT_JSON_ONLY },
#define SHOW_sizes(name, member) { name, gt_show_sizes, GT_PLACE(E, member) },
#define SHOW_cluster(name, member) { name, gt_show_sizes, GT_PLACE(E, member), GT_HAS(E, kernel.has_cluster) },
#define SHOW_copy_kind(name, member) WORD(name, member, gt_cuda_copy_text),
#define SHOW_mem_kind(name, member) WORD(name, member, gt_cuda_mem_text),
#define SHOW_memory_operation(name, member) WORD(name, member, memory_operation),
#define SHOW_pool_number(name, member) { name, pool_number, GT_NUMBER(E, member) },
#define SHOW_pool_hex(name, member) { name, pool_hex, GT_NUMBER(E, member) },
#define SHOW_graph_event(name, member) WORD(name, member, graph_event),
#define SHOW_domain(name, member) WORD(name, member, domain),
#define SHOW_result(name, member) \
	{ name, gt_show_number, GT_NUMBER(E, member), GT_HAS(E, call.has_result) }, \
	{ "result_name", result_name, GT_OWN, GT_HAS(E, call.has_result) },
#define SHOW_stack(name, member) { name, stack, GT_OWN },
#define SHOW_has_args(name, member) SHOW_flag(name, member) { "args", args, GT_OWN, GT_HAS(E, member) },

/* --------------------------------------------------------------------- calls */

static const char *domain(int d) { return d == REC_DOMAIN_CUDA_DRIVER ? "driver" : "runtime"; }

static bool result_name(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const char *name;
	char buf[64];

	(void)f;
	name = gt_cuda_result_text(record, buf, sizeof buf);
	gt_json_string(s->t, name, strlen(name));
	return *name;
}

static bool stack(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const struct gt_cuda_event *e = record;

	(void)f;
	return gt_dump_stack_number(s, e->process, e->call.stack_link);
}

/* In text as in JSON. */
static bool args(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	struct gt_cuda_arg_text shown;
	struct gt_cuda_arg arg;
	char out[64];

	(void)f;
	gt_text_char(s->t, '{');
	for (unsigned i = 0; gt_cuda_arg(s->cuda, record, i, &arg); i++) {
		const char *value = !arg.has_value ? "?" : arg.symbol ? arg.symbol : shown.value;

		gt_render_cuda_arg(&arg, &shown);
		gt_json_key(s->t, arg.name);
		gt_json_string(s->t, value, strlen(value));
		if (!shown.target[0])
			continue;
		snprintf(out, sizeof out, "*%s", arg.name);     /* what the call wrote there */
		gt_json_key(s->t, out);
		gt_json_string(s->t, shown.target, strlen(shown.target));
	}
	gt_text_char(s->t, '}');
	return true;
}

/* --------------------------------------------------------- graphs and memory */

static const char *graph_event(int what)
{
	static const char *const names[] = { [REC_CUPTI_GRAPH_CREATED] = "graph created",
		[REC_CUPTI_GRAPH_CLONED] = "graph cloned",
		[REC_CUPTI_GRAPH_DESTROYED] = "graph destroyed",
		[REC_CUPTI_GRAPH_EXEC_CREATED] = "executable created",
		[REC_CUPTI_GRAPH_EXEC_DESTROYED] = "executable destroyed",
		[REC_CUPTI_NODE_CREATED] = "node created",
		[REC_CUPTI_NODE_CLONED] = "node cloned",
		[REC_CUPTI_NODE_DESTROYED] = "node destroyed" };

	return (size_t)what < sizeof names / sizeof *names ? names[what] : NULL;
}

static const char *memory_operation(int operation)
{
	return operation == 1 ? "allocation" : operation == 2 ? "release" : "unknown";
}

static bool in_pool(const void *record) { return ((const E *)record)->memory.pool_type >= 0; }

static bool pool_number(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return in_pool(record) && gt_show_known(s, f, record);
}

static bool pool_hex(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	return in_pool(record) && gt_show_hex(s, f, record);
}

/* ------------------------------------------------------------------- activities */

/* JSON says "timed":false, text "untimed"; with times neither says anything. */
static bool untimed(struct gt_show *s, const struct gt_shown *f, const void *record)
{
	const E *e = record;

	(void)f;
	gt_text_str(s->t, s->json ? "false" : "untimed");
	return !e->timed && e->kind != GT_CUDA_EXTERNAL;
}

static const struct gt_shown head_fields[] = {
	GT_WHOSE(E),
	KNOWN("tid", tid),
	WHEN("start_ns", start_ns),
	WHEN("end_ns", end_ns),
	{ "timed", untimed, GT_OWN, GT_JSON_ONLY },
	{ "untimed", untimed, GT_OWN, GT_TEXT_ONLY },
	WORD("reason", reason, gt_show_loss),
	ID("correlation", correlation),
	ID("device", device),
	ID("context", context),
	ID("stream", stream),
	ID("graph", graph),
	{ "node", gt_show_set, GT_NUMBER(E, graph_node) },
};

/* kernel_fields and so on: the values of each kind. */
#define BEGIN(KIND, member, name, plural, words) static const struct gt_shown member##_fields[] = {
#define VALUE(member, type, field, form, label, value) SHOW_##form(label, member.field)
#define END(KIND, member) };
#define ALSO(KIND, member, name, plural, words)
#include "model/cuda/kinds.def"

static const struct gt_shape shapes[GT_CUDA_KINDS] = {
#define BEGIN(KIND, member, name, plural, words) \
	[GT_CUDA_##KIND] = \
		{ "cuda_" name, "cuda " name " {pid}*", { GT_FIELDS(head_fields), GT_FIELDS(member##_fields) } },
#include "model/cuda/kinds.def"
};

static int activities(struct gt_show *s, gt_dump_drain *drain, void *ctx, struct gt_err *err)
{
	struct gt_cuda_event e;

	for (int kind = 0; kind < GT_CUDA_KINDS; kind++) {
		uint64_t n = gt_cuda_count(s->cuda, (enum gt_cuda_kind)kind);

		for (uint64_t i = 0; i < n; i++) {
			if (gt_cuda_get(s->cuda, (enum gt_cuda_kind)kind, i, &e, err))
				return -1;
			if (kind == GT_CUDA_KERNEL)
				e.kernel.first = gt_cuda_is_first_launch(s->cuda, i);
			gt_show_record(s, &shapes[kind], &e);
			if (!drain(ctx))
				return 0;
		}
	}
	return 0;
}

int gt_dump_cuda(struct gt_show *s, gt_dump_drain *drain, void *ctx, struct gt_err *err)
{
	s->cuda = gt_model_cuda(s->m, err);
	if (!s->cuda)
		return -1;
	gt_dump_cuda_objects(s);
	return activities(s, drain, ctx, err);
}
