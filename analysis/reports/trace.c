/*
 * analysis/reports/trace.c - OpenCL reports with a row for each call or command, and the launch-to-kernel delays
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/exec.h"

struct state {
	struct gt_model *model;
	struct gt_groups groups;
};

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)r;
	if (s)
		*s = (struct state){ .model = m, .groups = { .arena = a, .n_samples = 4 } };
	return s;
}

static int end_nothing(void *state, struct gt_table *t)
{
	(void)state;
	(void)t;
	return 0;
}

static const char *result_text(const struct gt_model *m, const struct gt_call *call, char *buf, size_t bytes)
{
	const struct gt_enum *errors = gt_fntable_enum(gt_model_table(m), "cl_error");
	const char *name = errors ? gt_enum_name(errors, call->result) : NULL;

	if (name)
		return name;
	snprintf(buf, bytes, "%d", call->result);
	return buf;
}

static int api_trace(void *state, const struct gt_call *call, struct gt_table *t)
{
	const struct state *s = state;
	const struct gt_thread *thread = gt_model_thread(s->model, call->thread);
	char result[16];

	if (call->is_callback)
		return 0;
	bool has_result = call->fn->ret != GT_VOID && !call->unfinished;
	const struct gt_cell cell[] = {
		gt_integer(call->start_ns),
		call->unfinished ? gt_none() : gt_integer(call->end_ns - call->start_ns),
		gt_text(call->fn->name),
		has_result ? gt_text(result_text(s->model, call, result, sizeof result)) : gt_none(),
		gt_integer((int64_t)call->id),
		gt_integer(gt_model_process(s->model, call->process)->pid),
		gt_integer(thread->tid),
		thread->has_priority ? gt_integer(thread->priority) : gt_none(),
		gt_text(thread->name),
	};
	return gt_table_row(t, cell);
}

static const char *const mem_kinds[] = { "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static",
	"Managed Static", "Unknown" };

static int gpu_trace(void *state, const struct gt_call *call, struct gt_table *t)
{
	const struct gt_command *c = call->command;
	struct gt_operation o;
	uint64_t grid[3], block[3];
	char name[GT_OPERATION_TEXT], device[256];

	(void)state;
	if (!c || !c->timed)
		return 0;
	gt_command_operation(c, &o);
	if (o.kind == GT_OPERATION_OTHER)
		return 0;
	bool kernel = o.kind == GT_OPERATION_KERNEL;
	double seconds = (double)(c->end_ns - c->start_ns) / 1e9;

	bool shaped = kernel && gt_command_grid(c, grid, block);
	if (c->device)
		snprintf(device, sizeof device, "%s (%u)", c->device->name.text ? c->device->name.text : "?",
			c->device->device_index);
	else
		snprintf(device, sizeof device, "?");
	const struct gt_cell cell[] = {
		gt_integer(c->start_ns),
		gt_integer(c->end_ns - c->start_ns),
		gt_integer((int64_t)call->id),
		shaped ? gt_integer((int64_t)grid[0]) : gt_none(),
		shaped ? gt_integer((int64_t)grid[1]) : gt_none(),
		shaped ? gt_integer((int64_t)grid[2]) : gt_none(),
		shaped ? gt_integer((int64_t)block[0]) : gt_none(),
		shaped ? gt_integer((int64_t)block[1]) : gt_none(),
		shaped ? gt_integer((int64_t)block[2]) : gt_none(),
		gt_none(),
		gt_none(),
		kernel ? gt_number((double)c->local_arg_bytes / 1e6, 3) : gt_none(),
		c->has_bytes ? gt_number((double)c->bytes / 1e6, 3) : gt_none(),
		c->has_bytes && seconds > 0 ? gt_number((double)c->bytes / 1e6 / seconds, 3) : gt_none(),
		o.kind == GT_OPERATION_COPY ? gt_text(mem_kinds[o.src]) : gt_none(),
		kernel ? gt_none() : gt_text(mem_kinds[o.dst]),
		gt_text(device),
		c->context ? gt_integer(c->context->id + 1) : gt_none(),
		gt_none(),
		c->queue ? gt_integer(c->queue->id + 13) : gt_none(),
		gt_text(kernel ? c->demangled.text : gt_operation_text(&o, name)),
	};
	return gt_table_row(t, cell);
}

/* --------------------------------------------- launch, queue and kernel times */

static bool delays_of(const struct gt_call *call, struct gt_delays *d)
{
	const struct gt_command *c = call->command;

	if (!c || !c->timed || !c->is_kernel)
		return false;
	gt_delays_of(call->start_ns, call->end_ns, c->start_ns, c->end_ns, d);
	return true;
}

static int exec_trace(void *state, const struct gt_call *call, struct gt_table *t)
{
	const struct state *s = state;
	const struct gt_command *c = call->command;
	struct gt_delays d;
	char grid[GT_GRID_TEXT], block[GT_GRID_TEXT];

	if (!delays_of(call, &d))
		return 0;
	gt_grid_text(c, grid, block);
	const struct gt_cell cell[] = {
		gt_integer(call->start_ns),
		gt_integer(d.api),
		d.queued ? gt_integer(call->end_ns) : gt_none(),
		d.queued ? gt_integer(d.queue) : gt_none(),
		gt_integer(c->start_ns),
		gt_integer(d.kernel),
		gt_integer(d.total),
		gt_integer(gt_model_process(s->model, call->process)->pid),
		gt_integer(gt_model_thread(s->model, call->thread)->tid),
		c->device ? gt_integer(c->device->device_index) : gt_none(),
		gt_text(call->fn->name),
		gt_text(grid),
		gt_text(block),
		gt_text(c->demangled.text),
	};
	return gt_table_row(t, cell);
}

static int exec_sum(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;
	const struct gt_command *c = call->command;
	struct gt_delays d;

	(void)t;
	return delays_of(call, &d)
		? gt_exec_add(&s->groups, &d, call->fn->name, gt_command_kernel_name(c, 0),
			  (const int64_t[3]){ gt_model_process(s->model, call->process)->pid,
				  gt_model_thread(s->model, call->thread)->tid,
				  c->device ? (int64_t)c->device->device_index : -1 })
		: 0;
}

static int exec_sum_join(void *state, void *from)
{
	return gt_groups_join(&((struct state *)state)->groups, &((struct state *)from)->groups);
}

static int exec_sum_end(void *state, struct gt_table *t)
{
	struct state *s = state;

	return gt_exec_put(&s->groups, t);
}

#define STREAM(id, title_, headings_, call_) \
	{ .name = id, .title = title_, .headings = headings_, .stream = true, \
	  .begin = begin, .call = call_, .end = end_nothing }

const struct gt_report gt_reports_trace[] = {
	{ .name = "opencl_api_trace", .title = "OpenCL API Trace", .headings = GT_HEADINGS_API_TRACE, .stream = true,
	  .begin = begin, .call = api_trace, .unfinished = true, .end = end_nothing },
	STREAM("opencl_gpu_trace", "OpenCL Device Trace", GT_HEADINGS_GPU_TRACE, gpu_trace),
	STREAM("opencl_kern_exec_trace", "OpenCL Kernel Launch and Execution Trace", GT_HEADINGS_EXEC_TRACE,
		exec_trace),
	{ .name = "opencl_kern_exec_sum",
		.title = "OpenCL Kernel Launch and Execution Summary",
		.headings = GT_HEADINGS_EXEC_SUM,
		.begin = begin,
		.call = exec_sum,
		.commands = true,
		.join = exec_sum_join,
		.end = exec_sum_end },
	{ 0 },
};
