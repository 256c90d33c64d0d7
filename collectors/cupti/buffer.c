/*
 * collectors/cupti/buffer.c - the buffers that CUPTI fills with activities: they are chunks of the trace
 *
 * Runs      in CUPTI's callbacks: a buffer is asked for on the thread that has something to record, and comes back on
 *           CUPTI's worker or on a thread that flushes. Several threads at once.
 * May       make system calls.
 *           The first of them makes a thread, where nothing else did.
 * Must not  allocate with malloc, lock, change errno, answer a request with nothing: old libraries crash then.
 *
 * What CUPTI has written is in the trace at that moment, whatever becomes of the process: nothing is copied, and
 * nothing parsed but pointers (string.c).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>

#include "collectors/cupti/internal.h"
#include "trace/write/stream/buffers.h"

#define SHARED_PLACE (32u * REC_BLOCK)  /* bytes: one buffer for all threads */
#define THREAD_PLACE (8u * REC_BLOCK)   /* one per thread, while they are few */
#define LARGEST_PLACE (4096u * REC_BLOCK)
#define WASTE_BYTES 65536u              /* of a buffer whose records are thrown away */
#define WASTE_KIND 0xffffu

/* such buffers that are free; only ever taken as a whole: no top is seen again */
static struct rec_chunk *waste;
static struct rec_chunk *all_waste;     /* every one that was made: they are never unmapped */
static uint32_t waste_out;              /* how many of them CUPTI has */

static uint64_t place_bytes(void)
{
	uint64_t asked = tap_cupti_option_number("cuda-buffer-size");
	uint64_t bytes = asked ? (asked + REC_CUPTI_BUFFER + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK
	                       : tap_cupti.flags & REC_CUPTI_PER_THREAD_BUFFERS ? THREAD_PLACE : SHARED_PLACE;

	return bytes < LARGEST_PLACE ? bytes : LARGEST_PLACE;
}

/* Of a chunk of a ring that is to be overwritten. */
static uint64_t count_records(const struct rec_chunk *c)
{
	const struct rec_cupti_buffer *b = (const struct rec_cupti_buffer *)(c + 1);
	const uint8_t *at = (const uint8_t *)c + REC_CUPTI_BUFFER,
		      *end = at + (b->valid < c->blob_bytes ? b->valid : c->blob_bytes);
	uint64_t n = 0;

	while (at + 4 <= end) {
		uint32_t kind = *(const uint32_t *)at,
			 bytes = kind < TAP_CUPTI_KINDS ? tap_cupti.record_bytes[kind] : 0;

		if (!bytes)
			break;
		at += bytes;
		n++;
	}
	return n;
}

/* Who asked for a size gets it; of one buffer for all threads few are out. */
bool tap_cupti_buffers_open(void)
{
	bool per_thread = tap_cupti.flags & REC_CUPTI_PER_THREAD_BUFFERS;

	return tap_buffers_open(
		place_bytes(), !per_thread || tap_cupti_option_number("cuda-buffer-size"), count_records);
}

/* ------------------------------------------------------------------- waste */

static struct rec_chunk **next_of(struct rec_chunk *c) { return (struct rec_chunk **)(c + 1); }
static struct rec_chunk **next_made(struct rec_chunk *c) { return next_of(c) + 1; }

static void waste_made(struct rec_chunk *c)
{
	*next_made(c) = __atomic_load_n(&all_waste, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		&all_waste, next_made(c), c, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static bool is_waste(const uint8_t *buffer)
{
	for (struct rec_chunk *c = __atomic_load_n(&all_waste, __ATOMIC_ACQUIRE); c; c = *next_made(c))
		if ((uint8_t *)c + REC_CUPTI_BUFFER == buffer)
			return true;
	return false;
}

bool tap_cupti_waste_is_out(void) { return __atomic_load_n(&waste_out, __ATOMIC_ACQUIRE); }

bool tap_cupti_is_buffer(const uint8_t *buffer) { return tap_cupti_peek_knows(buffer) || is_waste(buffer); }

static void waste_put(struct rec_chunk *list)
{
	struct rec_chunk *last = list, *top = __atomic_load_n(&waste, __ATOMIC_RELAXED);

	while (*next_of(last))
		last = *next_of(last);
	do
		*next_of(last) = top;
	while (!__atomic_compare_exchange_n(&waste, &top, list, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* There is no room in the trace: a buffer whose records are thrown away. NULL when not even that is to be had. */
static struct rec_chunk *waste_take(void)
{
	struct rec_chunk *c = __atomic_exchange_n(&waste, NULL, __ATOMIC_ACQUIRE);

	if (c && *next_of(c)) {
		waste_put(*next_of(c));
		*next_of(c) = NULL;
	}
	if (c)
		return c;
	c = tap_sys_mmap(NULL, REC_CUPTI_BUFFER + WASTE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	if (c) {
		c->kind = WASTE_KIND;
		waste_made(c);
	}
	return c;
}

/* Zero again, as a fresh one: CUPTI was told that buffers are. */
static void waste_give(struct rec_chunk *c, size_t valid)
{
	if (valid && !TAP_READ_ONCE(tap_cupti.closed))
		tap_lost(REC_LOSS_CUPTI_NO_BUFFER, 1);
	__builtin_memset((uint8_t *)c + REC_CUPTI_BUFFER, 0, WASTE_BYTES);
	*next_of(c) = NULL;
	waste_put(c);
	__atomic_sub_fetch(&waste_out, 1, __ATOMIC_ACQ_REL);
}

/* --------------------------------------------------------------- callbacks */

void tap_cupti_request_buffer(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
	int saved = errno;
	enum rec_loss why;
	/* once CUPTI is another client's, what it records until that has given buffers is no concern of ours */
	bool ours = tap_cupti_alive() && !TAP_READ_ONCE(tap_cupti.closed);
	struct rec_chunk *c = ours ? tap_buffers_take(&why) : NULL;
	size_t room = c ? c->blob_bytes : WASTE_BYTES;

	if (c)
		tap_cupti_peek_add((uint8_t *)c + REC_CUPTI_BUFFER, room, tap_buffers_place(c));
	else if ((c = waste_take()))
		__atomic_add_fetch(&waste_out, 1, __ATOMIC_ACQ_REL);
	*buffer = c ? (uint8_t *)c + REC_CUPTI_BUFFER : NULL;
	*bytes = c ? room : 0;
	*max_records = 0;                               /* as many as fit */
	if (TAP_READ_ONCE(tap_cupti.ready))
		tap_cupti_thread_start(false);          /* in case the library tells neither cuInit nor contexts */
	errno = saved;
}

/* No lock of ours is held, so one of CUPTI's cannot cross it. An answer begins CUPTI's count anew. */
void tap_cupti_ask_dropped(void *context, uint32_t stream)
{
	size_t dropped = 0;

	if (TAP_CUPTI_IF_ANY(cuptiActivityGetNumDroppedRecords, context, stream, &dropped) || !dropped)
		return;
	tap_record(REC_CUPTI_DROPPED, 0, (uint64_t[]){ tap_tick(), dropped, UINT64_MAX }, 3);
	tap_lost(REC_LOSS_CUPTI_DROPPED, dropped);
}

static void completed(struct rec_chunk *c, uint32_t stream, size_t valid)
{
	struct rec_cupti_buffer *b = tap_buffers_head(c);

	size_t used;

	valid = valid < c->blob_bytes ? valid : c->blob_bytes;
	if (tap_cupti_strings((const uint8_t *)c + REC_CUPTI_BUFFER, valid, &used))
		__atomic_add_fetch(&tap_cupti.busy, 1, __ATOMIC_RELAXED);
	if (used + 4 <= valid)
		tap_lost(REC_LOSS_CUPTI_UNREAD, 1);     /* at least one: where it ends is not known */
	b->completed_tid = tap_sys_gettid();
	b->context = 0;                                 /* buffers have belonged to no context since CUDA 6 */
	b->stream = stream;
	b->valid = valid;
	__atomic_store_n(&b->completed_tick, tap_tick(), __ATOMIC_RELEASE);
	tap_buffers_give(c);
}

void tap_cupti_complete_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	int saved = errno;
	struct rec_chunk *c = (struct rec_chunk *)(buffer - REC_CUPTI_BUFFER);

	(void)bytes;
	if (!buffer)
		return;
	if (c->kind == WASTE_KIND)
		waste_give(c, valid);
	else if (tap_cupti_alive()) {                   /* a forked child leaves its parent's buffers alone */
		tap_cupti_peek_remove(buffer);
		completed(c, stream, valid);
	}
	if (tap_cupti_alive() && !tap_cupti_behind_driver() && !TAP_READ_ONCE(tap_cupti.closed))
		tap_cupti_ask_dropped(context, stream);
	__atomic_add_fetch(&tap_cupti.completed, 1, __ATOMIC_RELAXED);
	if (TAP_READ_ONCE(tap_cupti.ready))
		tap_cupti_thread_start(false);
	errno = saved;
}
