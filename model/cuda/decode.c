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
		gt_cuda_no_memory(c->m, err);
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
		return gt_cuda_no_memory(c->m, err);
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

/* The words of kinds.def; NUMBER_OR_NONE, ID: all ones mean "none". */
#define GET(layout, name, otherwise) REC_GET(d->a, layout, name, otherwise)
#define HAS(layout, name) REC_HAS(d->a, layout, name)
#define NUMBER(layout, name) (HAS(layout, name) ? (int64_t)GET(layout, name, 0) : -1)
#define NUMBER_OR_NONE(layout, name) \
	(GET(layout, name, GT_CUDA_NONE) == GT_CUDA_NONE ? -1 : (int64_t)GET(layout, name, 0))
#define ID(layout, name) GET(layout, name, GT_CUDA_NONE)
#define TIME(layout, name) gt_cuda_ns(d->c, d->b->process, GET(layout, name, 0))
#define TEXT_AT(layout, name) string_at(d, GET(layout, name, 0))

/* decode_call and so on: the values of each kind. */
#define BEGIN(KIND, member, name, plural, words) static void decode_##member(const struct decode *d) { (void)d;
#define VALUE(member, type, field, form, label, value) d->out->member.field = value;
#define LATER(member, type, field, form, label)
#define END(KIND, member) }
#define ALSO(KIND, member, name, plural, words)
#include "model/cuda/kinds.def"

/* What records of many kinds have, where this one has it. A graph's id counts where the record is of a node. */
#define PLACE_DEVICE(layout, name) e->device = ID(layout, name), has_device = HAS(layout, name);
#define PLACE_CONTEXT(layout, name) e->context = ID(layout, name);
#define PLACE_STREAM(layout, name) e->stream = (uint32_t)ID(layout, name);
#define PLACE_GRAPH(layout, name) e->graph = ID(layout, name);
#define PLACE_GRAPH_NODE(layout, name) e->graph_node = GET(layout, name, 0), is_node = true;
#define PLACE_START(layout, name)
#define PLACE_END(layout, name)
#define PLACE_END_IF_ANY(layout, name)
#define PLACE_MOMENT(layout, name)
#define PLACE_MOMENT_IF_TOLD(layout, name)
#define PLACE_CORRELATION(layout, name)

static void decode_place(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	bool has_device = false, is_node = false;

	switch (gt_cuda_records[d->a->kind].layout) {
	case REC_CUPTI_LAYOUT_NONE:
#define LAYOUT(layout, structure) break; case REC_CUPTI_LAYOUT_##layout:
#define ROLE(role, layout, name, offset, type, since) PLACE_##role(layout, name)
#include "trace/format/cupti.def"
		break;
	}
	if (is_node && !e->graph_node)
		e->graph = GT_CUDA_NONE;
	if (!has_device && e->context != GT_CUDA_NONE) {
		const struct gt_cuda_context *x = gt_cuda_context_of(d->c, d->b->process, e->context);

		e->device = x ? x->device : GT_CUDA_NONE;
	}
}

/* ------------------------------------------------- what takes more than an expression */

/* The thread of that number when the record began; one that is of no time is of the first. */
static uint32_t thread_with(const struct decode *d, int tid)
{
	return gt_thread_numbered(d->c->m, d->b->process, tid, d->out->timed ? d->out->start_ns : INT64_MIN);
}

static void finish_call(const struct decode *d)
{
	d->out->tid = (int)GET(API, threadId, 0);
}

static void finish_kernel(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	struct gt_cuda_text *name = gt_cuda_string(d->c, d->b, GET(KERNEL, name, 0));
	const struct gt_string none = { "", 0 };

	if (name)
		gt_cuda_demangle(d->c, name);
	const struct gt_cuda_order *order = gt_cuda_order_of(d->c, d->b->process, GET(KERNEL, correlationId, 0));

	e->kernel.serialisation = order ? order->serialisation : 0;
	e->kernel.programmatic_event = order ? order->programmatic_event : 0;
	e->kernel.completion_event = order ? order->completion_event : 0;
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
}

/* What copies between peers have in common with others. */
#define COPY_OF(layout) \
	e->copy.bytes = GET(layout, bytes, 0), e->copy.copy_kind = GET(layout, copyKind, 0), \
	e->copy.src_kind = GET(layout, srcKind, 0), e->copy.dst_kind = GET(layout, dstKind, 0), \
	e->copy.async = GET(layout, flags, 0) & 1, e->copy.channel = NUMBER_OR_NONE(layout, channelID), \
	e->copy.channel_type = NUMBER(layout, channelType)

static void finish_copy(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	if (d->a->kind == REC_CUPTI_KIND_MEMCPY) {
		COPY_OF(MEMCPY);
		e->copy.count = NUMBER(MEMCPY, copyCount);
		e->copy.src_device = e->copy.src_context = e->copy.dst_device = e->copy.dst_context = GT_CUDA_NONE;
		return;
	}
	COPY_OF(MEMCPY2);
	e->copy.peer = true;
	e->copy.count = -1;
	e->copy.src_device = ID(MEMCPY2, srcDeviceId), e->copy.src_context = ID(MEMCPY2, srcContextId);
	e->copy.dst_device = ID(MEMCPY2, dstDeviceId), e->copy.dst_context = ID(MEMCPY2, dstContextId);
}

static void finish_graph(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	bool told = d->a->kind == REC_CUPTI_KIND_GRAPH_TRACE;

	e->graph_launch.exec = e->graph;          /* CUPTI numbers the executable graph */
	e->graph_launch.end_device = told ? ID(GRAPH_TRACE, endDeviceId) : GT_CUDA_NONE;
	e->graph_launch.end_context = told ? ID(GRAPH_TRACE, endContextId) : GT_CUDA_NONE;
}

static void finish_memory(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	bool pool = GET(MEMORY2, poolType, 0) != 0;

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
}

static void finish_managed(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->device = e->managed.dst != GT_CUDA_NONE ? e->managed.dst : e->managed.src; /* the host is none */
}

enum { OBJECT_PROCESS = 1, OBJECT_THREAD, OBJECT_DEVICE, OBJECT_CONTEXT, OBJECT_STREAM };

static void finish_overhead(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;
	uint32_t full[REC_CUPTI_FULL_WORDS];
	e->overhead.buffer_left = e->overhead.channel = e->overhead.channel_type = -1;
	if (gt_cuda_full_data(d->c, d->b, d->a, full) > 0) {
		e->overhead.buffer_left = full[REC_CUPTI_FULL_LEFT];
		e->overhead.channel = full[REC_CUPTI_FULL_CHANNEL];
		e->overhead.channel_type = full[REC_CUPTI_FULL_CHANNEL_TYPE];
	}
	if (e->overhead.object_kind == OBJECT_THREAD) {
		e->tid = (int)GET(OVERHEAD, objectThread, 0);
		e->thread = thread_with(d, e->tid);
	} else if (e->overhead.object_kind >= OBJECT_DEVICE && e->overhead.object_kind <= OBJECT_STREAM) {
		e->device = GET(OVERHEAD, objectProcess, 0);      /* one union: device, context, stream in that order */
		e->context = e->overhead.object_kind > OBJECT_DEVICE ? GET(OVERHEAD, objectThread, 0) : GT_CUDA_NONE;
		e->stream = e->overhead.object_kind > OBJECT_CONTEXT ? GET(OVERHEAD, objectStream, 0) : GT_CUDA_NONE;
	}
}

static void finish_jit(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	if (HAS(JIT, threadId)) {
		e->tid = (int)GET(JIT, threadId, 0);
		e->thread = thread_with(d, e->tid);
	}
}

/* On a thread of the driver's, which has a stream of records only if it made calls. */
static void finish_host_function(const struct decode *d)
{
	struct gt_cuda_event *e = d->out;

	e->host_function.in_graph = d->a->kind == REC_CUPTI_KIND_GRAPH_HOST_NODE;
	e->tid = (int)(e->host_function.in_graph ? GET(GRAPH_HOST_NODE, threadId, 0) : GET(HOST_LAUNCH, threadId, 0));
	e->thread = thread_with(d, e->tid);
}

static void finish(const struct decode *d)
{
	switch (d->out->kind) {
	case GT_CUDA_CALL: finish_call(d); break;
	case GT_CUDA_KERNEL: finish_kernel(d); break;
	case GT_CUDA_COPY: finish_copy(d); break;
	case GT_CUDA_GRAPH: finish_graph(d); break;
	case GT_CUDA_MEMORY: finish_memory(d); break;
	case GT_CUDA_MANAGED: finish_managed(d); break;
	case GT_CUDA_OVERHEAD: finish_overhead(d); break;
	case GT_CUDA_JIT: finish_jit(d); break;
	case GT_CUDA_HOST_FUNCTION: finish_host_function(d); break;
	default: break;
	}
}

static void decode(const struct decode *d)
{
	if (d->out->kind != GT_CUDA_CALL)
		decode_place(d);
	switch (d->out->kind) {
#define BEGIN(KIND, member, name, plural, words) case GT_CUDA_##KIND: decode_##member(d); break;
#include "model/cuda/kinds.def"
	case GT_CUDA_KINDS: break;
	}
	finish(d);
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
		gt_cuda_args_of(c, out->process, e->correlation, GT_CUDA_FN_ID(e), e->start);
	const struct gt_cuda_fn *f;

	out->call.domain = GT_CUDA_DOMAIN(e->place);
	out->call.cbid = GT_PLACE_CBID(e->place);
	f = gt_cuda_fn_of(c, out->process, out->call.domain, out->call.cbid);
	out->call.name = f->name;
	out->call.base = f->base;
	out->call.nested = e->place & GT_PLACE_NESTED;
	out->call.has_args = args && !args->bare;
	out->call.args_link = args ? args->link : 0;
	out->call.stack_link = args ? args->stack : 0;
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
	out->call.has_args = rc == 1 && !(rec.flags & REC_BARE);
	out->call.stack_link = rc == 1 ? rec.stack : 0;
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
	const struct gt_cuda_entry *call = gt_cuda_call_entry(c, moment->process, moment->correlation, e->start, NULL);
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
			GT_CUDA_DOMAIN(call->place),
			GT_PLACE_CBID(call->place))
						->name;
}

/* --------------------------------------------------------------------- asking */

/* A reason is for what has none of the times that it should have. */
static int reason_of(const struct rec_activity *a)
{
	const struct gt_cuda_times t = gt_cuda_times_of(a);

	return t.timing == GT_CUDA_TOLD ? gt_cuda_untimed(t.start, t.end) : -1;
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

bool gt_cuda_call_of(
	struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t at_ns, struct gt_cuda_event *out)
{
	struct gt_err err;
	uint64_t index;

	if (correlation == GT_CUDA_NONE || process >= c->m->n_processes ||
		!gt_cuda_call_entry(c, process, correlation, at_ns, &index))
		return false;
	return gt_cuda_get(c, GT_CUDA_CALL, index, out, &err) == 0;
}
