/*
 * analysis/metrics/dispatch.c - every launch of a kernel, OpenCL's and CUDA's alike
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "model/window.h"

#define DEVICE_TYPE_CPU 2u                        /* CL_DEVICE_TYPE_CPU */
#define NATIVE_KERNEL 0x11F2u                     /* CL_COMMAND_NATIVE_KERNEL: a function of the host */

struct dispatches {
	struct gt_model *model;
	const struct gt_walk_options *walk;
	struct gt_cuda *cuda;
	const struct gt_fn *event_info;           /* clGetEventInfo; NULL: the trace's table lacks it */
	uint64_t *calls;                          /* so far, by thread */
	struct gt_cuda_place *places; uint32_t room;
	struct gt_arguments arguments;
	struct gt_peaks peaks;
	int (*take)(void *ctx, const struct gt_dispatch *d, struct gt_err *err);
	void *ctx;
};

static int no_memory(struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_OUTPUT, "out of memory", NULL, "the kernels could not be listed");
}

/* ------------------------------------------------------------------ OpenCL */

static int give_opencl(struct dispatches *all, const struct gt_call *call, uint64_t index, struct gt_err *err)
{
	const struct gt_command *c = call->command;
	struct gt_dispatch d = {
		.process = call->process, .tid = gt_call_tid(call), .thread = call->thread, .call_ns = call->start_ns,
		.call_index = index, .opencl = c,
		.kernel_key = c->kernel ? c->kernel->id + 1ull : 0,
		.device_key = c->device ? c->device->device_index + 1ull : 0,
		.dims = c->work_dim, .has_global = c->has_global, .has_group = c->local_source != REC_LOCAL_UNKNOWN,
		.timed = c->timed, .start_ns = c->start_ns, .end_ns = c->end_ns,
		.arguments = gt_arguments_of(&all->arguments, c->kernel),
	};

	if (c->device)
		d.device = c->device->name;
	d.peak = gt_peak_of(&all->peaks, c->device);
	if (c->kernel)
		d.kernel = c->kernel->name;
	if (!d.dims) {                            /* a task: one work-item */
		d.dims = 1;
		d.has_global = d.has_group = true;
		d.global[0] = d.group[0] = 1;
	} else {
		memcpy(d.global, c->global_size, sizeof d.global);
		memcpy(d.group, c->local_size, sizeof d.group);
	}
	for (uint32_t i = d.dims; i < 3; i++)
		d.global[i] = d.group[i] = 1;
	return all->take(all->ctx, &d, err);
}

bool gt_dispatch_on_cpu(const struct gt_dispatch *d)
{
	return d->opencl && d->opencl->device && d->opencl->device->device_type & DEVICE_TYPE_CPU;
}

static bool number(const struct gt_attr *a, uint64_t *out)
{
	if (a->bytes != 4 && a->bytes != 8)
		return false;
	*out = 0;
	memcpy(out, a->value, a->bytes);
	return true;
}

bool gt_dispatch_device_number(const struct gt_dispatch *d, uint32_t key, uint64_t *out)
{
	const struct gt_object *device = d->opencl ? d->opencl->device : NULL;
	const struct gt_attr *a = device ? gt_object_attr(device, key) : NULL;

	return a && number(a, out);
}

bool gt_dispatch_kernel_number(const struct gt_dispatch *d, uint32_t key, uint64_t *out)
{
	const struct gt_attr *a = d->opencl && d->opencl->kernel && d->opencl->device
		? gt_kernel_attr(d->opencl->kernel, d->opencl->device, key)
		: NULL;

	return a && number(a, out);
}

/* ------------------------------------------------------------------ CUDA */

/* call: NULL when it is not in the trace. */
static int give_cuda(struct dispatches *all, const struct gt_cuda_event *e, const struct gt_call *call, uint64_t index,
	struct gt_err *err)
{
	struct gt_dispatch d = {
		.process = e->process, .tid = call ? gt_call_tid(call) : -1,
		.thread = call ? call->thread : GT_CUDA_NONE, .call_ns = call ? call->start_ns : GT_NO_TIME,
		.call_index = index, .cuda = e, .dims = 3,
		.cuda_device = gt_cuda_device_of(all->cuda, e->process, e->device),
		.has_global = true, .has_group = true, .timed = e->timed, .start_ns = e->start_ns, .end_ns = e->end_ns,
	};

	if (e->kernel.has_name) {
		d.kernel = e->kernel.demangled;
		d.kernel_key = (uintptr_t)e->kernel.demangled.text;
	}
	if (d.cuda_device) {
		d.device = d.cuda_device->name;
		d.device_key = d.cuda_device->index + 1ull;
	}
	for (int i = 0; i < 3; i++) {
		d.group[i] = e->kernel.block[i];
		d.global[i] = (uint64_t)e->kernel.grid[i] * e->kernel.block[i];
	}
	return all->take(all->ctx, &d, err);
}

static int give_work(struct dispatches *all, const struct gt_call *call, uint64_t index, struct gt_err *err)
{
	const struct gt_cuda_event *c = call->cuda;
	uint32_t n = gt_cuda_work_of(all->cuda, c->process, c->correlation, c->start_ns, all->places, all->room);

	if (n > all->room) {
		struct gt_cuda_place *more = realloc(all->places, n * sizeof *more);

		if (!more)
			return no_memory(err);
		all->places = more;
		all->room = n;
		n = gt_cuda_work_of(all->cuda, c->process, c->correlation, c->start_ns, all->places, all->room);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct gt_cuda_event e;

		if (all->places[i].kind != GT_CUDA_KERNEL)
			continue;
		if (gt_cuda_get(all->cuda, GT_CUDA_KERNEL, all->places[i].index, &e, err) ||
			give_cuda(all, &e, call, index, err))
			return -1;
	}
	return 0;
}

static int give_without_call(struct dispatches *all, struct gt_err *err)
{
	const struct gt_walk_options *w = all->walk;

	for (uint64_t i = 0; i < gt_cuda_count(all->cuda, GT_CUDA_KERNEL); i++) {
		struct gt_cuda_event e;

		if ((w->process >= 0 && gt_cuda_process_at(all->cuda, GT_CUDA_KERNEL, i) != (uint32_t)w->process) ||
			gt_cuda_has_call(all->cuda, GT_CUDA_KERNEL, i))
			continue;
		if (gt_cuda_get(all->cuda, GT_CUDA_KERNEL, i, &e, err))
			return -1;
		if (gt_cuda_inside(all->cuda, &e, w->from_ns, w->to_ns) && give_cuda(all, &e, NULL, GT_NO_CALL, err))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------------ all */

static int take_call(struct dispatches *all, const struct gt_call *call, struct gt_err *err)
{
	uint64_t index = GT_NO_CALL;

	if (call->is_callback)
		return 0;
	if (call->thread < gt_model_thread_count(all->model) && call->fn != all->event_info)
		index = all->calls[call->thread]++;
	gt_arguments_follow(&all->arguments, call);
	if (call->outside)
		return 0;
	if (call->cuda)
		return give_work(all, call, index, err);
	if (call->command && call->command->is_kernel && call->command->type != NATIVE_KERNEL && call->result == 0)
		return give_opencl(all, call, index, err);
	return 0;
}

int gt_dispatches(struct gt_model *m, const struct gt_walk_options *walk,
	int (*take)(void *ctx, const struct gt_dispatch *d, struct gt_err *err), void *ctx, struct gt_err *err)
{
	struct gt_walk_options options = *walk;
	struct dispatches all = { .model = m, .walk = walk, .cuda = gt_model_cuda(m, err), .take = take, .ctx = ctx,
		.event_info = gt_fntable_find_name(gt_model_table(m), "clGetEventInfo") };
	const struct gt_call *call;
	struct gt_walk *w;
	int rc;

	if (!all.cuda || gt_peaks_open(&all.peaks, m, err))
		return -1;
	all.calls = calloc(gt_model_thread_count(m) + 1u, sizeof *all.calls);
	if (!all.calls) {
		gt_peaks_close(&all.peaks);
		return no_memory(err);
	}
	gt_arguments_open(&all.arguments, m);
	/* A call's number counts those before the window too. */
	options.cuda = options.outside = true;
	rc = gt_walk_open(m, &options, &w, err);
	if (rc == 0) {
		while ((rc = gt_walk_next(w, &call, err)) > 0 && !(rc = take_call(&all, call, err)))
			;
		if (rc == 0)
			rc = give_without_call(&all, err);
		gt_walk_close(w);
	}
	gt_arguments_close(&all.arguments);
	gt_peaks_close(&all.peaks);
	free(all.calls);
	free(all.places);
	return rc ? -1 : 0;
}
