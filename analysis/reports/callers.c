/*
 * analysis/reports/callers.c - who made the calls: device work and API time by the function and line that asked for it
 *
 * Needs call stacks (--callstacks). What has none is shown as "[no stack]": it was not asked for, or shorter than
 * --callstack-min.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "analysis/cuda_work.h"
#include "analysis/sum.h"
#include "model/symbols/symbols.h"

static int add(struct gt_sum *s, int64_t ns, const char *what, uint32_t stack, const char *api)
{
	uint32_t n, at;
	const struct gt_frame *frames = gt_stack_frames(s->model, stack, &n);
	struct gt_text place = { 0 };
	int rc;

	at = gt_stack_asker(frames, n, api);
	if (at >= n)
		return gt_sum_add(s, ns, what, "[no stack]", "");
	gt_frame_place(&frames[at], &place);
	gt_text_char(&place, 0);
	rc = place.failed ? -1
			  : gt_sum_add(s, ns, what, frames[at].resolved ? frames[at].function.text : "[unknown]",
				    place.data);
	gt_text_free(&place);
	return rc;
}

/* --------------------------------------------------------------- device work */

static int each_command(struct gt_sum *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	char text[GT_OPERATION_TEXT];
	struct gt_operation o;
	const char *name = NULL;

	if (!c || !c->timed)
		return 0;
	if (c->is_kernel) {
		name = gt_command_kernel_name(c, s->options);
	} else {
		gt_command_operation(c, &o);
		name = gt_operation_text(&o, text);
	}
	return name ? add(s, c->end_ns - c->start_ns, name, gt_call_stack(call), call->fn->name) : 0;
}

static int each_work(struct gt_sum *s, const struct gt_cuda_event *e)
{
	struct gt_cuda_event call;
	const char *kind = e->kind == GT_CUDA_COPY ? gt_cuda_copy_text(e->copy.copy_kind) : NULL;
	char name[96];
	bool known;

	if (!e->timed) {
		s->missing++;
		return 0;
	}
	if (e->kind == GT_CUDA_COPY)
		snprintf(name, sizeof name, "[CUDA memcpy %s]", kind ? kind : "Unknown");
	else
		snprintf(name, sizeof name, "[CUDA memset]");
	known = e->correlation != GT_CUDA_NONE &&
		gt_cuda_call_of(s->cuda, e->process, e->correlation, e->start_ns, &call);
	return add(s, e->end_ns - e->start_ns,
		e->kind == GT_CUDA_KERNEL ? gt_cuda_kernel_name(e, s->options) : name,
		known ? gt_stack_by_link(s->model, call.process, call.call.stack_link) : 0,
		known ? call.call.base.text : NULL);
}

/* ------------------------------------------------------------------ API calls */

static int each_call(struct gt_sum *s, const struct gt_call *call)
{
	return add(s, call->end_ns - call->start_ns, call->fn->name, gt_call_stack(call), call->fn->name);
}

const struct gt_report gt_reports_callers[] = {
	{ .name = "callers", .title = "Device Work by Caller",
	  .headings = GT_TIMES("Instances") "Operation<|Caller<|Place<", .recorded_by = "--callstacks",
	  .kinds = GT_KIND(KERNEL) | GT_KIND(COPY) | GT_KIND(FILL), .commands = true,
	  .options = GT_REPORT_BASE | GT_REPORT_MANGLED,
	  .begin = gt_sum_begin, .call = gt_sum_call, .cuda = gt_sum_cuda, .join = gt_sum_join, .end = gt_sum_end,
	  .detail = &(const struct gt_sum_detail){ .call = each_command, .cuda = each_work, .texts = 3,
		.missing = "operations without device times" } },
	{ .name = "call_sites", .title = "API Time by Caller",
	  .headings = GT_TIMES("Num Calls") "Name<|Caller<|Place<", .recorded_by = "--callstacks", .cuda_calls = true,
	  .begin = gt_sum_begin, .call = gt_sum_call, .join = gt_sum_join, .end = gt_sum_end,
	  .detail = &(const struct gt_sum_detail){ .call = each_call, .texts = 3 } },
	{ 0 },
};
