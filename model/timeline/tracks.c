/*
 * model/timeline/tracks.c - the table of tracks: whose items they are, and what they are under
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/memory.h"
#include "model/timeline/internal.h"

/* ---- the table ---- */

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_tl_track_slot *x = element, *y = key;

	(void)ctx;
	return x->kind == y->kind && x->process == y->process && x->a == y->a && x->b == y->b;
}

static struct gt_track *new_track(struct gt_timeline *t)
{
	struct gt_track *track = gt_arena_alloc(&t->arena, sizeof *track);

	if (!gt_grow((void **)&t->tracks, t->n_tracks, &t->tracks_room, sizeof *t->tracks))
		return NULL;
	if (!track)
		return NULL;
	t->tracks[t->n_tracks] = track;
	track->index = t->n_tracks++;
	return track;
}

/*
 * The track with that key, made as `like` when it is not there: *fresh says so. Only then is its name copied from
 * `name`, and what it is under must be in `like`.
 */
static struct gt_track *find(
	struct gt_timeline *t, enum gt_track_kind kind, uint32_t process, uint64_t a, uint64_t b, bool *fresh)
{
	struct gt_tl_track_slot key = { a, b, kind, process, GT_NO_TRACK }, *s;
	uint64_t hash = gt_hash(gt_hash(gt_hash(GT_HASH, (uint64_t)kind << 32 | process), a), b);
	struct gt_track *track;

	*fresh = false;
	s = gt_map_find(&t->track_of, sizeof key, hash, &key, same, NULL);
	if (s)
		return t->tracks[s->track];
	track = new_track(t);
	s = track ? gt_map_add(&t->track_of, sizeof key, hash, &key, same, NULL, fresh) : NULL;
	if (!s)
		return NULL;
	key.track = track->index;
	*s = key;
	track->kind = kind;
	track->process = process;
	track->parent = GT_NO_TRACK;
	track->thread = GT_NO_THREAD;
	track->tid = -1;
	track->context = track->stream = GT_CUDA_NONE;
	track->name = gt_tl_text("");
	return track;
}

static bool set_name(struct gt_timeline *t, struct gt_track *track, const char *text, size_t bytes)
{
	track->name = (struct gt_string){ gt_arena_copy(&t->arena, text, bytes), bytes };
	return track->name.text;
}

static bool set_number(struct gt_timeline *t, struct gt_track *track, const char *what, uint64_t number)
{
	char text[64];
	int n = snprintf(text, sizeof text, "%s %llu", what, (unsigned long long)number);

	return set_name(t, track, text, (size_t)n);
}

/* ---- processes and threads ---- */

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static uint32_t process_track(struct gt_timeline *t, uint32_t process)
{
	bool fresh;
	struct gt_track *track = find(t, GT_TRACK_PROCESS, process, 0, 0, &fresh);

	if (track && fresh) {
		track->name = gt_tl_text(base_name(gt_model_process(t->m, process)->image));
		track->nests = true;
	}
	return track ? track->index : GT_NO_TRACK;
}

/* A track of its own kind under the process. */
static struct gt_track *under_process(
	struct gt_timeline *t, enum gt_track_kind kind, uint32_t process, uint64_t a, uint64_t b, bool *fresh)
{
	struct gt_track *track;
	uint32_t parent;

	*fresh = false;
	parent = process_track(t, process);
	if (parent == GT_NO_TRACK)
		return NULL;
	track = find(t, kind, process, a, b, fresh);
	if (track && *fresh)
		track->parent = parent;
	return track;
}

uint32_t gt_tl_track_thread(struct gt_timeline *t, uint32_t process, uint32_t thread, int tid)
{
	bool known = thread != GT_NO_THREAD, fresh;
	struct gt_track *track =
		under_process(t, GT_TRACK_THREAD, process, known ? thread : (uint32_t)tid, known, &fresh);

	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		const struct gt_thread *of = known ? gt_model_thread(t->m, thread) : NULL;

		track->thread = thread;
		track->tid = of ? of->tid : tid;
		track->name = gt_tl_text(of && of->name ? of->name : "");
		track->nests = true;
	}
	return track->index;
}

static uint32_t under_thread(
	struct gt_timeline *t, enum gt_track_kind kind, uint32_t process, uint32_t thread, const char *name)
{
	uint32_t parent = gt_tl_track_thread(t, process, thread, -1);
	bool fresh;
	struct gt_track *track = parent == GT_NO_TRACK ? NULL : find(t, kind, process, thread, 0, &fresh);

	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		track->parent = parent;
		track->thread = thread;
		track->nests = true;
		track->name = gt_tl_text(name);
	}
	return track->index;
}

uint32_t gt_tl_track_states(struct gt_timeline *t, uint32_t process, uint32_t thread)
{
	return under_thread(t, GT_TRACK_STATES, process, thread,
		t->estimates.n ? "scheduling (estimated)" : "scheduling");
}

uint32_t gt_tl_track_tracepoints(struct gt_timeline *t, uint32_t process, uint32_t thread)
{
	return under_thread(t, GT_TRACK_TRACEPOINTS, process, thread, "tracepoints");
}

uint32_t gt_tl_track_events(struct gt_timeline *t, uint32_t process, const char *name)
{
	bool fresh;
	struct gt_track *track = under_process(t, GT_TRACK_EVENTS, process, (uintptr_t)name, 0, &fresh);

	if (track && fresh)
		track->name = gt_tl_text(name);
	return track ? track->index : GT_NO_TRACK;
}

uint32_t gt_tl_track_other(struct gt_timeline *t, uint32_t process, uint32_t type)
{
	bool fresh;
	struct gt_track *track = under_process(t, GT_TRACK_OTHER, process, type, 0, &fresh);

	if (!track || (fresh && !set_number(t, track, "unknown records", type)))
		return GT_NO_TRACK;
	return track->index;
}

uint32_t gt_tl_track_range(struct gt_timeline *t, const struct gt_range *r)
{
	bool started = r->kind == REC_NVTX_START, fresh;
	uint32_t parent;
	struct gt_track *track;

	parent = started ? process_track(t, r->process) : gt_tl_track_thread(t, r->process, r->thread, -1);
	if (parent == GT_NO_TRACK)
		return GT_NO_TRACK;
	track = find(
		t, started ? GT_TRACK_RANGES : GT_TRACK_PUSHES, r->process, r->domain, started ? 0 : r->thread, &fresh);
	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		track->family = GT_FAMILY_NVTX;
		track->parent = parent;
		track->thread = started ? GT_NO_THREAD : r->thread;
		track->domain = r->domain;
		track->nests = !started;
		track->name = r->domain_name.bytes ? r->domain_name : gt_tl_text("NVTX");
	}
	return track->index;
}

/* ---- devices and queues ---- */

static uint32_t find_device(struct gt_timeline *t, enum gt_family family, uint64_t number, struct gt_string name,
	const struct gt_object *object, const struct gt_cuda_device *cuda)
{
	bool fresh;
	struct gt_track *track = find(t, GT_TRACK_DEVICE, UINT32_MAX, family, number, &fresh);

	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		track->family = family;
		track->object = object;
		track->device = cuda;
		if (name.bytes ? !set_name(t, track, name.text, strnlen(name.text, name.bytes))
			       : !set_name(t, track, "unknown device", 14))
			return GT_NO_TRACK;
	}
	return track->index;
}

static uint32_t opencl_device(struct gt_timeline *t, const struct gt_object *d)
{
	return find_device(
		t, GT_FAMILY_OPENCL, d ? d->device_index : UINT64_MAX, d ? d->name : gt_tl_text(""), d, NULL);
}

uint32_t gt_tl_track_queue(struct gt_timeline *t, uint32_t process, const struct gt_command *c)
{
	const struct gt_object *q = c->queue;
	bool fresh;
	uint32_t device = opencl_device(t, c->device);
	struct gt_track *track;

	if (device == GT_NO_TRACK)
		return GT_NO_TRACK;
	track = find(
		t, GT_TRACK_QUEUE, process, q ? q->id + 1ull : 0, (uint64_t)GT_FAMILY_OPENCL << 32 | device, &fresh);
	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		track->family = GT_FAMILY_OPENCL;
		track->parent = device;
		track->object = q;
		if (q ? !set_number(t, track, "queue", q->id) : !set_name(t, track, "unknown queue", 13))
			return GT_NO_TRACK;
	}
	return track->index;
}

static const struct gt_cuda_device *cuda_device(struct gt_timeline *t, const struct gt_cuda_event *e)
{
	const struct gt_cuda_context *c;
	uint32_t id = e->device;

	if (id == GT_CUDA_NONE && e->context != GT_CUDA_NONE) {
		c = gt_cuda_context_of(t->cuda, e->process, e->context);
		id = c ? c->device : GT_CUDA_NONE;
	}
	return id == GT_CUDA_NONE ? NULL : gt_cuda_device_of(t->cuda, e->process, id);
}

static uint32_t cuda_device_track(struct gt_timeline *t, const struct gt_cuda_event *e)
{
	const struct gt_cuda_device *d = cuda_device(t, e);
	/* not described: one of its own by process and number */
	uint64_t number = d ? d->index : 1ull << 62 | (uint64_t)e->process << 32 | e->device;

	return find_device(t, GT_FAMILY_CUDA, number, d ? d->name : gt_tl_text(""), NULL, d);
}

static bool name_stream(struct gt_timeline *t, struct gt_track *track, const struct gt_cuda_event *e)
{
	const struct gt_cuda_context *c =
		e->context == GT_CUDA_NONE ? NULL : gt_cuda_context_of(t->cuda, e->process, e->context);

	if (e->stream == GT_CUDA_NONE)
		return set_name(t, track, "unknown stream", 14);
	return set_number(t, track, c && c->null_stream == e->stream ? "default stream" : "stream", e->stream);
}

uint32_t gt_tl_track_cuda(struct gt_timeline *t, const struct gt_cuda_event *e, enum gt_track_kind kind)
{
	uint64_t place = (uint64_t)e->context << 32 | (kind == GT_TRACK_QUEUE ? e->stream : 0);
	struct gt_track *track;
	bool fresh, named = true;
	uint32_t parent;

	if (kind == GT_TRACK_DEVICE)
		return cuda_device_track(t, e);
	parent = kind == GT_TRACK_WAITS ? process_track(t, e->process) : cuda_device_track(t, e);
	if (parent == GT_NO_TRACK)
		return GT_NO_TRACK;
	track = find(t, kind, e->process, place, (uint64_t)GT_FAMILY_CUDA << 32 | parent, &fresh);
	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		track->family = GT_FAMILY_CUDA;
		track->parent = parent;
		track->context = e->context;
		if (kind == GT_TRACK_QUEUE) {
			track->stream = e->stream;
			named = name_stream(t, track, e);
		} else if (kind == GT_TRACK_MEMORY) {
			track->name = gt_tl_text("unified memory");
		} else {
			named = set_number(t, track, "waits of context", e->context);
		}
	}
	return named ? track->index : GT_NO_TRACK;
}

uint32_t gt_tl_track_hsa(struct gt_timeline *t, const struct gt_hsa_kernel *k)
{
	uint32_t device = find_device(t, GT_FAMILY_HSA, k->device_index, k->agent_name, NULL, NULL);
	struct gt_track *track;
	bool fresh;

	if (device == GT_NO_TRACK)
		return GT_NO_TRACK;
	track = find(t, GT_TRACK_QUEUE, k->process, k->queue, (uint64_t)GT_FAMILY_HSA << 32 | device, &fresh);
	if (!track)
		return GT_NO_TRACK;
	if (fresh) {
		track->family = GT_FAMILY_HSA;
		track->parent = device;
		if (!set_number(t, track, "queue", k->queue_index))
			return GT_NO_TRACK;
	}
	return track->index;
}

uint32_t gt_tl_track_counter(struct gt_timeline *t, uint32_t of, const char *name, enum gt_unit unit)
{
	bool fresh;
	struct gt_track *track = find(t, GT_TRACK_COUNTER, UINT32_MAX, of, unit, &fresh);

	if (track && fresh) {
		track->parent = of;
		track->process = t->tracks[of]->process;
		track->family = t->tracks[of]->family;
		track->unit = unit;
		track->name = gt_tl_text(name);
	}
	return track ? track->index : GT_NO_TRACK;
}

void gt_tl_tracks_free(struct gt_timeline *t)
{
	free(t->tracks);
	gt_map_free(&t->track_of, sizeof(struct gt_tl_track_slot));
}
