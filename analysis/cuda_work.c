/*
 * analysis/cuda_work.c - names, work and devices of CUDA activities
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/cuda_work.h"

const char *gt_cuda_kernel_name(const struct gt_cuda_event *e, unsigned options)
{
	const struct gt_string *name = options & GT_REPORT_BASE ? &e->kernel.short_name
		: options & GT_REPORT_MANGLED                   ? &e->kernel.mangled
								: &e->kernel.demangled;

	return e->kernel.has_name && name->text ? name->text : "[unknown kernel]";
}

uint32_t gt_cuda_works_of(struct gt_cuda *c, const struct gt_cuda_event *call, struct gt_cuda_works *w)
{
	uint32_t n = call->correlation == GT_CUDA_NONE
		? 0
		: gt_cuda_work_of(c, call->process, call->correlation, call->start_ns, w->at, w->room);

	if (n <= w->room)
		return n;
	w->room = 2 * n < 64 ? 64 : 2 * n;
	w->at = gt_pool_take(w->arena, w->room * sizeof *w->at);
	return w->at ? gt_cuda_work_of(c, call->process, call->correlation, call->start_ns, w->at, w->room)
		     : UINT32_MAX;
}

const char *gt_cuda_device_text(const struct gt_cuda *c, const struct gt_cuda_event *e, char text[GT_DEVICE_TEXT])
{
	const struct gt_cuda_device *d = e->device == GT_CUDA_NONE ? NULL : gt_cuda_device_of(c, e->process, e->device);

	if (d)
		snprintf(text, GT_DEVICE_TEXT, "%s (%u)", d->name.text && *d->name.text ? d->name.text : "?", d->index);
	else if (e->device != GT_CUDA_NONE)
		snprintf(text, GT_DEVICE_TEXT, "? (%u)", e->device);
	else
		snprintf(text, GT_DEVICE_TEXT, "?");
	return text;
}

int64_t gt_cuda_device_number(const struct gt_cuda *c, const struct gt_cuda_event *e)
{
	const struct gt_cuda_device *d = e->device == GT_CUDA_NONE ? NULL : gt_cuda_device_of(c, e->process, e->device);

	return d ? d->index : e->device == GT_CUDA_NONE ? -1 : (int64_t)e->device;
}

static void three(char text[GT_GRID_TEXT], const uint32_t n[3])
{
	snprintf(text, GT_GRID_TEXT, "%4u %4u %4u", n[0], n[1], n[2]);
}

void gt_cuda_grid_text(const struct gt_cuda_event *e, char grid[GT_GRID_TEXT], char block[GT_GRID_TEXT])
{
	three(grid, e->kernel.grid);
	three(block, e->kernel.block);
}

int gt_cuda_migration(const struct gt_cuda_event *e)
{
	switch (e->managed.counter) {
	case 1: return 11; /* host to device */
	case 2: return 12;
	case 8: return 13; /* between devices */
	}
	return -1;
}
