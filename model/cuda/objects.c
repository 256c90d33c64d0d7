/*
 * model/cuda/objects.c - devices, contexts and streams, as CUPTI's records told
 *
 * Each is told more than once (late attach, several buffers): the last word counts.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/cuda/internal.h"
#include "model/sort.h"

static struct gt_cuda_device *device_at(struct gt_cuda *c, uint32_t process, uint32_t id)
{
	struct gt_cuda_device *d;

	for (uint32_t i = 0; i < c->devices.n; i++)
		if (c->devices.v[i].process == process && c->devices.v[i].id == id)
			return &c->devices.v[i];
	d = GT_LIST_ADD(&c->devices);
	if (d)
		*d = (struct gt_cuda_device){ .process = process, .id = id };
	return d;
}

static struct gt_cuda_context *context_at(struct gt_cuda *c, uint32_t process, uint32_t id)
{
	struct gt_cuda_context *x;

	for (uint32_t i = c->contexts.n; i-- > 0;)
		if (c->contexts.v[i].process == process && c->contexts.v[i].id == id)
			return &c->contexts.v[i];
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
	x->green = REC_GET(a, CONTEXT, isGreenContext, 0);
	x->parent = x->green ? REC_GET(a, CONTEXT, parentContextId, GT_CUDA_NONE) : GT_CUDA_NONE;
	x->sms = REC_HAS(a, CONTEXT, numMultiprocessors) ? (int64_t)REC_GET(a, CONTEXT, numMultiprocessors, 0) : -1;
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
		.context = REC_GET(a, STREAM, contextId, 0) };
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

/* By process, context and id; of doubles the last told. */
static int sort_streams(struct gt_cuda *c)
{
	struct gt_bulk b = { .data = c->streams.v, .n = c->streams.n };
	size_t total = 0;
	uint32_t kept = 0;

	if (gt_bulk_sort(&b, sizeof *c->streams.v, compare_streams, NULL, &total))
		return -1;
	for (uint32_t i = 0; i < c->streams.n; i++) {
		bool again = kept && !compare_streams(&c->streams.v[kept - 1], &c->streams.v[i], NULL);

		c->streams.v[kept - again] = c->streams.v[i];
		kept += !again;
	}
	c->streams.n = kept;
	return 0;
}

int gt_cuda_objects_finish(struct gt_cuda *c)
{
	uint32_t next = 0;

	if (c->devices.n)
		qsort(c->devices.v, c->devices.n, sizeof *c->devices.v, compare_devices);
	if (c->contexts.n)
		qsort(c->contexts.v, c->contexts.n, sizeof *c->contexts.v, compare_contexts);
	for (uint32_t i = 0; i < c->devices.n; i++) {
		struct gt_cuda_device *d = &c->devices.v[i];
		uint32_t same = 0;

		while (same < i &&
			!(d->has_uuid && c->devices.v[same].has_uuid &&
				!memcmp(d->uuid, c->devices.v[same].uuid, sizeof d->uuid)))
			same++;
		d->index = same < i ? c->devices.v[same].index : next++;
	}
	return sort_streams(c);
}

/* -------------------------------------------------------------------- answers */

uint32_t gt_cuda_device_count(const struct gt_cuda *c) { return c->devices.n; }
uint32_t gt_cuda_context_count(const struct gt_cuda *c) { return c->contexts.n; }
uint32_t gt_cuda_stream_count(const struct gt_cuda *c) { return c->streams.n; }
const struct gt_cuda_device *gt_cuda_device(const struct gt_cuda *c, uint32_t i)
{
	return i < c->devices.n ? &c->devices.v[i] : NULL;
}
const struct gt_cuda_context *gt_cuda_context(const struct gt_cuda *c, uint32_t i)
{
	return i < c->contexts.n ? &c->contexts.v[i] : NULL;
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
