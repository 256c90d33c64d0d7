/*
 * model/cuda/objects.c - devices, contexts, streams and modules, as CUPTI's records told
 *
 * Each is told more than once (late attach, several buffers): the last word counts.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/search.h"
#include "model/cuda/internal.h"
#include "model/sort.h"

/* Where in its list an object is. A damaged trace may tell of as many as it has records. */
struct placed { uint64_t key[2]; uint32_t at; };

static bool same_key(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return !memcmp(((const struct placed *)element)->key, key, sizeof(uint64_t[2]));
}

/* Its place in the map; one that is new has `next` as its place in the list. */
static struct placed *placed_at(struct gt_map *m, uint64_t high, uint64_t low, uint32_t next)
{
	const uint64_t key[2] = { high, low };
	struct placed *p;
	bool fresh;

	p = gt_map_add(m, sizeof *p, gt_hash_text((const char *)key, sizeof key), key, same_key, NULL, &fresh);
	if (p && fresh)
		*p = (struct placed){ .key = { high, low }, .at = next };
	return p;
}

void gt_cuda_objects_forget(struct gt_cuda *c)
{
	gt_map_free(&c->device_map, sizeof(struct placed));
	gt_map_free(&c->context_map, sizeof(struct placed));
}

static struct gt_cuda_device *device_at(struct gt_cuda *c, uint32_t process, uint32_t id)
{
	struct placed *p = placed_at(&c->device_map, process, id, c->devices.n);
	struct gt_cuda_device *d;

	if (!p || p->at < c->devices.n)
		return p ? &c->devices.v[p->at] : NULL;
	d = GT_LIST_ADD(&c->devices);
	if (d)
		*d = (struct gt_cuda_device){ .process = process, .id = id };
	return d;
}

static struct gt_cuda_context *context_at(struct gt_cuda *c, uint32_t process, uint32_t id)
{
	struct placed *p = placed_at(&c->context_map, process, id, c->contexts.n);
	struct gt_cuda_context *x;

	if (!p || p->at < c->contexts.n)
		return p ? &c->contexts.v[p->at] : NULL;
	x = GT_LIST_ADD(&c->contexts);
	if (x)
		*x = (struct gt_cuda_context){ .process = process,
			.id = id,
			.device = GT_CUDA_NONE,
			.null_stream = GT_CUDA_NONE,
			.parent = GT_CUDA_NONE,
			.api = -1,
			.sms = -1,
			.created_ns = GT_NO_TIME,
			.destroyed_ns = GT_NO_TIME };
	return x;
}

static int take_device(struct gt_cuda *c, const struct gt_cupti_buffer *b, const struct rec_activity *a)
{
	struct gt_cuda_device *d = device_at(c, b->process, REC_GET(a, DEVICE, id, 0));
	struct gt_cuda_text *name = gt_cuda_string(c, b, REC_GET(a, DEVICE, name, 0));
	uint64_t uuid[2] = { REC_GET(a, DEVICE, uuidLow, 0), REC_GET(a, DEVICE, uuidHigh, 0) };

	if (!d)
		return -1;
#define NUMBER(field) ((int64_t)REC_GET(a, DEVICE, field, 0))
	d->name = name ? name->mangled : d->name.text ? d->name : (struct gt_string){ "", 0 };
	memcpy(d->uuid, uuid, sizeof d->uuid);
	d->has_uuid = uuid[0] || uuid[1];
	d->compute_major = (int)NUMBER(computeCapabilityMajor);
	d->compute_minor = (int)NUMBER(computeCapabilityMinor);
	d->memory_bandwidth = REC_GET(a, DEVICE, globalMemoryBandwidth, 0) > INT64_MAX / 1000
		? -1
		: NUMBER(globalMemoryBandwidth) * 1000;
	d->memory_bytes = NUMBER(globalMemorySize);
	d->constant_bytes = NUMBER(constantMemorySize);
	d->l2_bytes = NUMBER(l2CacheSize);
	d->warp = NUMBER(numThreadsPerWarp);
	d->clock_khz = NUMBER(coreClockRate);
	d->copy_engines = NUMBER(numMemcpyEngines);
	d->sms = NUMBER(numMultiprocessors);
	d->max_ipc = NUMBER(maxIPC);
	d->max_warps_per_sm = NUMBER(maxWarpsPerMultiprocessor);
	d->max_blocks_per_sm = NUMBER(maxBlocksPerMultiprocessor);
	d->max_shared_per_sm = NUMBER(maxSharedMemoryPerMultiprocessor);
	d->max_registers_per_sm = NUMBER(maxRegistersPerMultiprocessor);
	d->max_registers_per_block = NUMBER(maxRegistersPerBlock);
	d->max_shared_per_block = NUMBER(maxSharedMemoryPerBlock);
	d->max_threads_per_block = NUMBER(maxThreadsPerBlock);
	d->max_block[0] = NUMBER(maxBlockDimX), d->max_block[1] = NUMBER(maxBlockDimY),
	d->max_block[2] = NUMBER(maxBlockDimZ);
	d->max_grid[0] = NUMBER(maxGridDimX), d->max_grid[1] = NUMBER(maxGridDimY),
	d->max_grid[2] = NUMBER(maxGridDimZ);
	d->ecc = NUMBER(eccEnabled);
	d->numa_id = REC_HAS(a, DEVICE, numaId) && REC_GET(a, DEVICE, isNumaNode, 0) ? NUMBER(numaId) : -1;
	d->bus = (struct gt_string){ "", 0 };
	d->stand_in = c->processes[b->process].library.flags & REC_CUPTI_STAND_IN;
#undef NUMBER
	return 0;
}

static int take_context(struct gt_cuda *c, uint32_t process, const struct rec_activity *a)
{
	struct gt_cuda_context *x = context_at(c, process, REC_GET(a, CONTEXT, contextId, 0));

	if (!x)
		return -1;
	x->device = REC_GET(a, CONTEXT, deviceId, GT_CUDA_NONE);
	x->api = REC_GET(a, CONTEXT, computeApiKind, 0);
	x->null_stream = REC_GET(a, CONTEXT, nullStreamId, 0);
	if (x->green && !REC_GET(a, CONTEXT, isGreenContext, 0))
		return 0;       /* a record of its own has said more */
	x->green = REC_GET(a, CONTEXT, isGreenContext, 0);
	x->parent = x->green ? REC_GET(a, CONTEXT, parentContextId, GT_CUDA_NONE) : GT_CUDA_NONE;
	x->sms = REC_HAS(a, CONTEXT, numMultiprocessors) ? (int64_t)REC_GET(a, CONTEXT, numMultiprocessors, 0) : -1;
	return 0;
}

/* From CUDA 13.2 on a green context has this record alone. */
static int take_green_context(struct gt_cuda *c, uint32_t process, const struct rec_activity *a)
{
	struct gt_cuda_context *x = context_at(c, process, REC_GET(a, GREEN_CONTEXT, contextId, 0));

	if (!x)
		return -1;
	x->device = REC_GET(a, GREEN_CONTEXT, deviceId, GT_CUDA_NONE);
	x->green = true;
	x->parent = REC_GET(a, GREEN_CONTEXT, parentContextId, GT_CUDA_NONE);
	x->sms = (int64_t)REC_GET(a, GREEN_CONTEXT, numMultiprocessors, 0);
	return 0;
}

static int take_stream(struct gt_cuda *c, uint32_t process, const struct rec_activity *a)
{
	/* doubles are dropped at the end: there may be very many streams */
	struct gt_cuda_stream *s = GT_LIST_ADD(&c->streams);

	if (!s)
		return -1;
	*s = (struct gt_cuda_stream){ .process = process,
		.id = REC_GET(a, STREAM, streamId, 0),
		.context = REC_GET(a, STREAM, contextId, 0),
		.told = true,
		.created_ns = GT_NO_TIME };
	s->priority = (int32_t)REC_GET(a, STREAM, priority, 0);
	s->flag = REC_GET(a, STREAM, flag, 0);
	return 0;
}

int gt_cuda_object_take(struct gt_cuda *c, const struct gt_cupti_buffer *b, const struct rec_activity *a)
{
	switch (a->kind) {
	case REC_CUPTI_KIND_DEVICE:
		return take_device(c, b, a);
	case REC_CUPTI_KIND_CONTEXT:
		return take_context(c, b->process, a);
	case REC_CUPTI_KIND_GREEN_CONTEXT:
		return take_green_context(c, b->process, a);
	case REC_CUPTI_KIND_STREAM:
		return take_stream(c, b->process, a);
	}
	return 0;
}

int gt_cuda_context_event(struct gt_cuda *c, uint32_t process, uint32_t what, uint32_t id, uint32_t device, int64_t ns)
{
	struct gt_cuda_context *x = context_at(c, process, id);

	if (!x)
		return -1;
	if (what == REC_CUPTI_CONTEXT_CREATED)
		x->created_ns = ns;
	else
		x->destroyed_ns = ns;
	if (x->device == GT_CUDA_NONE)
		x->device = device;
	return 0;
}

/* -------------------------------------------------------------------- numbers */

static int compare(uint32_t ap, uint32_t bp, uint32_t a, uint32_t b)
{
	return ap != bp ? (ap < bp ? -1 : 1) : a < b ? -1 : a > b;
}

static int compare_devices(const void *a, const void *b)
{
	const struct gt_cuda_device *x = a, *y = b;

	return compare(x->process, y->process, x->id, y->id);
}

static int compare_contexts(const void *a, const void *b)
{
	const struct gt_cuda_context *x = a, *y = b;

	return compare(x->process, y->process, x->id, y->id);
}

static int compare_streams(const void *a, const void *b, const void *ctx)
{
	const struct gt_cuda_stream *x = a, *y = b;
	int order = compare(x->process, y->process, x->context, y->context);

	(void)ctx;
	return order ? order : compare(0, 0, x->id, y->id);
}

int gt_cuda_stream_event(
	struct gt_cuda *c, uint32_t process, uint32_t context, uint32_t id, uint64_t handle, int64_t ns)
{
	struct gt_cuda_stream *s = GT_LIST_ADD(&c->streams);

	if (!s)
		return -1;
	*s = (struct gt_cuda_stream){
		.process = process, .id = id, .context = context, .handle = handle, .created_ns = ns
	};
	return 0;
}

int gt_cuda_module_event(struct gt_cuda *c, const struct gt_rec *rec, int64_t ns)
{
	struct gt_cuda_module *m = GT_LIST_ADD(&c->modules);

	if (!m)
		return -1;
	*m = (struct gt_cuda_module){ .process = rec->process, .id = (uint32_t)rec->args[3],
		.context = (uint32_t)rec->args[2], .loaded_ns = ns, .unloaded_ns = GT_NO_TIME, .bytes = rec->args[4],
		.content = { rec->args[5], rec->args[6] }, .crc = rec->n_args > 7 ? rec->args[7] : 0 };
	return 0;
}

int gt_cuda_module_gone(struct gt_cuda *c, const struct gt_rec *rec, int64_t ns)
{
	struct gt_cuda_unload *u = GT_LIST_ADD(&c->unloads);

	if (!u)
		return -1;
	*u = (struct gt_cuda_unload){ rec->process, (uint32_t)rec->args[3], ns };
	return 0;
}

static int compare_modules_by_id(const void *a, const void *b)
{
	const struct gt_cuda_module *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->loaded_ns > y->loaded_ns) - (x->loaded_ns < y->loaded_ns);
}

/* Threads' records are not in order with each other: an id begins again when its module went. */
static void join_unloads(struct gt_cuda *c)
{
	if (!c->unloads.n || !c->modules.n)
		return;
	qsort(c->modules.v, c->modules.n, sizeof *c->modules.v, compare_modules_by_id);
	for (uint32_t i = 0, at; i < c->unloads.n; i++) {
		const struct gt_cuda_unload *u = &c->unloads.v[i];
		const struct gt_cuda_module want = { .process = u->process, .id = u->id, .loaded_ns = u->ns };

		GT_SEARCH_LAST(at, c->modules.n, compare_modules_by_id(&c->modules.v[at], &want) <= 0);
		struct gt_cuda_module *m = &c->modules.v[at];

		if (m->process == u->process && m->id == u->id && m->loaded_ns <= u->ns)
			m->unloaded_ns = u->ns;
	}
}

static int compare_modules(const void *a, const void *b)
{
	const struct gt_cuda_module *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->loaded_ns != y->loaded_ns)
		return x->loaded_ns < y->loaded_ns ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Two that tell of the same stream: its record, and the moment when it was made. */
static void join_streams(struct gt_cuda_stream *s, const struct gt_cuda_stream *with)
{
	if (with->told) {
		s->priority = with->priority;
		s->flag = with->flag;
		s->told = true;
	}
	if (with->handle) {
		s->handle = with->handle;
		s->created_ns = with->created_ns;
	}
}

/* By process, context and id; of doubles the last told. Without a record of its own it is none. */
static int sort_streams(struct gt_cuda *c)
{
	struct gt_bulk b = { .data = c->streams.v, .n = c->streams.n };
	struct gt_bulk_budget budget = { 0 };
	uint32_t kept = 0;

	if (gt_bulk_sort(&b, sizeof *c->streams.v, compare_streams, NULL, &budget))
		return -1;
	for (uint32_t i = 0; i < c->streams.n; i++) {
		bool again = kept && !compare_streams(&c->streams.v[kept - 1], &c->streams.v[i], NULL);

		if (again)
			join_streams(&c->streams.v[kept - 1], &c->streams.v[i]);
		else
			c->streams.v[kept++] = c->streams.v[i];
	}
	c->streams.n = kept;
	kept = 0;
	for (uint32_t i = 0; i < c->streams.n; i++)
		if (c->streams.v[i].told)
			c->streams.v[kept++] = c->streams.v[i];
	c->streams.n = kept;
	return 0;
}

/* Everything that tells one from another: two may report the same UUID, and slices of one do. */
static uint64_t identity_of(const struct gt_cuda_device *d)
{
	uint64_t h = gt_hash_text((const char *)d->uuid, sizeof d->uuid);

	h = gt_hash(h, gt_hash_text(d->name.text, d->name.bytes));
	h = gt_hash(gt_hash(h, (uint64_t)d->sms), (uint64_t)d->memory_bytes);
	return gt_hash(gt_hash(h, (uint64_t)d->compute_major), (uint64_t)d->compute_minor);
}

/* One number per device, in the order of the list; the nth that looks so in one process is the nth in another. */
static int number_devices(struct gt_cuda *c)
{
	struct gt_map alike = { 0 }, numbers = { 0 };
	uint32_t next = 0, i;

	for (i = 0; i < c->devices.n; i++) {
		struct gt_cuda_device *d = &c->devices.v[i];
		struct placed *nth = d->has_uuid ? placed_at(&alike, identity_of(d), d->process, 0) : NULL, *p;

		p = nth ? placed_at(&numbers, identity_of(d), nth->at, next) : NULL;
		if (d->has_uuid && !p)
			break;
		if (nth)
			nth->at++;
		d->index = p ? p->at : next;
		next += d->index == next;
	}
	gt_map_free(&alike, sizeof(struct placed));
	gt_map_free(&numbers, sizeof(struct placed));
	return i < c->devices.n ? -1 : 0;
}

int gt_cuda_objects_finish(struct gt_cuda *c)
{
	gt_cuda_objects_forget(c);        /* the order changes here */
	if (c->devices.n)
		qsort(c->devices.v, c->devices.n, sizeof *c->devices.v, compare_devices);
	if (c->contexts.n)
		qsort(c->contexts.v, c->contexts.n, sizeof *c->contexts.v, compare_contexts);
	join_unloads(c);
	if (c->modules.n)
		qsort(c->modules.v, c->modules.n, sizeof *c->modules.v, compare_modules);
	return number_devices(c) ? -1 : sort_streams(c);
}

/* -------------------------------------------------------------------- answers */

uint32_t gt_cuda_device_count(const struct gt_cuda *c) { return c->devices.n; }
uint32_t gt_cuda_context_count(const struct gt_cuda *c) { return c->contexts.n; }
uint32_t gt_cuda_stream_count(const struct gt_cuda *c) { return c->streams.n; }
uint32_t gt_cuda_module_count(const struct gt_cuda *c) { return c->modules.n; }
const struct gt_cuda_device *gt_cuda_device(const struct gt_cuda *c, uint32_t i)
{
	return i < c->devices.n ? &c->devices.v[i] : NULL;
}
const struct gt_cuda_context *gt_cuda_context(const struct gt_cuda *c, uint32_t i)
{
	return i < c->contexts.n ? &c->contexts.v[i] : NULL;
}
const struct gt_cuda_module *gt_cuda_module(const struct gt_cuda *c, uint32_t i)
{
	return i < c->modules.n ? &c->modules.v[i] : NULL;
}
const struct gt_cuda_stream *gt_cuda_stream(const struct gt_cuda *c, uint32_t i)
{
	return i < c->streams.n ? &c->streams.v[i] : NULL;
}

const struct gt_cuda_device *gt_cuda_device_of(const struct gt_cuda *c, uint32_t process, uint32_t id)
{
	const struct gt_cuda_device want = { .process = process, .id = id };

	return c->devices.n ? bsearch(&want, c->devices.v, c->devices.n, sizeof want, compare_devices) : NULL;
}

const struct gt_cuda_context *gt_cuda_context_of(const struct gt_cuda *c, uint32_t process, uint32_t id)
{
	const struct gt_cuda_context want = { .process = process, .id = id };

	return c->contexts.n ? bsearch(&want, c->contexts.v, c->contexts.n, sizeof want, compare_contexts) : NULL;
}
