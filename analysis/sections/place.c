/*
 * analysis/sections/place.c - where a kernel stands in time among all that its queue or stream did
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/place.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ OpenCL */

/* Of commands that are no kernels: CL_COMMAND_* from 0x11F3 on, and unified memory. */
static const char *kind_of(uint32_t type)
{
	switch (type) {
	case 0x11F3: case 0x11F6: case 0x1201: return "read";
	case 0x11F4: case 0x11F7: case 0x1202: return "write";
	case 0x11F5: case 0x11F8: case 0x11F9: case 0x11FA: case 0x1203: case 0x120A: return "copy";
	case 0x11FB: case 0x11FC: case 0x120C: return "map";
	case 0x11FD: case 0x120D: return "unmap";
	case 0x1206: case 0x120E: return "migration";
	case 0x1207: case 0x1208: case 0x120B: return "fill";
	default: return "command";
	}
}

static int add_commands(struct gt_places *p, struct gt_model *m, struct gt_err *err)
{
	const struct gt_walk_options all = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	const struct gt_call *call;
	struct gt_walk *w;
	int rc = gt_walk_open(m, &all, &w, err);

	if (rc)
		return rc;
	while ((rc = gt_walk_next(w, &call, err)) > 0) {
		const struct gt_command *c = call->command;
		struct gt_work *one = c && c->timed && c->queue ? GT_LIST_ADD(&p->v) : NULL;

		gt_unused_follow(&p->unused, call);
		if (!c || !c->timed || !c->queue)
			continue;
		if (!one) {
			rc = gt_no_memory(err);
			break;
		}
		*one = (struct gt_work){ .process = call->process, .queue = c->queue->id,
			.device = c->device ? c->device->device_index : UINT32_MAX,
			.start_ns = c->start_ns, .end_ns = c->end_ns, .kernel = c->is_kernel, .kind = kind_of(c->type),
			.bytes = c->bytes, .has_bytes = c->has_bytes };
	}
	gt_walk_close(w);
	return rc < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------ CUDA */

#define CUDA_STREAM (1ull << 63)                  /* OpenCL's queues have small numbers, and so have its devices */
#define CUDA_DEVICE (1u << 31)

static uint64_t stream_key(const struct gt_cuda_event *e)
{
	return CUDA_STREAM | (uint64_t)(e->context & 0x7fffffff) << 32 | e->stream;
}

static int add_activities(struct gt_places *p, struct gt_cuda *c, enum gt_cuda_kind kind, struct gt_err *err)
{
	for (uint64_t i = 0; i < gt_cuda_count(c, kind); i++) {
		struct gt_cuda_event e;
		struct gt_work *one;

		if (gt_cuda_get(c, kind, i, &e, err))
			return -1;
		if (!e.timed)
			continue;
		one = GT_LIST_ADD(&p->v);
		if (!one)
			return gt_no_memory(err);
		*one = (struct gt_work){ .process = e.process, .queue = stream_key(&e),
			.device = e.device == GT_CUDA_NONE ? UINT32_MAX : CUDA_DEVICE | e.device,
			.start_ns = e.start_ns, .end_ns = e.end_ns, .kernel = kind == GT_CUDA_KERNEL,
			.kind = kind == GT_CUDA_COPY ? "copy" : "fill" };
		if (kind == GT_CUDA_COPY) {
			one->direction = gt_cuda_copy_text(e.copy.copy_kind);
			one->memory = gt_cuda_mem_text(
				e.copy.copy_kind == 1 ? e.copy.src_kind : e.copy.dst_kind);
			one->bytes = e.copy.bytes;
			one->has_bytes = true;
		} else if (kind == GT_CUDA_FILL) {
			one->bytes = e.fill.bytes;
			one->has_bytes = true;
		}
	}
	return 0;
}

/* ------------------------------------------------------------------ all */

static int by_queue(const void *l, const void *r)
{
	const struct gt_work *a = l, *b = r;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->queue != b->queue)
		return a->queue < b->queue ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

static void find_ends(struct gt_places *p)
{
	int64_t latest = GT_NO_TIME;

	for (uint32_t i = 0; i < p->v.n; i++) {
		struct gt_work *w = &p->v.v[i];

		if (!i || w[-1].process != w->process || w[-1].queue != w->queue)
			latest = GT_NO_TIME;
		w->before_ns = latest;
		if (latest == GT_NO_TIME || w->end_ns > latest)
			latest = w->end_ns;
	}
}

int gt_places_open(struct gt_places *p, struct gt_model *m, struct gt_err *err)
{
	static const enum gt_cuda_kind kinds[] = { GT_CUDA_KERNEL, GT_CUDA_COPY, GT_CUDA_FILL };
	struct gt_cuda *c = gt_model_cuda(m, err);
	int rc;

	gt_unused_open(&p->unused, m);
	rc = c ? add_commands(p, m, err) : -1;

	for (size_t i = 0; !rc && i < sizeof kinds / sizeof *kinds; i++)
		rc = add_activities(p, c, kinds[i], err);
	gt_unused_end(&p->unused);
	if (p->v.n)
		qsort(p->v.v, p->v.n, sizeof *p->v.v, by_queue);
	find_ends(p);
	return rc;
}

uint64_t gt_place_queue(const struct gt_dispatch *d)
{
	if (d->cuda)
		return stream_key(d->cuda);
	return d->opencl->queue ? d->opencl->queue->id : UINT64_MAX;
}

const struct gt_work *gt_place_find(
	const struct gt_places *p, uint64_t process, uint64_t queue, int64_t start_ns, int64_t end_ns)
{
	const struct gt_work key = { .process = process, .queue = queue, .start_ns = start_ns, .end_ns = end_ns };

	return p->v.n ? bsearch(&key, p->v.v, p->v.n, sizeof key, by_queue) : NULL;
}

const struct gt_work *gt_place_of(const struct gt_places *p, const struct gt_dispatch *d)
{
	return d->timed ? gt_place_find(p, d->process, gt_place_queue(d), d->start_ns, d->end_ns) : NULL;
}

void gt_places_close(struct gt_places *p)
{
	gt_unused_close(&p->unused);
	free(p->v.v);
	*p = (struct gt_places){ 0 };
}
