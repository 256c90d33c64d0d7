/*
 * trace/write/stream/pool.c - where streams live, and those that no thread holds
 *
 * Runs      inside the traced program, on slow paths, signals blocked.
 *
 * Streams live in slabs that are never given back: a stale pointer always finds a stream.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/internal.h"

#define STREAMS_PER_SLAB 64u
#define SLABS 1024u

static struct tap_stream first_slab[STREAMS_PER_SLAB];
/* false in a forked child: calls begun in the parent still point into it */
static bool first_slab_free = true;
static struct tap_stream *slab[SLABS];
static uint32_t stream_count;                           /* numbers given out */
static uint64_t pool;                                   /* {number + 1 of the top u32, tag u32}: Treiber stack */

static struct tap_stream *stream_at(uint32_t number)
{
	struct tap_stream *in = __atomic_load_n(&slab[number / STREAMS_PER_SLAB], __ATOMIC_ACQUIRE);

	return &in[number % STREAMS_PER_SLAB];
}

struct tap_stream *tap_pool_take(void)
{
	uint64_t top = __atomic_load_n(&pool, __ATOMIC_ACQUIRE);

	while ((uint32_t)top) {
		struct tap_stream *s = stream_at((uint32_t)top - 1);
		/* the tag keeps a re-pushed top apart */
		uint64_t below = ((top >> 32) + 1) << 32 | (uint32_t)s->next_free;

		if (__atomic_compare_exchange_n(&pool, &top, below, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return s;
	}
	return NULL;
}

void tap_pool_give(struct tap_stream *s)
{
	uint64_t top = __atomic_load_n(&pool, __ATOMIC_RELAXED);

	do
		TAP_WRITE_ONCE(s->next_free, (uint32_t)top);
	while (!__atomic_compare_exchange_n(
		&pool, &top, ((top >> 32) + 1) << 32 | (s->index + 1), false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

uint32_t tap_stream_take_number(void) { return __atomic_fetch_add(&stream_count, 1, __ATOMIC_RELAXED); }

uint32_t tap_stream_places(void)
{
	uint32_t n = TAP_READ_ONCE(stream_count);

	return n < SLABS * STREAMS_PER_SLAB ? n : SLABS * STREAMS_PER_SLAB;
}

struct tap_stream *tap_stream_in(uint32_t place)
{
	return __atomic_load_n(&slab[place / STREAMS_PER_SLAB], __ATOMIC_ACQUIRE) ? stream_at(place) : NULL;
}

struct tap_stream *tap_pool_new(enum rec_loss *why)
{
	uint32_t number = tap_stream_take_number(), at = number / STREAMS_PER_SLAB;

	*why = REC_LOSS_NO_STREAM;
	if (at >= SLABS)
		return NULL;
	if (!__atomic_load_n(&slab[at], __ATOMIC_ACQUIRE)) {
		const size_t bytes = sizeof(struct tap_stream) * STREAMS_PER_SLAB;
		struct tap_stream *fresh = first_slab, *none = NULL;

		if (at || !first_slab_free)
			fresh = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (!fresh)
			return NULL;
		if (!__atomic_compare_exchange_n(&slab[at], &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
			fresh != first_slab)
			tap_sys_munmap(fresh, bytes);
	}
	struct tap_stream *s = stream_at(number);

	*s = (struct tap_stream){ .number = number, .index = number };
	return tap_chunk_first(s, why) ? s : NULL;
}

/*
 * Where the parent's shared chunks lay comes private memory, so that a call begun in the parent and ended here has a
 * harmless place to write to.
 */
void tap_pool_forget(void)
{
	for (uint32_t i = 0; i < tap_stream_places(); i++)
		if (slab[i / STREAMS_PER_SLAB])
			tap_chunk_blank(stream_at(i));
	for (uint32_t i = 0; i < SLABS; i++)
		slab[i] = NULL;
	first_slab_free = false;
	stream_count = 0;
	pool = 0;
}
