/*
 * model/cuda/decode.c - one activity from its raw record
 *
 * Records are read where they lie, through a few blocks that are kept: activities in order of time lie near each other.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/cuda/internal.h"

#define BLOCK (64u << 10)                 /* of the file: what a packed trace unpacks at once */
#define SETS 16u
#define WAYS 4u

struct block { uint64_t number, used; uint32_t buffer; size_t bytes; bool valid; uint8_t data[BLOCK]; };
struct gt_cuda_cache { uint64_t now; struct block *set[SETS][WAYS]; uint8_t record[GT_CUPTI_RECORD]; };

void gt_cuda_cache_free(struct gt_cuda_cache *cache)
{
	for (unsigned i = 0; cache && i < SETS * WAYS; i++)
		free(cache->set[i / WAYS][i % WAYS]);
	free(cache);
}

/* -------------------------------------------------------------------- reading */

/* Block `number` of a buffer's file, as far as it belongs to the buffer; NULL with *err. */
static struct block *block_of(struct gt_cuda *c, uint32_t buffer, uint64_t number, struct gt_err *err)
{
	struct block **set = c->cache->set[(buffer * 7 + number) % SETS], *b = NULL, **oldest = &set[0];
	const struct gt_cupti_buffer *in = &c->buffers[buffer];
	uint64_t from = number * BLOCK < in->offset ? in->offset : number * BLOCK;
	int64_t got;

	for (unsigned i = 0; i < WAYS; i++) {
		if (set[i] && set[i]->valid && set[i]->number == number && set[i]->buffer == buffer) {
			set[i]->used = ++c->cache->now;
			return set[i];
		}
		if (!set[i] || (*oldest && set[i]->used < (*oldest)->used))
			oldest = &set[i];
	}
	if (!*oldest && !(*oldest = calloc(1, sizeof **oldest))) {
		gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", c->m->session.path);
		return NULL;
	}
	b = *oldest;
	b->valid = false;
	got = gt_cupti_buffer_read(
		c->m->reader, in, from - in->offset, b->data + from % BLOCK, BLOCK - from % BLOCK, err);
	if (got < 0)
		return NULL;
	b->number = number;
	b->buffer = buffer;
	b->bytes = (size_t)(from % BLOCK) + (size_t)got;
	b->used = ++c->cache->now;
	b->valid = true;
	return b;
}

/* The record at a place; its bytes hold until the next call. */
static int record_at(struct gt_cuda *c, uint64_t place, struct rec_activity *a, struct gt_err *err)
{
	uint32_t buffer = GT_PLACE_BUFFER(place), kind;
	const struct gt_cupti_sizes *sizes = &c->processes[c->buffers[buffer].process].sizes;
	uint64_t at = c->buffers[buffer].offset + GT_PLACE_OFFSET(place);
	size_t first;
	struct block *b;

	if (!c->cache && !(c->cache = calloc(1, sizeof *c->cache)))
		return gt_fail(
			err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", c->m->session.path);
	b = block_of(c, buffer, at / BLOCK, err);
	if (!b)
		return -1;
	if (b->bytes < at % BLOCK + sizeof kind)  /* records are multiples of 8 bytes: a kind never crosses a block */
		goto changed;
	memcpy(&kind, b->data + at % BLOCK, sizeof kind);
	if (!kind || kind >= GT_CUPTI_KINDS || !sizes->bytes[kind])
		goto changed;
	*a = (struct rec_activity){ b->data + at % BLOCK, kind, sizes->bytes[kind], sizes->version };
	if (at % BLOCK + a->bytes <= b->bytes)
		return 0;
	first = BLOCK - at % BLOCK;
	if (first >= a->bytes || b->bytes < BLOCK)
		goto changed;
	memcpy(c->cache->record, a->at, first);
	b = block_of(c, buffer, at / BLOCK + 1, err);
	if (!b)
		return -1;
	if (b->bytes < a->bytes - first)
		goto changed;
	memcpy(c->cache->record + first, b->data, a->bytes - first);
	a->at = c->cache->record;
	return 0;
changed:
	return gt_fail(err, GT_EXIT_INPUT, "the file was cut or changed while it was read", NULL,
		"%s: a CUDA activity is gone", c->m->session.path);
}

/* ------------------------------------------------------------------- decoding */

struct decode {
	struct gt_cuda *c;
	const struct gt_cupti_buffer *b;
	const struct rec_activity *a;
	struct gt_cuda_event *out;
};

static struct gt_string string_at(const struct decode *d, uint64_t address)
{
	const struct gt_cuda_text *t = gt_cuda_string(d->c, d->b, address);

	return t ? t->mangled : (struct gt_string){ "", 0 };
}

#define GET(id, name, otherwise) REC_GET(d->a, id, name, otherwise)
#define NUMBER(id, name) (REC_HAS(d->a, id, name) ? (int64_t)GET(id, name, 0) : -1)
/* Of ids and counts where all ones mean "none". */
#define ID(id, name) GET(id, name, GT_CUDA_NONE)
#define NUMBER_OR_NONE(id, name) (GET(id, name, GT_CUDA_NONE) == GT_CUDA_NONE ? -1 : (int64_t)GET(id, name, 0))
#define TIME(id, name) gt_cuda_ns(d->c, d->b->process, GET(id, name, 0))
#define PLACE_OF(id) d->out->device = ID(id, deviceId), d->out->context = ID(id, contextId), d->out->stream = (uint32_t)ID(id, streamId)
/* A graph's id where the record is of a node. */
#define GRAPH_OF(id) d->out->graph_node = GET(id, graphNodeId, 0), d->out->graph = d->out->graph_node ? ID(id, graphId) : GT_CUDA_NONE

/* What copies between peers have in common with others. */
#define COPY_OF(id) \
	PLACE_OF(id), GRAPH_OF(id), d->out->copy.bytes = GET(id, bytes, 0), d->out->copy.copy_kind = GET(id, copyKind, 0), \
	d->out->copy.src_kind = GET(id, srcKind, 0), d->out->copy.dst_kind = GET(id, dstKind, 0), d->out->copy.async = GET(id, flags, 0) & 1, \
	d->out->copy.channel = NUMBER_OR_NONE(id, channelID), d->out->copy.channel_type = NUMBER(id, channelType)

static void decode_call(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->tid = (int)GET(API, threadId, 0);
	e->call.result = (int32_t)GET(API, returnValue, 0);
	e->call.has_result = GET(API, end, 0);   /* flushed out of a call that had not returned: no answer yet */
}

static void decode_kernel(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	struct gt_cuda_text *name = gt_cuda_string(d->c, d->b, GET(KERNEL, name, 0));
	const struct gt_string none = { "", 0 };

	PLACE_OF(KERNEL);
	GRAPH_OF(KERNEL);
	if (name)
		gt_cuda_demangle(d->c, name);
	e->kernel.has_name = name != NULL;
	e->kernel.mangled = name ? name->mangled : none;
	e->kernel.demangled = name ? name->demangled : none;
	e->kernel.short_name = name ? name->short_name : none;
	e->kernel.grid[0] = GET(KERNEL, gridX, 0), e->kernel.grid[1] = GET(KERNEL, gridY, 0),
	e->kernel.grid[2] = GET(KERNEL, gridZ, 0);
	e->kernel.block[0] = GET(KERNEL, blockX, 0), e->kernel.block[1] = GET(KERNEL, blockY, 0),
	e->kernel.block[2] = GET(KERNEL, blockZ, 0);
	e->kernel.cluster[0] = GET(KERNEL, clusterX, 0), e->kernel.cluster[1] = GET(KERNEL, clusterY, 0),
	e->kernel.cluster[2] = GET(KERNEL, clusterZ, 0);
	e->kernel.has_cluster = REC_HAS(d->a, KERNEL, clusterZ);
	e->kernel.static_shared = NUMBER(KERNEL, staticSharedMemory);
	e->kernel.dynamic_shared = NUMBER(KERNEL, dynamicSharedMemory);
	e->kernel.local_per_thread = NUMBER(KERNEL, localMemoryPerThread);
	e->kernel.local_total = REC_HAS(d->a, KERNEL, localMemoryTotal_v2) ? NUMBER(KERNEL, localMemoryTotal_v2)
									   : NUMBER(KERNEL, localMemoryTotal);
	e->kernel.registers = NUMBER(KERNEL, registersPerThread);
	e->kernel.grid_id = NUMBER(KERNEL, gridId);
	e->kernel.launch_type = NUMBER(KERNEL, launchType);
	e->kernel.cache_requested = GET(KERNEL, cacheConfig, 0) & 15;
	e->kernel.cache_executed = GET(KERNEL, cacheConfig, 0) >> 4;
	e->kernel.shared_config = NUMBER(KERNEL, sharedMemoryConfig);
	e->kernel.shared_executed = NUMBER(KERNEL, sharedMemoryExecuted);
	e->kernel.shared_carveout =
		GET(KERNEL, isSharedMemoryCarveoutRequested, 0) ? NUMBER(KERNEL, sharedMemoryCarveoutRequested) : -1;
	e->kernel.shared_limit_config = NUMBER(KERNEL, shmemLimitConfig);
	e->kernel.cluster_policy = NUMBER(KERNEL, clusterSchedulingPolicy);
	e->kernel.max_cluster = NUMBER(KERNEL, maxPotentialClusterSize);
	e->kernel.max_active_clusters = NUMBER(KERNEL, maxActiveClusters);
	e->kernel.queued_ns = TIME(KERNEL, queued);
	e->kernel.submitted_ns = TIME(KERNEL, submitted);
	e->kernel.completed_ns = TIME(KERNEL, completed);
	e->kernel.channel = NUMBER_OR_NONE(KERNEL, channelID);
	e->kernel.channel_type = NUMBER(KERNEL, channelType);
	e->kernel.priority = -1;
	e->kernel.device_launched = GET(KERNEL, isDeviceLaunched, 0);
}

static void decode_copy(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	COPY_OF(MEMCPY);
	e->copy.count = NUMBER(MEMCPY, copyCount);
	e->copy.src_device = e->copy.src_context = e->copy.dst_device = e->copy.dst_context = GT_CUDA_NONE;
}

static void decode_peer_copy(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	COPY_OF(MEMCPY2);
	e->copy.peer = true;
	e->copy.count = -1;
	e->copy.src_device = ID(MEMCPY2, srcDeviceId), e->copy.src_context = ID(MEMCPY2, srcContextId);
	e->copy.dst_device = ID(MEMCPY2, dstDeviceId), e->copy.dst_context = ID(MEMCPY2, dstContextId);
}

static void decode_fill(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	PLACE_OF(MEMSET);
	GRAPH_OF(MEMSET);
	e->fill.bytes = GET(MEMSET, bytes, 0);
	e->fill.value = GET(MEMSET, value, 0);
	e->fill.mem_kind = GET(MEMSET, memoryKind, 0);
	e->fill.async = GET(MEMSET, flags, 0) & 1;
	e->fill.channel = NUMBER_OR_NONE(MEMSET, channelID);
	e->fill.channel_type = NUMBER(MEMSET, channelType);
}

static void decode_sync(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	const struct gt_cuda_context *x;

	e->context = ID(SYNC, contextId);
	e->stream = ID(SYNC, streamId);
	x = gt_cuda_context_of(d->c, d->b->process, e->context);
	e->device = x ? x->device : GT_CUDA_NONE;
	e->sync.type = (int)GET(SYNC, type, 0);
	e->sync.event = NUMBER_OR_NONE(SYNC, cudaEventId);
	e->sync.event_sync = e->sync.event < 0 ? -1 : NUMBER(SYNC, cudaEventSyncId);
	e->sync.result = NUMBER(SYNC, returnValue);
}

static void decode_graph(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	if (d->a->kind == REC_CUPTI_KIND_DEVICE_GRAPH_TRACE) {
		PLACE_OF(DEVICE_GRAPH_TRACE);
		e->graph = ID(DEVICE_GRAPH_TRACE, graphId);
		e->graph_launch.exec = e->graph;
		e->graph_launch.end_device = e->graph_launch.end_context = GT_CUDA_NONE;
		return;
	}
	PLACE_OF(GRAPH_TRACE);
	e->graph = ID(GRAPH_TRACE, graphId);
	e->graph_launch.exec = e->graph;          /* CUPTI numbers the executable graph */
	e->graph_launch.end_device = ID(GRAPH_TRACE, endDeviceId);
	e->graph_launch.end_context = ID(GRAPH_TRACE, endContextId);
}

static void decode_memory(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	bool pool = GET(MEMORY2, poolType, 0) != 0;

	PLACE_OF(MEMORY2);
	e->memory.operation = (int)GET(MEMORY2, memoryOperationType, 0);
	e->memory.mem_kind = (int)GET(MEMORY2, memoryKind, 0);
	e->memory.address = GET(MEMORY2, address, 0);
	e->memory.bytes = GET(MEMORY2, bytes, 0);
	e->memory.pc = GET(MEMORY2, PC, 0);
	e->memory.async = GET(MEMORY2, isAsync, 0);
	e->memory.pool_type = pool ? (int)GET(MEMORY2, poolType, 0) : -1;
	e->memory.pool_pid = -1;
	if (pool) {
		bool imported = e->memory.pool_type == 2; /* then one word is the owner's process instead of the size */

		e->memory.pool = GET(MEMORY2, poolAddress, 0);
		e->memory.pool_threshold = imported ? 0 : GET(MEMORY2, poolThreshold, 0);
		e->memory.pool_size = imported ? 0 : GET(MEMORY2, poolSize, 0);
		e->memory.pool_used = imported ? 0 : GET(MEMORY2, poolUsed, 0);
		e->memory.pool_pid = imported ? (int64_t)GET(MEMORY2, poolSize, 0) : -1;
	}
	e->memory.name = string_at(d, GET(MEMORY2, name, 0));
	e->memory.source = string_at(d, GET(MEMORY2, source, 0));
}

static void decode_pool(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->device = ID(MEMORY_POOL, deviceId);
	e->pool.operation = (int)GET(MEMORY_POOL, memoryPoolOperationType, 0);
	e->pool.type = (int)GET(MEMORY_POOL, memoryPoolType, 0);
	e->pool.address = GET(MEMORY_POOL, address, 0);
	e->pool.size = GET(MEMORY_POOL, size, 0);
	e->pool.used = GET(MEMORY_POOL, utilizedSize, 0);
	e->pool.threshold = GET(MEMORY_POOL, releaseThreshold, 0);
	e->pool.keep = GET(MEMORY_POOL, minBytesToKeep, 0);
	e->pool.pid = NUMBER(MEMORY_POOL, processId);
}

static void decode_managed(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->stream = ID(MANAGED, streamId);
	e->managed.counter = (int)GET(MANAGED, counterKind, 0);
	e->managed.value = GET(MANAGED, value, 0);
	e->managed.address = GET(MANAGED, address, 0);
	e->managed.flags = GET(MANAGED, flags, 0);
	e->managed.src = ID(MANAGED, srcId);
	e->managed.dst = ID(MANAGED, dstId);
	e->device = e->managed.dst != GT_CUDA_NONE ? e->managed.dst : e->managed.src; /* the host is none */
}

static void decode_event_record(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	const struct gt_cuda_context *x;

	e->context = ID(CUDA_EVENT, contextId);
	e->stream = ID(CUDA_EVENT, streamId);
	x = gt_cuda_context_of(d->c, d->b->process, e->context);
	e->device = REC_HAS(d->a, CUDA_EVENT, deviceId) ? ID(CUDA_EVENT, deviceId) : x ? x->device : GT_CUDA_NONE;
	e->event_record.event = NUMBER(CUDA_EVENT, eventId);
	e->event_record.event_sync = NUMBER(CUDA_EVENT, cudaEventSyncId);
	e->event_record.device_ns = TIME(CUDA_EVENT, deviceTimestamp);
	if (!e->timed)
		e->reason = -1;                   /* nothing is missing: this version does not tell, or was not asked */
}

enum { OBJECT_PROCESS = 1, OBJECT_THREAD, OBJECT_DEVICE, OBJECT_CONTEXT, OBJECT_STREAM };

static uint32_t thread_with(const struct decode *d, uint32_t tid)
{
	const struct gt_process *p = &d->c->m->processes[d->b->process].pub;

	for (uint32_t i = 0; i < p->n_threads; i++)
		if (d->c->m->threads.v[p->first_thread + i].tid == (int)tid)
			return p->first_thread + i;
	return GT_CUDA_NONE;
}

static void decode_overhead(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->overhead.type = (int)GET(OVERHEAD, overheadKind, 0);
	e->overhead.object_kind = (int)GET(OVERHEAD, objectKind, 0);
	e->overhead.data = GET(OVERHEAD, overheadData, 0);
	if (e->overhead.object_kind == OBJECT_THREAD) {
		e->tid = (int)GET(OVERHEAD, objectThread, 0);
		e->thread = thread_with(d, (uint32_t)e->tid);
	} else if (e->overhead.object_kind >= OBJECT_DEVICE && e->overhead.object_kind <= OBJECT_STREAM) {
		e->device = GET(OVERHEAD, objectProcess, 0);      /* one union: device, context, stream in that order */
		e->context = e->overhead.object_kind > OBJECT_DEVICE ? GET(OVERHEAD, objectThread, 0) : GT_CUDA_NONE;
		e->stream = e->overhead.object_kind > OBJECT_CONTEXT ? GET(OVERHEAD, objectStream, 0) : GT_CUDA_NONE;
	}
}

static void decode_jit(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->device = ID(JIT, deviceId);
	e->jit.entry = (int)GET(JIT, jitEntryType, 0);
	e->jit.operation = (int)GET(JIT, jitOperationType, 0);
	e->jit.cache_size = NUMBER(JIT, cacheSize);
	e->jit.operation_correlation = NUMBER(JIT, jitOperationCorrelationId);
	e->jit.cache_path = string_at(d, GET(JIT, cachePath, 0));
	if (REC_HAS(d->a, JIT, threadId)) {
		e->tid = (int)GET(JIT, threadId, 0);
		e->thread = thread_with(d, (uint32_t)e->tid);
	}
}

static void decode_external(const struct decode *d)
{
	d->out->external.external_kind = (int)GET(EXTERNAL, externalKind, 0);
	d->out->external.external_id = GET(EXTERNAL, externalId, 0);
	d->out->reason = -1;
}

static void decode_decompress(const struct decode *d)
{
	PLACE_OF(DECOMPRESS);
	d->out->decompress.bytes = GET(DECOMPRESS, sourceBytes, 0);
	d->out->decompress.operations = GET(DECOMPRESS, numberOfOperations, 0);
	d->out->decompress.channel = NUMBER_OR_NONE(DECOMPRESS, channelID);
}

/* By the record's kind: one of the model's kinds may have several. */
static void decode(const struct decode *d)
{
	static void (*const decoders[GT_CUPTI_KINDS])(const struct decode *) = {
		[REC_CUPTI_KIND_DRIVER] = decode_call,
		[REC_CUPTI_KIND_RUNTIME] = decode_call,
		[REC_CUPTI_KIND_KERNEL] = decode_kernel,
		[REC_CUPTI_KIND_SERIAL_KERNEL] = decode_kernel,
		[REC_CUPTI_KIND_MEMCPY] = decode_copy,
		[REC_CUPTI_KIND_MEMCPY2] = decode_peer_copy,
		[REC_CUPTI_KIND_MEMSET] = decode_fill,
		[REC_CUPTI_KIND_SYNC] = decode_sync,
		[REC_CUPTI_KIND_GRAPH_TRACE] = decode_graph,
		[REC_CUPTI_KIND_DEVICE_GRAPH_TRACE] = decode_graph,
		[REC_CUPTI_KIND_OVERHEAD] = decode_overhead,
		[REC_CUPTI_KIND_JIT] = decode_jit,
		[REC_CUPTI_KIND_MEMORY2] = decode_memory,
		[REC_CUPTI_KIND_MEMORY_POOL] = decode_pool,
		[REC_CUPTI_KIND_MANAGED] = decode_managed,
		[REC_CUPTI_KIND_CUDA_EVENT] = decode_event_record,
		[REC_CUPTI_KIND_EXTERNAL] = decode_external,
		[REC_CUPTI_KIND_DECOMPRESS] = decode_decompress,
	};

	if (decoders[d->a->kind])
		decoders[d->a->kind](d);
}

/* ------------------------------------------------------------- not from buffers */

static uint32_t final_thread(const struct gt_cuda *c, uint32_t thread)
{
	return thread == GT_CUDA_NONE || !c->to_thread ? thread : c->to_thread[thread];
}

/* A call's name and what else the index knows of it. */
static void fill_call(struct gt_cuda *c, const struct gt_cuda_entry *e, struct gt_cuda_event *out)
{
	const struct gt_cuda_args *args =
		gt_cuda_args_of(&c->processes[out->process], e->correlation, GT_CUDA_FN_ID(e));
	const struct gt_cuda_fn *f;

	out->call.domain = e->place & GT_PLACE_DRIVER ? REC_DOMAIN_CUDA_DRIVER : REC_DOMAIN_CUDA_RUNTIME;
	out->call.cbid = GT_PLACE_CBID(e->place);
	f = gt_cuda_fn_of(c, out->process, out->call.domain, out->call.cbid);
	out->call.name = f->name;
	out->call.base = f->base;
	out->call.nested = e->place & GT_PLACE_NESTED;
	out->call.has_args = args != NULL;
	out->call.args_link = args ? args->link : 0;
	out->thread = final_thread(c, e->thread);
}

/* Only its record with arguments is there. */
static int get_unseen(struct gt_cuda *c, const struct gt_cuda_entry *e, struct gt_cuda_event *out, struct gt_err *err)
{
	const struct gt_cuda_unseen *u = &((const struct gt_cuda_unseen *)c->unseen.data)[(uint32_t)e->place];
	struct gt_rec rec;
	int rc = gt_reader_fetch(c->m->reader, u->process, u->link, &rec, err);

	out->tid = out->thread < c->m->threads.n ? c->m->threads.v[out->thread].tid : -1;
	out->call.args_link = u->link;
	out->call.has_args = rc == 1;
	out->call.has_result = rc == 1;
	out->call.result = rc == 1 ? rec.result : 0;
	return rc < 0 ? -1 : 0;
}

#define LOOK_BACK 4096u             /* calls of all threads */

/* Launches in a captured stream make nodes, and have no callback that would tell their number: the call is the one that
 * the thread was in. */
static const struct gt_cuda_entry *call_around(const struct gt_cuda *c, int64_t at, uint32_t thread)
{
	const struct gt_cuda_entry *v = c->kinds[GT_CUDA_CALL].data, *nested = NULL;
	uint64_t i = gt_cuda_lower_bound(c, GT_CUDA_CALL, at + 1);

	for (uint32_t n = 0; thread != GT_CUDA_NONE && n < LOOK_BACK && i-- > 0; n++) {
		if (v[i].end == GT_NO_TIME || v[i].end < at || final_thread(c, v[i].thread) != thread)
			continue;
		if (!(v[i].place & GT_PLACE_NESTED))
			return &v[i];
		nested = nested ? nested : &v[i];
	}
	return nested;
}

static void get_moment(struct gt_cuda *c, const struct gt_cuda_entry *e, struct gt_cuda_event *out)
{
	const struct gt_cuda_moment *moment = &((const struct gt_cuda_moment *)c->moments.data)[(uint32_t)e->place];
	const struct gt_cuda_entry *call = gt_cuda_call_entry(c, moment->process, moment->correlation, NULL);
	bool node = out->kind == GT_CUDA_NODE_EVENT;
	bool exec = moment->what == REC_CUPTI_GRAPH_EXEC_CREATED || moment->what == REC_CUPTI_GRAPH_EXEC_DESTROYED;

	out->thread = final_thread(c, moment->thread);
	if (!call && !moment->correlation && (call = call_around(c, e->start, out->thread)) && call->correlation)
		out->correlation = call->correlation;
	out->tid = out->thread < c->m->threads.n ? c->m->threads.v[out->thread].tid : -1;
	out->context = moment->context ? moment->context : GT_CUDA_NONE;
	out->graph_event.what = (enum rec_cupti_event)moment->what;
	out->graph_event.id = moment->w[0];
	out->graph_event.original = exec ? 0 : moment->w[1];
	out->graph_event.graph = node ? moment->w[2] : exec ? moment->w[1] : moment->w[0];
	out->graph_event.node_type = node ? (int)moment->w[3] : -1;
	out->graph_event.name = (struct gt_string){ "", 0 };
	out->graph = (uint32_t)out->graph_event.graph;
	out->graph_node = node ? moment->w[0] : 0;
	if (call)
		out->graph_event.name = gt_cuda_fn_of(c, moment->process,
			call->place & GT_PLACE_DRIVER ? REC_DOMAIN_CUDA_DRIVER : REC_DOMAIN_CUDA_RUNTIME,
			GT_PLACE_CBID(call->place))
						->name;
}

/* --------------------------------------------------------------------- asking */

/* A reason is for what has none of the times that it should have. */
static int reason_of(const struct rec_activity *a)
{
	uint64_t start = 0, end = 0;

	switch (a->kind) {
#define TIMED(id) case REC_CUPTI_KIND_##id: start = REC_GET(a, id, start, 0); end = REC_GET(a, id, end, 0); break
	TIMED(MEMCPY);
	TIMED(MEMCPY2);
	TIMED(MEMSET);
	TIMED(KERNEL);
	TIMED(SYNC);
	TIMED(GRAPH_TRACE);
	TIMED(DEVICE_GRAPH_TRACE);
	TIMED(OVERHEAD);
	TIMED(JIT);
	TIMED(DECOMPRESS);
	TIMED(MANAGED);
	case REC_CUPTI_KIND_SERIAL_KERNEL:
		start = REC_GET(a, KERNEL, start, 0);
		end = REC_GET(a, KERNEL, end, 0);
		break;
	case REC_CUPTI_KIND_DRIVER:
	case REC_CUPTI_KIND_RUNTIME:
		start = REC_GET(a, API, start, 0);
		end = REC_GET(a, API, end, 0);
		break;
#undef TIMED
	}
	return gt_cuda_untimed(start, end);
}

int gt_cuda_get(struct gt_cuda *c, enum gt_cuda_kind kind, uint64_t i, struct gt_cuda_event *out, struct gt_err *err)
{
	const struct gt_cuda_entry *e = (const struct gt_cuda_entry *)c->kinds[kind].data + i;
	struct rec_activity a;

	if (i >= c->kinds[kind].n)
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: no CUDA activity %llu", c->m->session.path,
			(unsigned long long)i);
	/* Read in order, the index behind leaves memory as it goes. */
	if (c->kinds[kind].fd && ++c->asked % (GT_BULK_FORGET / sizeof *e) == 0)
		for (int k = 0; k < GT_CUDA_KINDS; k++)
			gt_bulk_forget(&c->kinds[k], 0, c->kinds[k].capacity);
	memset(out, 0, sizeof *out);
	out->kind = kind;
	out->process = gt_cuda_process_of(c, kind, e);
	out->thread = out->device = out->context = out->stream = out->graph = GT_CUDA_NONE;
	out->tid = out->reason = -1;
	out->start_ns = e->start;
	out->end_ns = e->end;
	out->timed = e->end != GT_NO_TIME && !(e->place & GT_PLACE_UNTIMED);
	out->correlation = e->correlation ? e->correlation : GT_CUDA_NONE;
	if (kind == GT_CUDA_GRAPH_EVENT || kind == GT_CUDA_NODE_EVENT) {
		get_moment(c, e, out);
		return 0;
	}
	if (kind == GT_CUDA_CALL)
		fill_call(c, e, out);
	if (e->place & GT_PLACE_ARGS)
		return get_unseen(c, e, out, err);
	if (record_at(c, e->place, &a, err))
		return -1;
	if (!out->timed)
		out->reason = reason_of(&a);
	decode(&(struct decode){ c, &c->buffers[GT_PLACE_BUFFER(e->place)], &a, out });
	return 0;
}

bool gt_cuda_call_of(struct gt_cuda *c, uint32_t process, uint32_t correlation, struct gt_cuda_event *out)
{
	struct gt_err err;
	uint64_t index;

	if (correlation == GT_CUDA_NONE || process >= c->m->n_processes ||
		!gt_cuda_call_entry(c, process, correlation, &index))
		return false;
	return gt_cuda_get(c, GT_CUDA_CALL, index, out, &err) == 0;
}
