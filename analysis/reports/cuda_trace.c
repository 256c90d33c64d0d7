/*
 * analysis/reports/cuda_trace.c - CUDA reports with a row for each call or activity, and the launch-to-kernel delays
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/cuda_work.h"
#include "analysis/exec.h"

struct state {
	struct gt_model *model;
	struct gt_cuda *cuda;
	unsigned options;
	struct gt_groups groups;
	struct gt_cuda_works works;
	uint64_t missing;
};

static void *begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	if (s)
		*s = (struct state){ .model = m,
			.options = r->options,
			.cuda = gt_model_cuda(m, &(struct gt_err){ 0 }),
			.works = { .arena = a },
			.groups = { .arena = a, .n_samples = 4 } };
	return s;
}

static int end_nothing(void *state, struct gt_table *t)
{
	(void)state;
	(void)t;
	return 0;
}

static struct gt_cell known(int64_t v) { return v < 0 ? gt_none() : gt_integer(v); }
static struct gt_cell megabytes(int64_t bytes) { return bytes < 0 ? gt_none() : gt_number((double)bytes / 1e6, 3); }
static int64_t pid_of(const struct state *s, const struct gt_cuda_event *e)
{
	return gt_model_process(s->model, e->process)->pid;
}

static const struct gt_thread *thread_of(const struct state *s, const struct gt_cuda_event *e)
{
	return e->thread == GT_CUDA_NONE ? NULL : gt_model_thread(s->model, e->thread);
}

static int64_t tid_of(const struct state *s, const struct gt_cuda_event *e)
{
	const struct gt_thread *thread = thread_of(s, e);

	return thread ? thread->tid : e->tid;
}

static int api_trace(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	const struct state *s = state;
	const struct gt_thread *thread = thread_of(s, e);

	if (e->call.nested)
		return 0;
	const struct gt_cell cell[] = {
		e->start_ns == GT_NO_TIME ? gt_none() : gt_integer(e->start_ns),
		e->timed ? gt_integer(e->end_ns - e->start_ns) : gt_none(),
		gt_text(e->call.base.text),
		e->call.has_result ? gt_integer(e->call.result) : gt_none(),
		gt_cuda_id(e->correlation),
		gt_integer(pid_of(s, e)),
		known(tid_of(s, e)),
		thread && thread->has_priority ? gt_integer(thread->priority) : gt_none(),
		gt_text(thread ? thread->name : ""),
	};
	return gt_table_row(t, cell);
}

/* What the columns of a device activity say; -1 and NULL: nothing. */
struct operation { int64_t bytes; const char *src, *dst; char name[96]; };

static bool operation_of(const struct gt_cuda_event *e, struct operation *o)
{
	const char *label;
	int kind = e->kind == GT_CUDA_COPY ? e->copy.copy_kind : e->kind == GT_CUDA_MANAGED ? gt_cuda_migration(e) : 0;

	*o = (struct operation){ .bytes = -1 };
	if (e->kind == GT_CUDA_KERNEL)
		return true;
	if (e->kind == GT_CUDA_FILL) {
		snprintf(o->name, sizeof o->name, "[CUDA memset]");
		o->bytes = (int64_t)e->fill.bytes;
		o->src = gt_cuda_mem_text(e->fill.mem_kind);    /* the vendor's column for it */
		return true;
	}
	if (kind < 0)
		return false;           /* a page fault and the like */
	label = gt_cuda_copy_text(kind);
	snprintf(o->name, sizeof o->name, "[CUDA memcpy %s]", label ? label : "Unknown");
	o->bytes = (int64_t)(e->kind == GT_CUDA_COPY ? e->copy.bytes : e->managed.value);
	o->src = e->kind == GT_CUDA_COPY ? gt_cuda_mem_text(e->copy.src_kind) : "Managed";
	o->dst = e->kind == GT_CUDA_COPY ? gt_cuda_mem_text(e->copy.dst_kind) : "Managed";
	return true;
}

static int gpu_trace(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	const struct state *s = state;
	bool kernel = e->kind == GT_CUDA_KERNEL;
	char device[GT_DEVICE_TEXT];
	struct operation o;

	if (!operation_of(e, &o))
		return 0;
	double seconds = e->timed ? (double)(e->end_ns - e->start_ns) / 1e9 : 0;
	const struct gt_cell cell[] = {
		e->timed ? gt_integer(e->start_ns) : gt_none(),
		e->timed ? gt_integer(e->end_ns - e->start_ns) : gt_none(),
		gt_cuda_id(e->correlation),
		kernel ? gt_integer(e->kernel.grid[0]) : gt_none(),
		kernel ? gt_integer(e->kernel.grid[1]) : gt_none(),
		kernel ? gt_integer(e->kernel.grid[2]) : gt_none(),
		kernel ? gt_integer(e->kernel.block[0]) : gt_none(),
		kernel ? gt_integer(e->kernel.block[1]) : gt_none(),
		kernel ? gt_integer(e->kernel.block[2]) : gt_none(),
		kernel ? known(e->kernel.registers) : gt_none(),
		kernel ? megabytes(e->kernel.static_shared) : gt_none(),
		kernel ? megabytes(e->kernel.dynamic_shared) : gt_none(),
		megabytes(o.bytes),
		o.bytes >= 0 && seconds > 0 ? gt_number((double)o.bytes / 1e6 / seconds, 3) : gt_none(),
		o.src ? gt_text(o.src) : gt_none(),
		o.dst ? gt_text(o.dst) : gt_none(),
		gt_text(gt_cuda_device_text(s->cuda, e, device)),
		gt_cuda_id(e->context),
		gt_none(),
		gt_cuda_id(e->stream),
		gt_text(kernel ? gt_cuda_kernel_name(e, s->options) : o.name),
	};
	return gt_table_row(t, cell);
}

/* ------------------------------------------------ launch, queue and kernel times */

typedef int (*each_kernel)(struct state *s, const struct gt_cuda_event *call, const struct gt_cuda_event *kernel,
	const struct gt_delays *d, struct gt_table *t);

/* The kernels that a call launched. */
static int kernels_of(struct state *s, const struct gt_cuda_event *call, struct gt_table *t, each_kernel each)
{
	struct gt_cuda_event kernel;
	struct gt_delays d;
	struct gt_err err;
	uint32_t n;

	if (call->call.nested || !call->timed)
		return 0;
	if ((n = gt_cuda_works_of(s->cuda, call, &s->works)) == UINT32_MAX)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		if (s->works.at[i].kind != GT_CUDA_KERNEL)
			continue;
		if (gt_cuda_get(s->cuda, GT_CUDA_KERNEL, s->works.at[i].index, &kernel, &err))
			return -1;
		if (!kernel.timed) {
			s->missing++;
			continue;
		}
		gt_delays_of(call->start_ns, call->end_ns, kernel.start_ns, kernel.end_ns, &d);
		if (each(s, call, &kernel, &d, t))
			return -1;
	}
	return 0;
}

static int exec_row(struct state *s, const struct gt_cuda_event *call, const struct gt_cuda_event *kernel,
	const struct gt_delays *d, struct gt_table *t)
{
	char grid[GT_GRID_TEXT], block[GT_GRID_TEXT];

	gt_cuda_grid_text(kernel, grid, block);
	const struct gt_cell cell[] = {
		gt_integer(call->start_ns),
		gt_integer(d->api),
		d->queued ? gt_integer(call->end_ns) : gt_none(),
		d->queued ? gt_integer(d->queue) : gt_none(),
		gt_integer(kernel->start_ns),
		gt_integer(d->kernel),
		gt_integer(d->total),
		gt_integer(pid_of(s, call)),
		known(tid_of(s, call)),
		known(gt_cuda_device_number(s->cuda, kernel)),
		gt_text(call->call.base.text),
		gt_text(grid),
		gt_text(block),
		gt_text(gt_cuda_kernel_name(kernel, s->options)),
	};
	return gt_table_row(t, cell);
}

static int exec_group(struct state *s, const struct gt_cuda_event *call, const struct gt_cuda_event *kernel,
	const struct gt_delays *d, struct gt_table *t)
{
	(void)t;
	return gt_exec_add(&s->groups, d, call->call.base.text, gt_cuda_kernel_name(kernel, s->options),
		(const int64_t[3]){ pid_of(s, call), tid_of(s, call), gt_cuda_device_number(s->cuda, kernel) });
}

static int exec_trace(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	return kernels_of(state, e, t, exec_row);
}
static int exec_sum(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	return kernels_of(state, e, t, exec_group);
}

static int exec_missing(void *state, struct gt_table *t)
{
	gt_table_missing(t, ((struct state *)state)->missing, "kernels without device times");
	return 0;
}

static int exec_sum_end(void *state, struct gt_table *t)
{
	struct state *s = state;

	exec_missing(s, t);
	return gt_exec_put(&s->groups, t);
}

#define NAMES (GT_REPORT_BASE | GT_REPORT_MANGLED)

const struct gt_report gt_reports_cuda_trace[] = {
	{ .name = "cuda_api_trace",
		.title = "CUDA API Trace",
		.headings = GT_HEADINGS_API_TRACE,
		.stream = true,
		.begin = begin,
		.kinds = GT_KIND(CALL),
		.cuda = api_trace,
		.end = end_nothing },
	{ .name = "cuda_gpu_trace",
		.title = "CUDA GPU Trace",
		.headings = GT_HEADINGS_GPU_TRACE,
		.stream = true,
		.options = NAMES,
		.begin = begin,
		.kinds = GT_KIND(KERNEL) | GT_KIND(COPY) | GT_KIND(FILL) | GT_KIND(MANAGED),
		.cuda = gpu_trace,
		.end = end_nothing },
	{ .name = "cuda_kern_exec_trace",
		.title = "CUDA Kernel Launch & Exec Time Trace",
		.headings = GT_HEADINGS_EXEC_TRACE,
		.stream = true,
		.options = NAMES,
		.begin = begin,
		.kinds = GT_KIND(CALL),
		.cuda = exec_trace,
		.end = exec_missing },
	{ .name = "cuda_kern_exec_sum",
		.title = "CUDA Kernel Launch & Exec Time Summary",
		.headings = GT_HEADINGS_EXEC_SUM,
		.options = NAMES,
		.begin = begin,
		.kinds = GT_KIND(CALL),
		.cuda = exec_sum,
		.end = exec_sum_end },
	{ 0 },
};
