/*
 * tests/fakegpu/device.c - a device: a queue of work, a thread that does it in order of submission, synthetic times,
 * its records
 *
 * Work runs in order of submission, so every order that streams and events ask for holds. Times are another matter:
 * each stream has its own, so that work of different streams overlaps in time as on a real device. A wait lasts until
 * the work is done and its end time has come.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct device {
	pthread_mutex_t lock;
	pthread_cond_t wake, done_cond;
	struct fg_op *first, **end;
	uint64_t submitted, done;                       /* tickets */
	bool started;
} devices[FG_MAX_DEVICES];
static atomic_ulong device_records;

static uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t duration_of(const struct fg_op *op)
{
	long ms = 0;

	switch (op->work) {
	case FG_WORK_KERNEL:
		fg_fault("slow-kernels", &ms);
		return 1000 + (uint64_t)op->grid.x * op->grid.y * op->grid.z + (uint64_t)ms * 1000000;
	case FG_WORK_COPY: return 900 + op->bytes / 16;
	case FG_WORK_SET: return 700 + op->bytes / 64;
	default: return 0;
	}
}

/* When it starts and ends on its stream's time line. With the device's lock held. */
static void plan(struct fg_op *op)
{
	struct fg_context *ctx = op->context;
	struct fg_stream *s = op->stream;
	bool blocking = !(s->flags & 1);

	op->queued = fg_now();
	op->start = max64(op->queued + 300, s->ready);
	if (s == ctx->null_stream)
		op->start = max64(op->start, ctx->ready);
	else if (blocking)
		op->start = max64(op->start, ctx->null_ready);
	op->end = op->start + duration_of(op);
	s->ready = op->end + 1;
	if (blocking)
		ctx->ready = max64(ctx->ready, s->ready);
	if (s == ctx->null_stream)
		ctx->null_ready = s->ready;
}

/* What the faults make of a device record's times. */
static void fault_times(struct fg_op *op)
{
	long limit;
	unsigned long n = atomic_fetch_add(&device_records, 1) + 1;

	if ((fg_fault("exhausted", &limit) && n > (unsigned long)limit) || fg_fault_due("zero-times"))
		op->start = op->end = 0;
	else if (fg_fault_due("reversed-times")) {
		uint64_t t = op->start;

		op->start = op->end;
		op->end = t;
	}
}

#define COMMON(r, kind, op) do { \
	PUT(r, kind, start, (op)->start); \
	PUT(r, kind, end, (op)->end); \
	PUT(r, kind, deviceId, (op)->context->device); \
	PUT(r, kind, contextId, (op)->context->id); \
	PUT(r, kind, streamId, (op)->stream_id); \
	PUT(r, kind, correlationId, (op)->correlation); \
	PUT(r, kind, graphNodeId, (op)->node_id); \
	PUT(r, kind, graphId, (op)->graph_id); \
	PUT(r, kind, channelID, (op)->work == FG_WORK_KERNEL ? 8 : 16); \
	PUT(r, kind, channelType, (op)->work == FG_WORK_KERNEL ? 1 : 2); \
} while (0)

static unsigned kernel_record(struct fg_rec *r, const struct fg_op *op)
{
	COMMON(r, CONCURRENT_KERNEL, op);
	PUT(r, CONCURRENT_KERNEL, completed, op->end);
	PUT(r, CONCURRENT_KERNEL, registersPerThread, 16);
	PUT(r, CONCURRENT_KERNEL, gridX, op->grid.x);
	PUT(r, CONCURRENT_KERNEL, gridY, op->grid.y);
	PUT(r, CONCURRENT_KERNEL, gridZ, op->grid.z);
	PUT(r, CONCURRENT_KERNEL, blockX, op->block.x);
	PUT(r, CONCURRENT_KERNEL, blockY, op->block.y);
	PUT(r, CONCURRENT_KERNEL, blockZ, op->block.z);
	PUT(r, CONCURRENT_KERNEL, dynamicSharedMemory, op->shared);
	PUT(r, CONCURRENT_KERNEL, gridId, op->ticket);
	PUT(r, CONCURRENT_KERNEL, name, (uintptr_t)op->f->name);
	PUT(r, CONCURRENT_KERNEL, queued, fg_state.latency_timestamps ? op->queued : 0);
	PUT(r, CONCURRENT_KERNEL, submitted, fg_state.latency_timestamps ? op->queued + 100 : 0);
	PUT(r, CONCURRENT_KERNEL, launchType, op->cooperative);
	PUT(r, CONCURRENT_KERNEL, maxActiveClusters, 1);
	return fg_kind_on(FG_KERNEL) ? FG_KERNEL : FG_CONCURRENT_KERNEL;
}

static unsigned copy_record(struct fg_rec *r, const struct fg_op *op)
{
	if (!op->peer) {
		COMMON(r, MEMCPY, op);
		PUT(r, MEMCPY, copyKind, op->copy_kind);
		PUT(r, MEMCPY, srcKind, op->src_kind);
		PUT(r, MEMCPY, dstKind, op->dst_kind);
		PUT(r, MEMCPY, flags, op->async);
		PUT(r, MEMCPY, bytes, op->bytes);
		PUT(r, MEMCPY, copyCount, 1);
		return FG_MEMCPY;
	}
	COMMON(r, MEMCPY2, op);
	PUT(r, MEMCPY2, copyKind, 10);
	PUT(r, MEMCPY2, srcKind, op->src_kind);
	PUT(r, MEMCPY2, dstKind, op->dst_kind);
	PUT(r, MEMCPY2, flags, op->async);
	PUT(r, MEMCPY2, bytes, op->bytes);
	PUT(r, MEMCPY2, srcDeviceId, op->src_context->device);
	PUT(r, MEMCPY2, srcContextId, op->src_context->id);
	PUT(r, MEMCPY2, dstDeviceId, op->dst_context->device);
	PUT(r, MEMCPY2, dstContextId, op->dst_context->id);
	return FG_MEMCPY2;
}

static unsigned set_record(struct fg_rec *r, const struct fg_op *op)
{
	COMMON(r, MEMSET, op);
	PUT(r, MEMSET, value, op->value);
	PUT(r, MEMSET, bytes, op->bytes);
	PUT(r, MEMSET, flags, op->async);
	PUT(r, MEMSET, memoryKind, op->dst_kind);
	return FG_MEMSET;
}

static unsigned event_record(struct fg_rec *r, const struct fg_op *op)
{
	PUT(r, CUDA_EVENT, correlationId, op->correlation);
	PUT(r, CUDA_EVENT, contextId, op->context->id);
	PUT(r, CUDA_EVENT, streamId, op->stream_id);
	PUT(r, CUDA_EVENT, eventId, op->event->id);
	PUT(r, CUDA_EVENT, deviceId, op->context->device);
	PUT(r, CUDA_EVENT, deviceTimestamp, fg_state.event_timestamps ? op->end : 0);
	return FG_CUDA_EVENT;
}

static unsigned graph_record(struct fg_rec *r, const struct fg_op *op)
{
	PUT(r, GRAPH_TRACE, correlationId, op->correlation);
	PUT(r, GRAPH_TRACE, start, op->start ? op->graph_start : 0);
	PUT(r, GRAPH_TRACE, end, op->end);
	PUT(r, GRAPH_TRACE, deviceId, op->context->device);
	PUT(r, GRAPH_TRACE, graphId, op->graph_id);
	PUT(r, GRAPH_TRACE, contextId, op->context->id);
	PUT(r, GRAPH_TRACE, streamId, op->stream_id);
	PUT(r, GRAPH_TRACE, endDeviceId, op->context->device);
	PUT(r, GRAPH_TRACE, endContextId, op->context->id);
	return FG_GRAPH_TRACE;
}

static unsigned host_record(struct fg_rec *r, const struct fg_op *op)
{
#define HOST(kind) \
	PUT(r, kind, start, op->start); \
	PUT(r, kind, end, op->end); \
	PUT(r, kind, deviceId, op->context->device); \
	PUT(r, kind, contextId, op->context->id); \
	PUT(r, kind, streamId, op->stream_id); \
	PUT(r, kind, correlationId, op->correlation); \
	PUT(r, kind, processId, getpid()); \
	PUT(r, kind, threadId, op->host_tid)
	if (!op->node_id) {
		HOST(HOST_LAUNCH);
		return FG_HOST_LAUNCH;
	}
	HOST(GRAPH_HOST_NODE);
#undef HOST
	PUT(r, GRAPH_HOST_NODE, graphId, op->graph_id);
	PUT(r, GRAPH_HOST_NODE, graphNodeId, op->node_id);
	return FG_GRAPH_HOST_NODE;
}

/* 0: this work has no record now. */
static unsigned make_record(struct fg_rec *r, const struct fg_op *op)
{
	unsigned kind = 0;

	memset(r, 0, sizeof *r);
	switch (op->work) {
	case FG_WORK_KERNEL: kind = kernel_record(r, op); break;
	case FG_WORK_COPY: kind = copy_record(r, op); break;
	case FG_WORK_SET: kind = set_record(r, op); break;
	case FG_WORK_EVENT: kind = event_record(r, op); break;
	case FG_WORK_GRAPH_END: kind = graph_record(r, op); break;
	case FG_WORK_HOST: kind = host_record(r, op); break;
	default: return 0;
	}
	if (op->quiet && op->work != FG_WORK_HOST)
		return 0;
	if (!fg_kind_on(kind) && !(fg_state.finalized && fg_fault("late-records", NULL)))
		return 0;
	return kind;
}

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct { unsigned kind; struct fg_rec r; } kept;  /* out-of-order: until the next one */

void fg_emit_kept(void)
{
	struct fg_rec r;
	unsigned kind;

	pthread_mutex_lock(&kept_lock);
	kind = kept.kind;
	r = kept.r;
	kept.kind = 0;
	pthread_mutex_unlock(&kept_lock);
	if (kind)
		fg_emit(kind, &r);
}

/* incomplete: its record is there from now on, without times. */
static void emit_open(struct fg_op *op)
{
	struct fg_op copy = *op;
	struct fg_rec r;

	copy.start = copy.end = 0;
	unsigned kind = make_record(&r, &copy);

	op->body = kind ? fg_emit_open(kind, &r, &op->body_at) : NULL;
}

static void emit_done(struct fg_op *op)
{
	struct fg_op copy = *op;
	struct fg_rec r, second;
	unsigned kind, second_kind = 0;

	if (op->work != FG_WORK_EVENT && op->work != FG_WORK_HOST)
		fault_times(&copy);
	kind = make_record(&r, &copy);
	if (op->body) {
		fg_emit_close(op->body, op->body_at, kind, &r);
		return;
	}
	if (!kind)
		return;
	if (fg_fault("out-of-order", NULL)) {
		pthread_mutex_lock(&kept_lock);
		second_kind = kept.kind;
		second = kept.r;
		kept.kind = second_kind ? 0 : kind;
		kept.r = r;
		pthread_mutex_unlock(&kept_lock);
		if (!second_kind)
			return;
	}
	fg_emit(kind, &r);
	if (second_kind)
		fg_emit(second_kind, &second);
}

/* It takes the time that it takes; what is behind it in its stream does not begin before. */
static void run_host(struct fg_op *op)
{
	struct device *d = &devices[op->context->device];

	op->host_tid = fg_thread_id();
	op->start = fg_now();
	op->host(op->host_data);
	op->end = fg_now();
	pthread_mutex_lock(&d->lock);
	op->stream->ready = max64(op->stream->ready, op->end + 1);
	pthread_mutex_unlock(&d->lock);
}

static void run(struct fg_op *op)
{
	char *args[16];

	switch (op->work) {
	case FG_WORK_KERNEL:
		for (int i = 0; i < op->f->n_args; i++)
			args[i] = (char *)&op->args[i];
		if (op->f->code)
			op->f->code->run(args, (uint64_t)op->grid.x * op->block.x);
		fg_count(FG_C_KERNELS, 1);
		break;
	case FG_WORK_COPY:
		memmove((void *)op->dst, (const void *)op->src, op->bytes);
		fg_count(FG_C_COPIES, 1);
		break;
	case FG_WORK_SET:
		for (uint64_t i = 0; i < op->bytes; i += op->element)
			memcpy((char *)op->dst + i, &op->value, op->element);
		fg_count(FG_C_SETS, 1);
		break;
	case FG_WORK_EVENT: op->event->time = op->end; break;
	case FG_WORK_WAIT: fg_device_wait(op->wait_device, op->wait_ticket); break;
	case FG_WORK_FREE: fg_release_now(op->dst); break;
	case FG_WORK_HOST: run_host(op); break;
	case FG_WORK_GRAPH_END: break;
	}
}

static void sleep_until(uint64_t end)
{
	uint64_t now = fg_now();

	if (now < end)
		nanosleep(&(struct timespec){ (time_t)((end - now) / 1000000000), (long)((end - now) % 1000000000) },
			NULL);
}

static void *device_thread(void *arg)
{
	struct device *d = arg;

	pthread_mutex_lock(&d->lock);
	for (;;) {
		while (!d->first)
			pthread_cond_wait(&d->wake, &d->lock);
		struct fg_op *op = d->first;
		bool reported;

		pthread_mutex_unlock(&d->lock);
		run(op);
		if (op->work == FG_WORK_KERNEL && fg_fault("slow-kernels", NULL))
			sleep_until(op->end);
		pthread_mutex_lock(&d->lock);
		d->first = op->next;                    /* from here on a forced flush does not see it */
		if (!d->first)
			d->end = &d->first;
		reported = op->reported;
		pthread_mutex_unlock(&d->lock);
		if (!reported)
			emit_done(op);
		pthread_mutex_lock(&d->lock);
		d->done = op->ticket;
		pthread_cond_broadcast(&d->done_cond);
		free(op);
	}
	return NULL;
}

static void start(struct device *d)
{
	pthread_t thread;

	if (d->started)
		return;
	pthread_cond_init(&d->wake, NULL);
	pthread_cond_init(&d->done_cond, NULL);
	d->end = &d->first;
	d->started = pthread_create(&thread, NULL, device_thread, d) == 0 && pthread_detach(thread) == 0;
}

void fg_submit(struct fg_stream *s, struct fg_op *op)
{
	struct device *d = &devices[s->context->device];
	struct fg_op *copy;

	if (s->capture && op->work != FG_WORK_FREE) {
		fg_graph_append(s->capture, op);
		return;
	}
	copy = malloc(sizeof *copy);
	if (!copy)
		return;
	op->stream = s;
	op->stream_id = s->id;
	op->context = s->context;
	op->next = NULL;
	op->body = NULL;
	if (op->work == FG_WORK_KERNEL && fg_fault("incomplete", NULL))
		emit_open(op);
	pthread_mutex_lock(&d->lock);
	start(d);
	if (op->work == FG_WORK_WAIT)
		s->ready = max64(s->ready, op->graph_start);
	plan(op);
	op->ticket = s->last = ++d->submitted;
	if (op->event && op->work == FG_WORK_EVENT) {
		op->event->ticket = op->ticket;
		op->event->device = s->context->device;
		op->event->time = op->end;
		op->event->stream = s;
	}
	*copy = *op;
	*d->end = copy;
	d->end = &copy->next;
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->lock);
}

void fg_device_wait(int device, uint64_t ticket)
{
	struct device *d = &devices[device];

	pthread_mutex_lock(&d->lock);
	while (d->done < ticket)
		pthread_cond_wait(&d->done_cond, &d->lock);
	pthread_mutex_unlock(&d->lock);
}

bool fg_device_done(int device, uint64_t ticket)
{
	struct device *d = &devices[device];

	pthread_mutex_lock(&d->lock);
	bool done = d->done >= ticket;

	pthread_mutex_unlock(&d->lock);
	return done;
}

uint64_t fg_device_last(int device)
{
	struct device *d = &devices[device];

	pthread_mutex_lock(&d->lock);
	uint64_t last = d->submitted;

	pthread_mutex_unlock(&d->lock);
	return last;
}

/* A forced flush hands over what runs, open-ended; it is never reported again. */
void fg_report_pending(void)
{
	for (int i = 0; i < FG_MAX_DEVICES; i++) {
		struct device *d = &devices[i];
		struct fg_op *list = NULL, **end = &list;

		pthread_mutex_lock(&d->lock);
		for (struct fg_op *op = d->first; op; op = op->next) {
			struct fg_op *copy = op->reported || op->body ? NULL : malloc(sizeof *copy);

			if (!copy)
				continue;
			op->reported = true;
			*copy = *op;
			copy->next = NULL;
			*end = copy;
			end = &copy->next;
		}
		pthread_mutex_unlock(&d->lock);
		for (struct fg_op *op = list, *next; op; op = next) {
			struct fg_rec r;
			unsigned kind;

			next = op->next;
			if (op->start > fg_now())
				op->start = 0;
			op->end = 0;
			kind = make_record(&r, op);
			if (kind)
				fg_emit(kind, &r);
			free(op);
		}
	}
}

__attribute__((constructor)) static void init_locks(void)
{
	for (int i = 0; i < FG_MAX_DEVICES; i++)
		pthread_mutex_init(&devices[i].lock, NULL);
}
