/*
 * analysis/reports/sum.c - reports that add up times or sizes by name
 *
 * OpenCL. Each says which (category, name, value) a call contributes; the columns are the same everywhere.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/sum.h"

/* --------------------------------------------------------- contributions */

static int64_t device_ns(const struct gt_command *c)
{
	return c->end_ns - c->start_ns;
}

static int each_call(struct gt_sum *s, const struct gt_call *call)
{
	return gt_sum_add_fixed(s, call->end_ns - call->start_ns, call->fn->name, "");
}

static int each_kernel(struct gt_sum *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;

	return c && c->timed && c->is_kernel
		? gt_sum_add_fixed(s, device_ns(c), gt_command_kernel_name(c, s->options), "")
		: 0;
}

static int each_kernel_grid(struct gt_sum *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	char grid[GT_GRID_TEXT], block[GT_GRID_TEXT];

	if (!c || !c->timed || !c->is_kernel)
		return 0;
	gt_grid_text(c, grid, block);
	return gt_sum_add(s, device_ns(c), grid, block, gt_command_kernel_name(c, s->options));
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

static int each_memory(struct gt_sum *s, const struct gt_call *call)
{
	char text[GT_OPERATION_TEXT];
	const char *name = memory_of(call->command, text);

	return name ? gt_sum_add(s, device_ns(call->command), name, "", "") : 0;
}

static int each_memory_size(struct gt_sum *s, const struct gt_call *call)
{
	char text[GT_OPERATION_TEXT];
	const char *name = memory_of(call->command, text);

	return name && call->command->has_bytes ? gt_sum_add(s, (int64_t)call->command->bytes, name, "", "") : 0;
}

static int each_device(struct gt_sum *s, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	char text[GT_OPERATION_TEXT];
	const char *name;

	if (c && c->timed && c->is_kernel)
		return gt_sum_add_fixed(s, device_ns(c), "OPENCL_KERNEL", gt_command_kernel_name(c, s->options));
	name = memory_of(c, text);
	return name ? gt_sum_add(s, device_ns(c), "MEMORY_OPER", name, "") : 0;
}

static int each_call_and_device(struct gt_sum *s, const struct gt_call *call)
{
	if (gt_sum_add_fixed(s, call->end_ns - call->start_ns, "OPENCL_API", call->fn->name))
		return -1;
	return each_device(s, call);
}

/* Calls that may make the host wait for the device. */
static int each_wait(struct gt_sum *s, const struct gt_call *call)
{
	char name[96];

	if (!strcmp(call->fn->kind, "sync") && strcmp(call->fn->name, "clFlush")) /* a flush hands over and returns */
		return gt_sum_add_fixed(s, call->end_ns - call->start_ns, call->fn->name, "");
	if (!call->command || !call->command->blocking)
		return 0;
	snprintf(name, sizeof name, "%s (blocking)", call->fn->name);
	return gt_sum_add(s, call->end_ns - call->start_ns, name, "", "");
}

/* ------------------------------------------------------------------- list */

#define NAMES (GT_REPORT_BASE | GT_REPORT_MANGLED)
#define SUM(id, title_, headings_, each_, texts_, sizes_, commands_, options_) \
	{ .name = id, .title = title_, .headings = headings_, .commands = commands_, .options = options_, \
	  .begin = gt_sum_begin, .call = gt_sum_call, .join = gt_sum_join, .end = gt_sum_end, \
	  .detail = &(const struct gt_sum_detail){ .call = each_, .texts = texts_, .sizes = sizes_ } }

const struct gt_report gt_reports_sum[] = {
	SUM("opencl_api_sum", "OpenCL API Summary", GT_TIMES("Num Calls") "Name<", each_call, 1, false, false, 0),
	SUM("opencl_kern_sum", "OpenCL Kernel Summary", GT_TIMES("Instances") "Name<", each_kernel, 1, false,
		true, NAMES),
	SUM("opencl_kern_gb_sum", "OpenCL Kernel/Grid/Block Summary", GT_TIMES("Instances") "GridXYZ|BlockXYZ|Name<",
		each_kernel_grid, 3, false, true, NAMES),
	SUM("opencl_mem_time_sum", "OpenCL Memory Summary (by Time)", GT_TIMES("Count") "Operation<", each_memory, 1,
		false, true, 0),
	SUM("opencl_mem_size_sum", "OpenCL Memory Summary (by Size)", GT_SIZES "Operation<", each_memory_size, 1, true,
		true, 0),
	SUM("opencl_gpu_sum", "OpenCL Device Summary (Kernels and Memory Operations)",
		GT_TIMES("Instances") "Category<|Operation<", each_device, 2, false, true, NAMES),
	SUM("opencl_api_gpu_sum", "OpenCL Summary (API, Kernels and Memory Operations)",
		GT_TIMES("Instances") "Category<|Operation<", each_call_and_device, 2, false, false, NAMES),
	SUM("opencl_wait_sum", "OpenCL Host Waits Summary", GT_TIMES("Num Calls") "Name<", each_wait, 1, false,
		false, 0),
	{ 0 },
};
