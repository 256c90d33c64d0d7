/*
 * analysis/reports_sum.c - reports that add up times or sizes by name
 *
 * Each says which (category, name, value) a call contributes; the columns are the same everywhere.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"

#define TIMES(count) "Time (%)|Total Time (ns)|" count "|Avg (ns)|Med (ns)|Min (ns)|Max (ns)|StdDev (ns)|"

struct state {
	const struct gt_report *report;
	struct gt_groups groups;
	__int128 total;
};

struct detail {
	/* Calls add() for each contribution of this call. */
	int (*each)(struct state *s, const struct gt_call *call);
	unsigned texts;                 /* text columns at the end */
	bool sizes;                     /* bytes, shown in MB, instead of times */
};

static int add(struct state *s, int64_t value, const char *a, const char *b, const char *c)
{
	struct gt_group *g = gt_groups_get(&s->groups, (const char *const[3]){ a, b, c }, (const int64_t[3]){ 0 });

	s->total += value;
	return g ? gt_samples_add(g->samples, s->groups.arena, value) : -1;
}

static int add_fixed(struct state *s, int64_t value, const char *a, const char *b)
{
	struct gt_group *g = gt_groups_get_fixed(&s->groups, a, b);

	s->total += value;
	return g ? gt_samples_add(g->samples, s->groups.arena, value) : -1;
}

static const char *kernel_name(const struct gt_command *c)
{
	return c->name.text ? c->name.text : "[unknown kernel]";
}

static void *begin(const struct gt_report *r, struct gt_model *m, struct gt_pool *a)
{
	struct state *s = gt_pool_take(a, sizeof *s);

	(void)m;
	if (s)
		*s = (struct state){ .report = r, .groups = { .arena = a, .n_samples = 1 } };
	return s;
}

static int call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct state *s = state;

	(void)t;
	return call->is_callback ? 0 : ((const struct detail *)s->report->detail)->each(s, call);
}

static int end(void *state, struct gt_table *t)
{
	struct state *s = state;
	const struct detail *d = s->report->detail;
	struct gt_group **g = gt_groups_sorted(&s->groups);
	double unit = d->sizes ? 1e6 : 1;
	int digits = d->sizes ? 3 : 1, whole = d->sizes ? 3 : 0;

	for (uint64_t i = 0; g && i < s->groups.n; i++) {
		const struct gt_samples *v = g[i]->samples;
		struct gt_cell cell[12];
		unsigned n = 0;

		if (!d->sizes)
			cell[n++] = gt_number(s->total ? 100.0 * (double)v->sum / (double)s->total : 0, 1);
		cell[n++] = gt_number((double)v->sum / unit, whole);
		cell[n++] = gt_integer((int64_t)v->n);
		cell[n++] = gt_number(gt_samples_mean(v) / unit, digits);
		cell[n++] = gt_number(gt_samples_median(v) / unit, digits);
		cell[n++] = gt_number((double)v->min / unit, whole);
		cell[n++] = gt_number((double)v->max / unit, whole);
		cell[n++] = gt_number(gt_samples_deviation(v) / unit, digits);
		for (unsigned k = 0; k < d->texts; k++)
			cell[n++] = gt_text(g[i]->text[k]);
		if (gt_table_row(t, cell))
			return -1;
	}
	return g ? 0 : -1;
}

/* --------------------------------------------------------- contributions */

static int64_t device_ns(const struct gt_command *c)
{
	return c->end_ns - c->start_ns;
}

static int each_call(struct state *s, const struct gt_call *call)
{
	return add_fixed(s, call->end_ns - call->start_ns, call->fn->name, "");
}

static int each_kernel(struct state *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;

	return c && c->timed && c->is_kernel ? add_fixed(s, device_ns(c), kernel_name(c), "") : 0;
}

static int each_kernel_grid(struct state *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	char grid[GT_GRID_TEXT], block[GT_GRID_TEXT];

	if (!c || !c->timed || !c->is_kernel)
		return 0;
	gt_grid_text(c, grid, block);
	return add(s, device_ns(c), grid, block, kernel_name(c));
}

/* The name of the copy or fill that a call made, NULL when it made none with device times. */
static const char *memory_of(const struct gt_command *c, char text[GT_OPERATION_TEXT])
{
	struct gt_operation o;

	if (!c || !c->timed)
		return NULL;
	gt_command_operation(c, &o);
	return gt_operation_text(&o, text);
}

static int each_memory(struct state *s, const struct gt_call *call)
{
	char text[GT_OPERATION_TEXT];
	const char *name = memory_of(call->command, text);

	return name ? add(s, device_ns(call->command), name, "", "") : 0;
}

static int each_memory_size(struct state *s, const struct gt_call *call)
{
	char text[GT_OPERATION_TEXT];
	const char *name = memory_of(call->command, text);

	return name && call->command->has_bytes ? add(s, (int64_t)call->command->bytes, name, "", "") : 0;
}

static int each_device(struct state *s, const struct gt_call *call)
{
	char text[GT_OPERATION_TEXT];
	const char *name;

	if (call->command && call->command->timed && call->command->is_kernel)
		return add_fixed(s, device_ns(call->command), "OPENCL_KERNEL", kernel_name(call->command));
	name = memory_of(call->command, text);
	return name ? add(s, device_ns(call->command), "MEMORY_OPER", name, "") : 0;
}

static int each_call_and_device(struct state *s, const struct gt_call *call)
{
	if (add_fixed(s, call->end_ns - call->start_ns, "OPENCL_API", call->fn->name))
		return -1;
	return each_device(s, call);
}

/* Calls that may make the host wait for the device. */
static int each_wait(struct state *s, const struct gt_call *call)
{
	char name[96];

	if (!strcmp(call->fn->kind, "sync") && strcmp(call->fn->name, "clFlush")) /* a flush hands over and returns */
		return add_fixed(s, call->end_ns - call->start_ns, call->fn->name, "");
	if (!call->command || !call->command->blocking)
		return 0;
	snprintf(name, sizeof name, "%s (blocking)", call->fn->name);
	return add(s, call->end_ns - call->start_ns, name, "", "");
}

/* ------------------------------------------------------------------- list */

#define SUM(id, title, headings, each_, texts_, sizes_, default_) \
	{ id, title, headings, false, default_, &(const struct detail){ each_, texts_, sizes_ }, begin, call, end, NULL }

const struct gt_report gt_reports_sum[] = {
	SUM("opencl_api_sum", "OpenCL API Summary", TIMES("Num Calls") "Name<", each_call, 1, false, true),
	SUM("opencl_kern_sum", "OpenCL Kernel Summary", TIMES("Instances") "Name<", each_kernel, 1, false, true),
	SUM("opencl_kern_gb_sum", "OpenCL Kernel/Grid/Block Summary", TIMES("Instances") "GridXYZ|BlockXYZ|Name<", each_kernel_grid, 3, false, false),
	SUM("opencl_mem_time_sum", "OpenCL Memory Summary (by Time)", TIMES("Count") "Operation<", each_memory, 1, false, true),
	SUM("opencl_mem_size_sum", "OpenCL Memory Summary (by Size)",
		"Total (MB)|Count|Avg (MB)|Med (MB)|Min (MB)|Max (MB)|StdDev (MB)|Operation<", each_memory_size, 1, true, true),
	SUM("opencl_gpu_sum", "OpenCL Device Summary (Kernels and Memory Operations)", TIMES("Instances") "Category<|Operation<", each_device, 2, false, false),
	SUM("opencl_api_gpu_sum", "OpenCL Summary (API, Kernels and Memory Operations)", TIMES("Instances") "Category<|Operation<",
		each_call_and_device, 2, false, false),
	SUM("opencl_wait_sum", "OpenCL Host Waits Summary", TIMES("Num Calls") "Name<", each_wait, 1, false, false),
	{ 0 },
};
