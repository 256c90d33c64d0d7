/*
 * analysis/reports_trace.c - reports with a row for each call or command, and the launch-to-kernel delays
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/report.h"

struct state {
	struct gt_model *model;
	struct gt_groups groups;
};

static void *begin(const struct gt_report *r, struct gt_model *m, struct gt_pool *a)
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
	const struct gt_cell cell[] = {
		gt_integer(call->start_ns), gt_integer(call->end_ns - call->start_ns), gt_text(call->fn->name),
		call->fn->ret == GT_VOID ? gt_none() : gt_text(result_text(s->model, call, result, sizeof result)), gt_integer((int64_t)call->id),
		gt_integer(gt_model_process(s->model, call->process)->pid), gt_integer(thread->tid), gt_none(), gt_text(thread->name),
	};
	return gt_table_row(t, cell);
}

static const char *const mem_kinds[] = { "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown" };

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

	if (kernel)
		gt_command_grid(c, grid, block);
	snprintf(device, sizeof device, "%s (%u)", c->device && c->device->name.text ? c->device->name.text : "?", c->device ? c->device->device_index : 0);
	const struct gt_cell cell[] = {
		gt_integer(c->start_ns), gt_integer(c->end_ns - c->start_ns), gt_integer((int64_t)call->id),
		kernel ? gt_integer((int64_t)grid[0]) : gt_none(), kernel ? gt_integer((int64_t)grid[1]) : gt_none(),
			kernel ? gt_integer((int64_t)grid[2]) : gt_none(),
		kernel ? gt_integer((int64_t)block[0]) : gt_none(), kernel ? gt_integer((int64_t)block[1]) : gt_none(),
			kernel ? gt_integer((int64_t)block[2]) : gt_none(),
		gt_none(), gt_none(), kernel ? gt_number((double)c->local_arg_bytes / 1e6, 3) : gt_none(),
		c->has_bytes ? gt_number((double)c->bytes / 1e6, 3) : gt_none(),
		c->has_bytes && seconds > 0 ? gt_number((double)c->bytes / 1e6 / seconds, 3) : gt_none(),
		o.kind == GT_OPERATION_COPY ? gt_text(mem_kinds[o.src]) : gt_none(), kernel ? gt_none() : gt_text(mem_kinds[o.dst]),
		gt_text(device), c->context ? gt_integer(c->context->id + 1) : gt_none(), gt_none(), c->queue ? gt_integer(c->queue->id + 13) : gt_none(),
		gt_text(kernel ? c->name.text : gt_operation_text(&o, name)),
	};
	return gt_table_row(t, cell);
}

/* --------------------------------------------- launch, queue and kernel times */

struct delays { int64_t api, queue, kernel, total; bool queued; };

/* Queue time = kernel start - call end when that is not negative; total = from the call's start to whatever ends last. */
static bool delays_of(const struct gt_call *call, struct delays *d)
{
	const struct gt_command *c = call->command;

	if (!c || !c->timed || !c->is_kernel)
		return false;
	d->api = call->end_ns - call->start_ns;
	d->queue = c->start_ns - call->end_ns;
	d->queued = d->queue >= 0;
	d->kernel = c->end_ns - c->start_ns;
	d->total = (c->end_ns > call->end_ns ? c->end_ns : call->end_ns) - call->start_ns;
	return true;
}

static int exec_trace(void *state, const struct gt_call *call, struct gt_table *t)
{
	const struct state *s = state;
	const struct gt_command *c = call->command;
	struct delays d;
	char grid[GT_GRID_TEXT], block[GT_GRID_TEXT];

	if (!delays_of(call, &d))
		return 0;
	gt_grid_text(c, grid, block);
	const struct gt_cell cell[] = {
		gt_integer(call->start_ns), gt_integer(d.api), d.queued ? gt_integer(call->end_ns) : gt_none(), d.queued ? gt_integer(d.queue) : gt_none(),
		gt_integer(c->start_ns), gt_integer(d.kernel), gt_integer(d.total), gt_integer(gt_model_process(s->model, call->process)->pid),
		gt_integer(gt_model_thread(s->model, call->thread)->tid), gt_integer(c->device ? c->device->device_index : 0), gt_text(call->fn->name),
		gt_text(grid), gt_text(block), gt_text(c->name.text),
	};
	return gt_table_row(t, cell);
}

static int exec_sum(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;
	const struct gt_command *c = call->command;
	struct gt_pool *a = s->groups.arena;
	struct gt_group *g;
	struct delays d;

	(void)t;
	if (!delays_of(call, &d))
		return 0;
	g = gt_groups_get(&s->groups, (const char *const[3]){ call->fn->name, c->name.text ? c->name.text : "[unknown kernel]", "" },
		(const int64_t[3]){ gt_model_process(s->model, call->process)->pid, gt_model_thread(s->model, call->thread)->tid,
			c->device ? c->device->device_index : 0 });
	if (!g || gt_samples_add(&g->samples[0], a, d.total) || gt_samples_add(&g->samples[1], a, d.api) || gt_samples_add(&g->samples[3], a, d.kernel))
		return -1;
	return d.queued ? gt_samples_add(&g->samples[2], a, d.queue) : 0;
}

static int exec_sum_end(void *state, struct gt_table *t)
{
	struct state *s = state;
	struct gt_group **g = gt_groups_sorted(&s->groups);

	for (uint64_t i = 0; g && i < s->groups.n; i++) {
		struct gt_cell cell[32];
		unsigned n = 0;

		cell[n++] = gt_integer((int64_t)g[i]->samples[0].n);
		cell[n++] = gt_integer((int64_t)g[i]->samples[2].n);
		for (int k = 0; k < 3; k++)
			cell[n++] = gt_integer(g[i]->number[k]);
		for (int k = 0; k < 4; k++) {
			const struct gt_samples *v = &g[i]->samples[k];

			cell[n++] = v->n ? gt_number(gt_samples_mean(v), 1) : gt_none();
			cell[n++] = v->n ? gt_number(gt_samples_median(v), 1) : gt_none();
			cell[n++] = v->n ? gt_integer(v->min) : gt_none();
			cell[n++] = v->n ? gt_integer(v->max) : gt_none();
			cell[n++] = v->n ? gt_number(gt_samples_deviation(v), 1) : gt_none();
		}
		cell[n++] = gt_text(g[i]->text[0]);
		cell[n++] = gt_text(g[i]->text[1]);
		if (gt_table_row(t, cell))
			return -1;
	}
	return g ? 0 : -1;
}

#define FIVE(x) x "Avg (ns)|" x "Med (ns)|" x "Min (ns)|" x "Max (ns)|" x "StdDev (ns)|"

const struct gt_report gt_reports_trace[] = {
	{ "opencl_api_trace", "OpenCL API Trace", "Start (ns)|Duration (ns)|Name<|Result<|CorrID|Pid|Tid|T-Pri|Thread Name<", true, false, NULL,
		begin, api_trace, end_nothing, NULL },
	{ "opencl_gpu_trace", "OpenCL Device Trace",
		"Start (ns)|Duration (ns)|CorrId|GrdX|GrdY|GrdZ|BlkX|BlkY|BlkZ|Reg/Trd|StcSMem (MB)|DymSMem (MB)|Bytes (MB)|Throughput (MB/s)|"
		"SrcMemKd<|DstMemKd<|Device<|Ctx|GreenCtx|Strm|Name<", true, false, NULL, begin, gpu_trace, end_nothing, NULL },
	{ "opencl_kern_exec_trace", "OpenCL Kernel Launch and Execution Trace",
		"API Start (ns)|API Dur (ns)|Queue Start (ns)|Queue Dur (ns)|Kernel Start (ns)|Kernel Dur (ns)|Total Dur (ns)|PID|TID|DevId|API Function<|"
		"GridXYZ|BlockXYZ|Kernel Name<", true, false, NULL, begin, exec_trace, end_nothing, NULL },
	{ "opencl_kern_exec_sum", "OpenCL Kernel Launch and Execution Summary",
		"Count|QCount|PID|TID|DevId|" FIVE("T") FIVE("A") FIVE("Q") FIVE("K") "API Name<|Kernel Name<", false, false, NULL, begin, exec_sum,
			exec_sum_end, NULL },
	{ 0 },
};
