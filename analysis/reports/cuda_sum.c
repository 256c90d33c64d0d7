/*
 * analysis/reports/cuda_sum.c - CUDA reports that add up times or sizes by name
 *
 * Driver calls that a runtime call made inside it are not counted beside it. Activities without device times are
 * counted as missing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/cuda_work.h"
#include "analysis/sum.h"

static int64_t took(const struct gt_cuda_event *e)
{
	return e->end_ns - e->start_ns;
}

static int missing(struct gt_sum *s)
{
	s->missing++;
	return 0;
}

/* -------------------------------------------------------------------- calls */

static int call_as(struct gt_sum *s, const struct gt_cuda_event *e, const char *category)
{
	if (e->call.nested)
		return 0;
	if (!e->timed)
		return missing(s);
	return *category ? gt_sum_add_fixed(s, took(e), category, e->call.base.text)
			 : gt_sum_add_fixed(s, took(e), e->call.base.text, "");
}

static int each_call(struct gt_sum *s, const struct gt_cuda_event *e) { return call_as(s, e, ""); }

/* ------------------------------------------------------------------ failures */

static int each_failed_cuda(struct gt_sum *s, const struct gt_cuda_event *e)
{
	char text[64];

	if (!e->call.has_result || !e->call.result || !e->timed)
		return 0;
	return gt_sum_add(s, took(e), e->call.base.text, gt_cuda_result_text(e, text, sizeof text), "");
}

/* The symbols of OpenCL's errors: those of any *errcode_ret. */
static const struct gt_enum *error_names(const struct gt_fntable *table)
{
	for (uint32_t i = 0; i < gt_fntable_count(table); i++) {
		const struct gt_fn *fn = gt_fntable_at(table, i);

		for (uint32_t k = 0; k < fn->n_params; k++)
			if (fn->params[k].is_errcode && fn->params[k].group[0])
				return gt_fntable_enum(table, fn->params[k].group);
	}
	return NULL;
}

/* Of creating calls the result is the *errcode_ret. */
static int each_failed(struct gt_sum *s, const struct gt_call *call)
{
	const struct gt_enum *errors;
	const char *name;
	char number[16];

	if (call->result >= 0 || call->is_callback)
		return 0;
	errors = error_names(gt_model_table(s->model));
	name = errors ? gt_enum_name(errors, call->result) : NULL;
	if (!name) {
		snprintf(number, sizeof number, "%d", call->result);
		name = number;
	}
	return gt_sum_add(s, call->end_ns - call->start_ns, call->fn->name, name, "");
}

/* ------------------------------------------------------------------ kernels */

static int each_kernel(struct gt_sum *s, const struct gt_cuda_event *e)
{
	return e->timed ? gt_sum_add_fixed(s, took(e), gt_cuda_kernel_name(e, s->options), "") : missing(s);
}

/* Of a name and launch shape; formatting the shape each time would cost more than all the rest. */
static struct gt_group *shape_group(struct gt_sum *s, const struct gt_cuda_event *e)
{
	const char *name = gt_cuda_kernel_name(e, s->options);
	uint64_t hash = (uintptr_t)name >> 3;
	char grid[GT_GRID_TEXT], block[GT_GRID_TEXT];

	for (int i = 0; i < 3; i++)
		hash = (hash ^ e->kernel.grid[i] ^ (uint64_t)e->kernel.block[i] << 32) * UINT64_C(0x9e3779b97f4a7c15);
	unsigned at = hash >> 32 & (GT_SUM_CACHE - 1);

	if (s->by || s->shape[at].name != name || memcmp(s->shape[at].grid, e->kernel.grid, sizeof e->kernel.grid) ||
	    memcmp(s->shape[at].block, e->kernel.block, sizeof e->kernel.block)) {
		gt_cuda_grid_text(e, grid, block);
		s->shape[at].group =
			gt_groups_get(&s->groups, (const char *const[3]){ grid, block, name }, s->key);
		s->shape[at].name = s->shape[at].group ? name : NULL;
		memcpy(s->shape[at].grid, e->kernel.grid, sizeof e->kernel.grid);
		memcpy(s->shape[at].block, e->kernel.block, sizeof e->kernel.block);
	}
	return s->shape[at].group;
}

static int each_kernel_shape(struct gt_sum *s, const struct gt_cuda_event *e)
{
	return e->timed ? gt_sum_add_group(s, took(e), shape_group(s, e)) : missing(s);
}

/* ------------------------------------------------------------------- memory */

/* "[CUDA memcpy Host-to-Device]", kept: the same address each time. NULL: no memory. */
static const char *copy_name(struct gt_sum *s, int kind)
{
	const char *label = gt_cuda_copy_text(kind);
	const char **kept = &s->copy[label && kind > 0 && kind < GT_COPY_KINDS ? kind : 0];
	char *text;

	if (*kept)
		return *kept;
	text = gt_pool_take(s->groups.arena, 96);
	if (text)
		snprintf(text, 96, "[CUDA memcpy %s]", label ? label : "Unknown");
	return *kept = text;
}

/* NULL: not a copy, a fill or a migration of unified memory, or no memory. */
static const char *memory_name(struct gt_sum *s, const struct gt_cuda_event *e)
{
	switch (e->kind) {
	case GT_CUDA_COPY: return copy_name(s, e->copy.copy_kind);
	case GT_CUDA_FILL: return "[CUDA memset]";
	case GT_CUDA_MANAGED: return gt_cuda_migration(e) < 0 ? NULL : copy_name(s, gt_cuda_migration(e));
	default: return NULL;
	}
}

static int memory_as(struct gt_sum *s, const struct gt_cuda_event *e, const char *category)
{
	const char *name;

	if (e->kind == GT_CUDA_MANAGED && gt_cuda_migration(e) < 0)
		return 0;
	if (!e->timed)
		return missing(s);
	if (!(name = memory_name(s, e)))
		return -1;
	return *category ? gt_sum_add_fixed(s, took(e), category, name) : gt_sum_add_fixed(s, took(e), name, "");
}

static int each_memory(struct gt_sum *s, const struct gt_cuda_event *e) { return memory_as(s, e, ""); }

/* A copy's size is known even when its times are not. */
static int each_size(struct gt_sum *s, const struct gt_cuda_event *e)
{
	uint64_t bytes = e->kind == GT_CUDA_COPY ? e->copy.bytes
		: e->kind == GT_CUDA_FILL        ? e->fill.bytes
						 : e->managed.value;
	const char *name;

	if (e->kind == GT_CUDA_MANAGED && gt_cuda_migration(e) < 0)
		return 0;
	name = memory_name(s, e);
	return name ? gt_sum_add_fixed(s, (int64_t)bytes, name, "") : -1;
}

static int each_device(struct gt_sum *s, const struct gt_cuda_event *e)
{
	if (e->kind != GT_CUDA_KERNEL)
		return memory_as(s, e, "MEMORY_OPER");
	return e->timed ? gt_sum_add_fixed(s, took(e), "CUDA_KERNEL", gt_cuda_kernel_name(e, s->options)) : missing(s);
}

static int each_call_and_device(struct gt_sum *s, const struct gt_cuda_event *e)
{
	return e->kind == GT_CUDA_CALL ? call_as(s, e, "CUDA_API") : each_device(s, e);
}

/* -------------------------------------------------------- waits and overhead */

/* CUPTI's numbers, in the words of nsys' tables. */
static const char *sync_text(int type)
{
	static const char *const texts[] = { "Unknown", "Event sync", "Stream wait sync", "Stream sync",
		"Context sync" };

	return texts[type >= 0 && type < (int)(sizeof texts / sizeof *texts) ? type : 0];
}

static int each_sync(struct gt_sum *s, const struct gt_cuda_event *e)
{
	struct gt_cuda_event call;
	bool known = e->correlation != GT_CUDA_NONE &&
		gt_cuda_call_of(s->cuda, e->process, e->correlation, e->start_ns, &call);

	return e->timed ? gt_sum_add_fixed(s, took(e), sync_text(e->sync.type), known ? call.call.base.text : "")
			: missing(s);
}

static const char *overhead_text(int type)
{
	switch (type) {
	case 0: return "Unknown";
	case 1: return "Driver JIT compiler (CUDA)";
	case 1 << 16: return "Buffer flush (Profiler)";
	case 2 << 16: return "Instrumentation (Profiler)";
	case 3 << 16: return "Resource creation/destruction (Profiler)";
	case 4 << 16: return "Runtime module loading (CUDA)";
	case 5 << 16: return "Lazy function loading (CUDA)";
	case 6 << 16: return "Command buffer full (CUDA)";
	case 7 << 16: return "Buffer request (Profiler)";
	case 8 << 16: return "Unified memory activity start (Profiler)";
	}
	return NULL;
}

static int each_overhead(struct gt_sum *s, const struct gt_cuda_event *e)
{
	const char *text = overhead_text(e->overhead.type);
	char number[32];

	if (!e->timed)
		return missing(s);
	if (text)
		return gt_sum_add_fixed(s, took(e), text, "");
	snprintf(number, sizeof number, "Kind 0x%x", (unsigned)e->overhead.type);
	return gt_sum_add(s, took(e), number, "", "");
}

/* --------------------------------------------------------------------- list */

#define MEMORY (GT_KIND(COPY) | GT_KIND(FILL) | GT_KIND(MANAGED))
#define NAMES (GT_REPORT_BASE | GT_REPORT_MANGLED)
#define SUM(id, title_, headings_, kinds_, each_, texts_, sizes_, options_, missing_) \
	{ .name = id, .title = title_, .headings = headings_, .options = options_, \
	  .kinds = kinds_, .begin = gt_sum_begin, .cuda = gt_sum_cuda, .end = gt_sum_end, \
	  .detail = &(const struct gt_sum_detail){ \
		  .cuda = each_, .texts = texts_, .sizes = sizes_, .missing = missing_ } }

const struct gt_report gt_reports_cuda_sum[] = {
	{ .name = "api_error_sum", .title = "Failed Calls by Function and Error (OpenCL and CUDA)",
		.headings = GT_TIMES("Num Calls") "Name<|Error<", .kinds = GT_KIND(CALL), .begin = gt_sum_begin,
		.call = gt_sum_call, .cuda = gt_sum_cuda, .join = gt_sum_join, .end = gt_sum_end,
		.detail = &(const struct gt_sum_detail){ .call = each_failed, .cuda = each_failed_cuda, .texts = 2 } },
	SUM("cuda_api_sum", "CUDA API Summary", GT_TIMES("Num Calls") "Name<", GT_KIND(CALL), each_call, 1, false,
		0, "calls that did not end"),
	SUM("cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", GT_TIMES("Instances") "Name<", GT_KIND(KERNEL), each_kernel,
		1, false, NAMES, "kernels without device times"),
	SUM("cuda_gpu_kern_gb_sum", "CUDA GPU Kernel/Grid/Block Summary",
		GT_TIMES("Instances") "GridXYZ|BlockXYZ|Name<", GT_KIND(KERNEL), each_kernel_shape, 3, false,
		NAMES, "kernels without device times"),
	SUM("cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)", GT_TIMES("Count") "Operation<", MEMORY,
		each_memory, 1, false, 0, "memory operations without device times"),
	SUM("cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)", GT_SIZES "Operation<", MEMORY, each_size, 1,
		true, 0, NULL),
	SUM("cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)", GT_TIMES("Instances") "Category<|Operation<",
		GT_KIND(KERNEL) | MEMORY, each_device, 2, false, NAMES, "operations without device times"),
	SUM("cuda_api_gpu_sum", "CUDA Summary (API/Kernels/MemOps)", GT_TIMES("Instances") "Category<|Operation<",
		GT_KIND(CALL) | GT_KIND(KERNEL) | MEMORY, each_call_and_device, 2, false, NAMES,
		"calls that did not end and operations without device times"),
	SUM("cuda_sync_sum", "CUDA Synchronization Summary", GT_TIMES("Count") "Sync Type<|API Name<", GT_KIND(SYNC),
		each_sync, 2, false, 0, "waits without times"),
	SUM("overhead_sum", "CUDA and Profiler Overhead Summary", GT_TIMES("Count") "Overhead<", GT_KIND(OVERHEAD),
		each_overhead, 1, false, 0, "overheads without times"),
	{ 0 },
};
