/*
 * model/timeline/cuda.c - CUDA activities: an array per kind, sorted by start, is a source as it stands
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include <string.h>

#include "model/timeline/internal.h"
#include "model/window.h"

/* on: track of what has no thread of its own */
struct gt_tl_cuda_kind {
	enum gt_cuda_kind kind;
	enum gt_item_kind item;
	enum gt_track_kind on;
	const char *name; /* of items that have no better one */
};

static const struct gt_tl_cuda_kind cuda_kinds[] = {
	{ GT_CUDA_KERNEL, GT_ITEM_KERNEL, GT_TRACK_QUEUE, "unknown kernel" },
	{ GT_CUDA_COPY, GT_ITEM_COPY, GT_TRACK_QUEUE, "copy" },
	{ GT_CUDA_FILL, GT_ITEM_FILL, GT_TRACK_QUEUE, "fill" },
	{ GT_CUDA_GRAPH, GT_ITEM_GRAPH, GT_TRACK_QUEUE, "graph launch" },
	{ GT_CUDA_DECOMPRESS, GT_ITEM_COMMAND, GT_TRACK_QUEUE, "decompression" },
	{ GT_CUDA_MANAGED, GT_ITEM_MIGRATION, GT_TRACK_MEMORY, "unified memory" },
	{ GT_CUDA_SYNC, GT_ITEM_SYNC, GT_TRACK_WAITS, "synchronization" },
	{ GT_CUDA_HOST_FUNCTION, GT_ITEM_CALLBACK, GT_TRACK_EVENTS, "host function" },
	{ GT_CUDA_OVERHEAD, GT_ITEM_OVERHEAD, GT_TRACK_EVENTS, "overhead" },
	{ GT_CUDA_JIT, GT_ITEM_OVERHEAD, GT_TRACK_EVENTS, "just-in-time compilation" },
	{ GT_CUDA_MEMORY, GT_ITEM_MOMENT, GT_TRACK_EVENTS, "memory" },
	{ GT_CUDA_POOL, GT_ITEM_MOMENT, GT_TRACK_EVENTS, "memory pool" },
	{ GT_CUDA_GRAPH_EVENT, GT_ITEM_MOMENT, GT_TRACK_EVENTS, "graph" },
	{ GT_CUDA_NODE_EVENT, GT_ITEM_MOMENT, GT_TRACK_EVENTS, "graph node" },
	{ GT_CUDA_EVENT_RECORD, GT_ITEM_MOMENT, GT_TRACK_EVENTS, "event recorded" },
};

/* ---- names ---- */

static const char *nth(const char *const *names, size_t n, int64_t i, const char *otherwise)
{
	return i >= 0 && (uint64_t)i < n && names[i] ? names[i] : otherwise;
}
#define NTH(names, i, otherwise) nth(names, sizeof(names) / sizeof *(names), (i), (otherwise))

static const char *graph_name(enum rec_cupti_event what, const char *otherwise)
{
	switch (what) {
	case REC_CUPTI_GRAPH_CREATED:
		return "graph created";
	case REC_CUPTI_GRAPH_CLONED:
		return "graph cloned";
	case REC_CUPTI_GRAPH_DESTROYED:
		return "graph destroyed";
	case REC_CUPTI_GRAPH_EXEC_CREATED:
		return "graph instantiated";
	case REC_CUPTI_GRAPH_EXEC_DESTROYED:
		return "executable graph destroyed";
	case REC_CUPTI_NODE_CREATED:
		return "graph node created";
	case REC_CUPTI_NODE_CLONED:
		return "graph node cloned";
	case REC_CUPTI_NODE_DESTROYED:
		return "graph node destroyed";
	default:
		return otherwise;
	}
}

static struct gt_string name_of(const struct gt_cuda_event *e, const char *otherwise)
{
	static const char *const copies[] = { "copy Unknown", "copy Host-to-Device", "copy Device-to-Host",
		"copy Host-to-Array", "copy Array-to-Host", "copy Array-to-Array", "copy Array-to-Device",
		"copy Device-to-Array", "copy Device-to-Device", "copy Host-to-Host", "copy Peer-to-Peer" };
	static const char *const managed[] = { NULL, "Unified Host-to-Device", "Unified Device-to-Host",
		"CPU page fault", "GPU page fault", "thrashing", "throttling", "remote map",
		"Unified Device-to-Device" };
	static const char *const waits[] = { NULL, "event synchronization", "stream waits for event",
		"stream synchronization", "context synchronization" };
	static const char *const memory[] = { NULL, "memory allocated", "memory released" };
	static const char *const pools[] = { NULL, "memory pool created", "memory pool destroyed",
		"memory pool trimmed" };

	switch (e->kind) {
	case GT_CUDA_KERNEL:
		return e->kernel.has_name ? e->kernel.short_name : gt_tl_text(otherwise);
	case GT_CUDA_COPY:
		return gt_tl_text(NTH(copies, e->copy.copy_kind, otherwise));
	case GT_CUDA_MANAGED:
		return gt_tl_text(NTH(managed, e->managed.counter, otherwise));
	case GT_CUDA_SYNC:
		return gt_tl_text(NTH(waits, e->sync.type, otherwise));
	case GT_CUDA_MEMORY:
		return gt_tl_text(NTH(memory, e->memory.operation, otherwise));
	case GT_CUDA_POOL:
		return gt_tl_text(NTH(pools, e->pool.operation, otherwise));
	case GT_CUDA_GRAPH_EVENT:
	case GT_CUDA_NODE_EVENT:
		return gt_tl_text(graph_name(e->graph_event.what, otherwise));
	default:
		return gt_tl_text(otherwise);
	}
}

/* ---- what is pending ---- */

static uint64_t bytes_of(const struct gt_cuda_event *e)
{
	return e->kind == GT_CUDA_COPY ? e->copy.bytes : e->kind == GT_CUDA_FILL ? e->fill.bytes : 0;
}

static bool count_work(struct gt_timeline *t, const struct gt_cuda_event *e, int64_t from_ns)
{
	uint32_t track = gt_tl_track_cuda(t, e, GT_TRACK_QUEUE);

	return track != GT_NO_TRACK && gt_tl_count(t, track, from_ns, e->end_ns, bytes_of(e));
}

/* Memory of a device, or one that migrates to it. CUPTI: 3 device, 5 managed; 1 allocation, 2 release. */
static bool count_memory(struct gt_timeline *t, const struct gt_cuda_event *e)
{
	uint32_t track;
	int64_t bytes = (int64_t)(e->memory.bytes & INT64_MAX);

	if (!t->options.counters || (e->memory.mem_kind != 3 && e->memory.mem_kind != 5) ||
		(e->memory.operation != 1 && e->memory.operation != 2))
		return true;
	track = gt_tl_track_cuda(t, e, GT_TRACK_DEVICE);
	return track != GT_NO_TRACK &&
		gt_tl_count_step(t, track, e->start_ns, e->memory.operation == 1 ? bytes : -bytes);
}

int gt_tl_cuda_call(struct gt_timeline *t, const struct gt_call *call, struct gt_err *err)
{
	uint32_t correlation = call->cuda->correlation, n, room = 8;
	struct gt_cuda_place few[8], *all = few;
	struct gt_cuda_event e;
	int rc = 0;

	if (correlation == GT_CUDA_NONE || !correlation || call->cuda->call.nested)
		return 0;
	n = gt_cuda_work_of(t->cuda, call->process, correlation, call->cuda->start_ns, few, room);
	if (n > room) { /* a graph, node by node */
		all = malloc(n * sizeof *all);
		if (!all)
			return gt_tl_no_memory(t, err);
		n = gt_cuda_work_of(t->cuda, call->process, correlation, call->cuda->start_ns, all, n);
	}
	for (uint32_t i = 0; i < n && !rc; i++) {
		int64_t start, end;
		bool timed = gt_cuda_span(t->cuda, all[i].kind, all[i].index, &start, &end);

		t->call_has_work |= timed;
		t->call_works += timed && gt_tl_overlaps(t, start, end);
		if (!timed || !t->options.counters)
			continue;
		if (gt_cuda_get(t->cuda, all[i].kind, all[i].index, &e, err))
			rc = -1;
		else if (!count_work(t, &e, call->start_ns))
			rc = gt_tl_no_memory(t, err);
	}
	if (all != few)
		free(all);
	return rc;
}

/* ---- the source ---- */

/* What was allocated when the window opens. */
static int count_before(struct gt_timeline *t, const struct gt_tl_source *s, int64_t start, struct gt_err *err)
{
	if (s->cuda->kind != GT_CUDA_MEMORY || !t->options.counters || start == GT_NO_TIME)
		return 0;
	if (gt_cuda_get(t->cuda, s->cuda->kind, s->at, &t->event, err))
		return -1;
	return count_memory(t, &t->event) ? 0 : gt_tl_no_memory(t, err);
}

static int step(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	int64_t start = 0, end = 0;

	for (s->at += s->ready; s->at < s->n; s->at++) {
		bool timed = gt_cuda_span(t->cuda, s->cuda->kind, s->at, &start, &end);

		if (!gt_tl_wants(t, gt_cuda_process_at(t->cuda, s->cuda->kind, s->at)))
			continue;
		if (start == GT_NO_TIME || gt_tl_overlaps(t, start, timed ? end : start))
			break;
		if (gt_cuda_get(t->cuda, s->cuda->kind, s->at, &t->event, err))
			return -1;
		if (gt_cuda_inside(t->cuda, &t->event, t->options.from_ns, t->options.to_ns))
			break;
		if (t->options.to_ns != GT_NO_TIME && start > t->options.to_ns) {
			if (!gt_cuda_may_follow(&t->event))
				s->n = s->at; /* sorted by start */
		} else if (count_before(t, s, start, err))
			return -1;
	}
	s->ready = s->at < s->n;
	s->key = (struct gt_tl_key){ start, end,
		gt_item_facts[s->cuda->item].where == GT_WHERE_DEVICE ? GT_TL_DEVICE : GT_TL_HOST };
	return 0;
}

static uint32_t track_of(struct gt_timeline *t, const struct gt_tl_cuda_kind *k, const struct gt_cuda_event *e)
{
	if (k->on != GT_TRACK_EVENTS)
		return gt_tl_track_cuda(t, e, k->on);
	return e->thread != GT_CUDA_NONE ? gt_tl_track_thread(t, e->process, e->thread, -1)
					 : gt_tl_track_events(t, e->process, "CUDA");
}

static int take(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_cuda_event *e = &t->event;
	bool device, called;

	if (gt_cuda_get(t->cuda, s->cuda->kind, s->at, &t->event, err))
		return -1;
	device = e->kind == GT_CUDA_KERNEL || e->kind == GT_CUDA_COPY || e->kind == GT_CUDA_FILL ||
		e->kind == GT_CUDA_GRAPH;
	item->kind = s->cuda->item;
	item->process = e->process;
	item->thread = e->thread == GT_CUDA_NONE ? GT_NO_THREAD : e->thread;
	item->track = track_of(t, s->cuda, e);
	item->start_ns = e->start_ns;
	item->timed = s->cuda->item == GT_ITEM_MOMENT ? e->start_ns != GT_NO_TIME : e->timed;
	item->end_ns = s->cuda->item == GT_ITEM_MOMENT ? e->start_ns : e->timed ? e->end_ns : GT_NO_TIME;
	item->name = name_of(e, s->cuda->name);
	item->correlation = e->correlation == GT_CUDA_NONE ? 0 : e->correlation;
	item->cuda = e;
	called = (device || e->kind == GT_CUDA_SYNC) && gt_cuda_has_call(t->cuda, e->kind, s->at);
	item->link = called ? gt_tl_link(GT_FAMILY_CUDA, e->process, item->correlation) : 0;
	if (device && e->timed && t->options.counters && !called && !count_work(t, e, e->start_ns))
		return gt_tl_no_memory(t, err);
	if (e->kind == GT_CUDA_MEMORY && e->timed && !count_memory(t, e))
		return gt_tl_no_memory(t, err);
	return 0;
}

int gt_tl_open_cuda(struct gt_timeline *t, struct gt_err *err)
{
	(void)err;
	for (unsigned i = 0; i < sizeof cuda_kinds / sizeof *cuda_kinds; i++) {
		uint64_t n = gt_cuda_count(t->cuda, cuda_kinds[i].kind);
		struct gt_tl_source *s;

		if (!n)
			continue;
		s = gt_tl_add(t, step, take);
		s->cuda = &cuda_kinds[i];
		s->n = n;
	}
	return 0;
}
