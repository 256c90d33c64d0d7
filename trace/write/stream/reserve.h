/*
 * trace/write/stream/reserve.h - the fast path of appending: claim room in the open block
 *
 * Runs      on any thread of the traced program, in signal handlers and in driver callbacks.
 * May       write to the stream's mapped, zeroed memory.
 * Must not  allocate, lock, make a system call, change errno.
 *
 * Invariants STREAM1 to STREAM4: trace/write/stream/stream.c.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_RESERVE_H
#define GPUTAP_TRACE_WRITE_RESERVE_H

#include "trace/write/tls.h"

/*
 * Compare-and-swap that is atomic against this thread's own signal handlers only. The compare-and-swap instruction of
 * x86-64 without lock prefix is one instruction, and a handler comes between instructions.
 */
static inline bool tap_local_cmpxchg(uint64_t *at, uint64_t old, uint64_t new_value)
{
#if defined(__x86_64__)
	bool ok;

	__asm__ volatile("cmpxchgq %3, %1" : "=@ccz"(ok), "+m"(*at), "+a"(old) : "r"(new_value) : "memory");
	return ok;
#else
	return __atomic_compare_exchange_n(at, &old, new_value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

static inline void tap_local_add(uint64_t *at, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*at) : "r"(n) : "cc", "memory");
#else
	__atomic_fetch_add(at, n, __ATOMIC_RELAXED);
#endif
}

/*
 * Room for one record of `words` words below limit + extra, or NULL: the caller takes the slow path.
 * `used` only grows (it is an offset in the file), so a position read before an interruption is never valid again by
 * chance.
 */
static inline uint64_t *tap_stream_claim(struct tap_stream *s, uint32_t words, uint32_t extra, uint64_t *link)
{
	for (;;) {
		uintptr_t base = TAP_READ_ONCE(s->base);
		uint32_t number = TAP_READ_ONCE(s->number);
		uint64_t at = TAP_READ_ONCE(s->used);
		uint64_t end = TAP_READ_ONCE(s->limit) + extra;
		uint64_t *rec = (uint64_t *)(base + at);

		if (TAP_UNLIKELY(base != TAP_READ_ONCE(s->base)))
			/* a handler switched the chunk between the reads */
			continue;
		if (TAP_UNLIKELY(at + (uint64_t)words * 8 > end))
			return NULL;
		/* STREAM1: claimed and sized at once; STREAM4: mapped */
		if (TAP_LIKELY(tap_local_cmpxchg(rec, 0, rec_claim(words)))) {
			tap_local_cmpxchg(&s->used, at, at + words * 8ull);  /* STREAM3: a handler may have done it */
			*link = rec_link(number, at);
			return rec;
		}
		tap_local_cmpxchg(&s->used, at, at + rec_words(rec) * 8ull);    /* STREAM3: step over */
	}
}

/* The thread's stream when a record of now is wanted, and the tick; NULL: not recorded. Not for OpenCL (tls.h). */
TAP_COLD struct tap_stream *tap_stream_now_slow(uint64_t *tick) TAP_HIDDEN;
static inline struct tap_stream *tap_stream_now(uint64_t *tick)
{
	struct tap_stream *s = tap_tls.stream;

	*tick = tap_tick();
	if (TAP_UNLIKELY(!s || *tick >= TAP_READ_ONCE(tap_gate->ranges_until_tick) || tap_tls.own_calls))
		return tap_stream_now_slow(tick);
	return s;
}

/* tap_stream_commit, inlined. */
static inline void tap_stream_publish(uint64_t *rec, uint64_t head)
{
	/* STREAM2. Pairs with the acquire load of the header in the reader of a live trace. */
	__atomic_store_n(rec, head | (uint64_t)REC_COMPLETE << 24, __ATOMIC_RELEASE);
}

#endif
