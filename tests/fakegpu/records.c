/*
 * tests/fakegpu/records.c - records of the imitated version, client buffers per process or per thread, completion,
 * flush
 *
 * A buffer belongs to a slot: one for all threads, or one per thread with the attribute set. The client's callbacks are
 * never called with a lock held. Full buffers are completed by a thread of our own, flushed ones by the flushing
 * thread.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fakegpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is told of a buffer by records in it that are not complete; lives as long as one of them or the buffer does. */
struct fg_body { uint8_t *data; int open; bool gone; };
struct full { struct full *next; uint8_t *data; size_t bytes, valid; struct fg_body *body; };
struct slot {
	pthread_mutex_t lock;
	uint8_t *data;
	size_t bytes, used, records, max_records;
	struct fg_body *body;
	struct slot *next;
};

static const struct { uint8_t kind; uint16_t bytes; uint32_t since; } sizes[] = {
#define SIZE(kind, number, bytes, since) { number, bytes, since },
#include "records.def"
};
static const uint8_t grows[] = {
#define GROWS(kind, number) number,
#include "records.def"
};
static const struct { uint16_t offset; uint8_t bytes; uint32_t since; } fields[] = {
#define FIELD(kind, name, offset, bytes, since) { offset, bytes, since },
#include "records.def"
};

static struct slot shared_slot = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Atomic(struct slot *) slots = &shared_slot;
static __thread struct slot *own_slot;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_wake = PTHREAD_COND_INITIALIZER, queue_idle = PTHREAD_COND_INITIALIZER;
static struct full *queue, **queue_end = &queue;
static bool worker_started, worker_delivers;
static pthread_t worker;
static pthread_mutex_t body_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong records_made;

#define FUTURE 139900                    /* from here on records are longer than anyone knows */
static uint32_t version(void) { return fg_state.cupti_version ? fg_state.cupti_version : 130001; }

size_t fg_record_bytes(unsigned kind)
{
	size_t bytes = 0;

	if (fg_state.replay_bytes)
		return kind < FG_KINDS ? fg_state.replay_bytes[kind] : 0;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].kind == kind && version() >= sizes[i].since)
			bytes = sizes[i].bytes;
	for (size_t i = 0; bytes && version() >= FUTURE && i < sizeof grows; i++)
		if (grows[i] == kind)
			return bytes + 24;
	return bytes;
}

void fg_put(struct fg_rec *r, enum fg_field field, uint64_t value)
{
	if (version() >= fields[field].since)
		memcpy(r->b + fields[field].offset, &value, fields[field].bytes);
}

bool fg_kind_on(unsigned kind) { return atomic_load_explicit(&fg_state.kind_on[kind], memory_order_relaxed); }

static bool is_open(const struct fg_body *b)
{
	pthread_mutex_lock(&body_lock);
	bool open = b && b->open;

	pthread_mutex_unlock(&body_lock);
	return open;
}

/* The buffer goes back to the client. */
static void body_left(struct fg_body *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&body_lock);
	bool last = !b->open;

	b->gone = true;
	pthread_mutex_unlock(&body_lock);
	if (last)
		free(b);
}

static void deliver(struct full *f)
{
	body_left(f->body);
	fg_count(FG_C_BUFFERS_COMPLETED, 1);
	fg_state.complete(NULL, 0, f->data, f->bytes, f->valid);
	free(f);
}

static struct full *take_all(bool by_worker, bool forced)
{
	struct full *f = NULL, **end = &f;

	pthread_mutex_lock(&queue_lock);
	for (struct full **at = &queue; *at;) {
		struct full *one = *at;

		if (!forced && is_open(one->body)) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		one->next = NULL;
		*end = one;
		end = &one->next;
	}
	for (queue_end = &queue; *queue_end; queue_end = &(*queue_end)->next)
		;
	if (by_worker)
		worker_delivers = true;
	pthread_mutex_unlock(&queue_lock);
	return f;
}

static void deliver_all(struct full *f)
{
	while (f) {
		struct full *next = f->next;

		deliver(f);
		f = next;
	}
}

static void worker_idle(void)
{
	pthread_mutex_lock(&queue_lock);
	worker_delivers = false;
	pthread_cond_broadcast(&queue_idle);
	pthread_mutex_unlock(&queue_lock);
}

/* A flush returns when all that was full is delivered, the buffers in the worker's hands too. */
static void wait_for_worker(void)
{
	pthread_mutex_lock(&queue_lock);
	while (worker_delivers && !pthread_equal(worker, pthread_self()))
		pthread_cond_wait(&queue_idle, &queue_lock);
	pthread_mutex_unlock(&queue_lock);
}

static void *completion_thread(void *unused)
{
	(void)unused;
	for (;;) {
		struct timespec until;
		bool late = fg_fault("late-buffers", NULL), timed_out = false;

		pthread_mutex_lock(&queue_lock);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += fg_state.flush_period_ms ? fg_state.flush_period_ms / 1000 : 3600;
		until.tv_nsec += (long)(fg_state.flush_period_ms % 1000) * 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		while ((!queue || late) && !timed_out) {
			uint32_t period = fg_state.flush_period_ms;

			timed_out = pthread_cond_timedwait(&queue_wake, &queue_lock, &until) != 0;
			if (period != fg_state.flush_period_ms)
				break;
		}
		pthread_mutex_unlock(&queue_lock);
		if (!late || (timed_out && fg_state.flush_period_ms)) {
			deliver_all(take_all(true, false));
			worker_idle();
			if (fg_fault("incomplete", NULL))       /* what stays in the queue wakes nobody */
				nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
		}
	}
	return NULL;
}

void fg_period_changed(void)
{
	pthread_mutex_lock(&queue_lock);
	pthread_cond_broadcast(&queue_wake);
	pthread_mutex_unlock(&queue_lock);
}

/* slot->lock held: its buffer becomes a full one. */
static struct full *detach(struct slot *s)
{
	struct full *f = s->data ? calloc(1, sizeof *f) : NULL;

	if (f)
		*f = (struct full){ NULL, s->data, s->bytes, s->used, s->body };
	s->data = NULL;
	s->body = NULL;
	return f;
}

static void hand_over(struct full *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&queue_lock);
	*queue_end = f;
	queue_end = &f->next;
	if (!worker_started && fg_state.pid == getpid())
		worker_started =
			pthread_create(&worker, NULL, completion_thread, NULL) == 0 && pthread_detach(worker) == 0;
	pthread_cond_signal(&queue_wake);
	pthread_mutex_unlock(&queue_lock);
}

static struct slot *slot_here(void)
{
	if (!fg_state.attribute[9])
		return &shared_slot;
	if (!own_slot) {
		struct slot *s = calloc(1, sizeof *s);

		if (!s)
			return &shared_slot;
		pthread_mutex_init(&s->lock, NULL);
		s->next = atomic_load(&slots);
		while (!atomic_compare_exchange_weak(&slots, &s->next, s))
			;
		/* stays in the list after its thread: a flush returns what it held */
		own_slot = s;
	}
	return own_slot;
}

static void drop(void)
{
	atomic_fetch_add(&fg_state.dropped, 1);
	fg_counts_drop();
	fg_count(FG_C_DROPPED, 1);
}

/* A buffer of the client's, without the lock. False: declined, too small or misaligned. */
static bool request(struct slot *s, size_t need)
{
	uint8_t *data = NULL;
	size_t bytes = 0, max_records = 0;

	fg_count(FG_C_BUFFERS_REQUESTED, 1);
	fg_state.request(&data, &bytes, &max_records);
	if (!data || bytes < need || (uintptr_t)data % 8) {
		fg_count(FG_C_BUFFERS_DECLINED, 1);
		if (fg_fault("decline-crashes", NULL) && version() < 27)
			abort();
		if (data) {
			struct full *f = calloc(1, sizeof *f);

			if (f)
				*f = (struct full){ NULL, data, bytes, 0, NULL };
			hand_over(f);
		}
		return false;
	}
	if (!fg_state.attribute[5])
		memset(data, 0, bytes);
	pthread_mutex_lock(&s->lock);
	struct full *other = detach(s);              /* another thread was faster: keep the newer, complete the older */

	s->data = data;
	s->bytes = bytes;
	s->used = s->records = 0;
	s->max_records = max_records;
	pthread_mutex_unlock(&s->lock);
	hand_over(other);
	return true;
}

/* slot->lock held. */
static struct fg_body *body_open(struct slot *s)
{
	pthread_mutex_lock(&body_lock);
	if (!s->body)
		s->body = calloc(1, sizeof *s->body);
	if (s->body) {
		s->body->data = s->data;
		s->body->open++;
	}
	pthread_mutex_unlock(&body_lock);
	return s->body;
}

/* body: NULL, or where the buffer that it went to is told, and *at its place there. */
static void append(const struct fg_rec *r, size_t bytes, struct fg_body **body, size_t *place)
{
	struct slot *s = slot_here();

	for (int try = 0; try < 8; try++) {
		pthread_mutex_lock(&s->lock);
		if (s->data && s->used + bytes <= s->bytes && (!s->max_records || s->records < s->max_records)) {
			memcpy(s->data + s->used, r, bytes);
			if (body) {
				*place = s->used;
				*body = body_open(s);
			}
			s->used += bytes;
			s->records++;
			pthread_mutex_unlock(&s->lock);
			fg_count(FG_C_RECORDS, 1);
			return;
		}
		struct full *f = detach(s);

		pthread_mutex_unlock(&s->lock);
		hand_over(f);
		if (!request(s, bytes))
			break;
	}
	drop();
}

static void tell_state(void)
{
	long n;
	unsigned long now = atomic_fetch_add(&records_made, 1) + 1;

	if (fg_fault("fatal-state", &n) && now == (unsigned long)n)
		fg_tell_state(1);
	if (fg_fault("told-state", &n) && now - (unsigned long)n < 2)
		fg_tell_state(2 + (uint32_t)(now - (unsigned long)n));
}

static void emit(unsigned kind, struct fg_rec *r, struct fg_body **body, size_t *place)
{
	size_t bytes = fg_record_bytes(kind);
	uint32_t word = kind;

	if (!bytes || !fg_state.request || !fg_state.complete || fg_state.replaying)
		return;
	if (fg_state.finalized && !fg_fault("late-records", NULL))
		return;
	tell_state();
	if (fg_state.failed)
		return;
	fg_counts_record(kind);
	if (kind == FG_CONCURRENT_KERNEL && fg_fault_due("vanish-kernels"))
		return;
	if (fg_fault_due("drop")) {
		drop();
		return;
	}
	memcpy(r->b, &word, 4);
	if (version() >= FUTURE)
		for (size_t i = 0; i < sizeof grows; i++)
			if (grows[i] == kind)
				memset(r->b + bytes - 24, 0xa5, 24);    /* what a reader of today must skip */
	append(r, bytes, body, place);
}

void fg_emit(unsigned kind, struct fg_rec *r) { emit(kind, r, NULL, NULL); }

struct fg_body *fg_emit_open(unsigned kind, struct fg_rec *r, size_t *at)
{
	struct fg_body *b = NULL;
	long how = 0;

	emit(kind, r, &b, at);
	if (b && fg_fault("incomplete", &how) && how == 2) {
		pthread_mutex_lock(&body_lock);
		memset(b->data + *at, 0, fg_record_bytes(kind));
		pthread_mutex_unlock(&body_lock);
	}
	return b;
}

void fg_emit_close(struct fg_body *b, size_t at, unsigned kind, struct fg_rec *r)
{
	uint32_t word = kind;

	memcpy(r->b, &word, 4);
	pthread_mutex_lock(&body_lock);
	if (kind && !b->gone)
		memcpy(b->data + at, r, fg_record_bytes(kind));
	bool last = !--b->open && b->gone;

	pthread_mutex_unlock(&body_lock);
	if (last)
		free(b);
}

static void record_flush(uint64_t start)
{
	struct fg_rec r = { { 0 } };

	if (!fg_kind_on(FG_OVERHEAD))
		return;
	PUT(&r, OVERHEAD, overheadKind, 1 << 16);
	PUT(&r, OVERHEAD, objectKind, 1);
	PUT(&r, OVERHEAD, objectId, getpid());
	PUT(&r, OVERHEAD, start, start);
	PUT(&r, OVERHEAD, end, fg_now());
	fg_emit(FG_OVERHEAD, &r);
}

/* The first forced flushes leave what is being filled with us. */
static bool keeps(uint32_t flags)
{
	static atomic_long forced;
	long most;

	return flags & 1 && fg_fault("flush-keeps", &most) && atomic_fetch_add(&forced, 1) < most;
}

static int flush(uint32_t flags)
{
	uint64_t start = fg_now();
	long ms;

	if (flags > 1)
		return CUPTI_INVALID_PARAMETER;
	if (!fg_state.complete)
		return CUPTI_INVALID_OPERATION;
	if (fg_state.pid && fg_state.pid != getpid()) {
		while (fg_fault("child-flush-hangs", NULL))
			pause();
		return CUPTI_NOT_INITIALIZED;
	}
	fg_count(FG_C_FLUSHES, 1);
	if (fg_fault("flush-hangs", &ms))
		nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
	if (fg_state.failed || fg_fault_due("flush-fails"))
		return CUPTI_UNKNOWN;
	if (flags & 1) {
		fg_count(FG_C_FORCED, 1);
		fg_report_pending();
	}
	fg_emit_kept();
	deliver_all(take_all(false, flags & 1));
	wait_for_worker();
	for (struct slot *s = keeps(flags) ? NULL : atomic_load(&slots); s; s = s->next) {
		pthread_mutex_lock(&s->lock);
		struct full *f = s->used && (flags & 1 || !is_open(s->body)) ? detach(s) : NULL;

		pthread_mutex_unlock(&s->lock);
		if (f)
			deliver(f);
	}
	record_flush(start);
	return CUPTI_OK;
}

/* Rules of the real one: none from a callback of resources, never two at once. */
int fg_flush(uint32_t flags)
{
	static atomic_int at_once;
	bool alone = atomic_fetch_add(&at_once, 1) == 0;

	if (fg_fault("flush-in-callback", NULL) && (fg_in_resource_callback || !alone)) {
		fprintf(stderr, "gputap stand-in: a flush %s\n",
			alone ? "inside a callback of resources" : "beside another one");
		abort();
	}
	int result = flush(flags);

	atomic_fetch_sub(&at_once, 1);
	return result;
}
