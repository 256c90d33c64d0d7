/*
 * trace/write/call/call_inline.h - the fast path of a traced call, inlined into every wrapper (include call.h)
 *
 * Runs      in the calling thread of the traced program, around the real function.
 * Must not  allocate, lock, make a system call, change errno.
 *
 * FRAME1  A slot's frame is the address of its call's struct tap_call, on the stack of the call's wrapper. A call
 *         that is still running lies higher on the same stack than any that begins now: slots at or below it were
 *         left by longjmp, exception or cancellation, and go.
 * FRAME2  Every slot that counts (below depth) is either being filled by the code that was interrupted, or whole.
 * FRAME3  What a jump left may stay as it was, inside a large variable that nobody has written yet, and look like a
 *         running call. So who calls decides, not what lies on the stack: a call of OpenCL counts as nested only if
 *         the code that makes it is a part of OpenCL itself (a loader, a driver, a layer). So it is while gputap asks
 *         the driver something: then a call from elsewhere is a signal handler's.
 * FRAME4  A slot that goes while its call has not come back is counted (LEFT_CALL); a call that comes back and finds
 *         its slot gone (another fiber's call took it for left) takes that back.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_CALL_INLINE_H
#define GPUTAP_TRACE_WRITE_CALL_INLINE_H

#include "trace/write/stream/reserve.h"
#include "trace/write/call/stack.h"

/* call.c: everything rare. */
bool tap_call_begin_slow(struct tap_call *call, uint32_t fn, enum rec_domain domain, uint64_t a0, uint64_t a1,
	uint64_t a2, uint64_t a3) TAP_HIDDEN;
bool tap_call_is_nested(struct tap_call *call, enum rec_domain domain) TAP_HIDDEN;
void tap_call_unbalanced(struct tap_call *call) TAP_HIDDEN;
uint64_t *tap_call_reserve_slow(struct tap_call *call, uint32_t first_u32, uint32_t words, uint32_t flags) TAP_HIDDEN;

/* Takes the slot at this depth, which is the thread's; tick is the start stamp. NULL: there are no more. */
static inline struct rec_slot *tap_call_take_slot(
	struct tap_call *call, struct tap_stream *s, uint32_t depth, uint64_t tick, uint32_t fn, uint32_t domain)
{
	call->stream = s;
	call->fn = (uint16_t)fn;
	call->domain = (uint8_t)domain;
	call->depth = (uint8_t)depth;
	call->start_tick = tick;
	if (TAP_UNLIKELY(depth >= REC_SLOTS))
		return call->slot = NULL;
	struct rec_slot *slot = &s->control->slot[depth];

	call->slot = slot;
	TAP_WRITE_ONCE(slot->frame, (uintptr_t)call);
	TAP_WRITE_ONCE(tap_tls.depth, depth + 1);
	TAP_WRITE_ONCE(slot->frame, (uintptr_t)call);  /* FRAME2: a handler before the last store used this very slot */
	slot->start_tick = tick;
	slot->domain = domain;
	return slot;
}

/* The slot's arguments are there. */
static inline void tap_call_show_slot(struct rec_slot *slot, uint32_t fn)
{
	__atomic_store_n(&slot->fn, fn, __ATOMIC_RELEASE);
}

static inline void tap_call_enter(struct tap_call *call, struct tap_stream *s, uint64_t tick, uint32_t fn,
	uint32_t domain, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
	struct rec_slot *slot = tap_call_take_slot(call, s, tap_tls.depth, tick, fn, domain);

	if (TAP_UNLIKELY(!slot))
		return;
	slot->arg[0] = a0;
	slot->arg[1] = a1;
	slot->arg[2] = a2;
	slot->arg[3] = a3;
	tap_call_show_slot(slot, fn);
}

static inline bool tap_call_quiet(void)
{
	int off = tap_calls_off ? TAP_OFF_OPTION : TAP_READ_ONCE(tap_off);

	if (TAP_LIKELY(!off) || off == TAP_OFF_EXIT)    /* late calls are recorded */
		return false;
	if (off != TAP_OFF_EARLY)
		return true;
	if (tap_tls.early_skip) {
		tap_tls.early_skip--;
		return true;
	}
	return tap_window_early();
}

static inline bool tap_call_begin(struct tap_call *call, uint32_t fn, enum rec_domain domain,
				  uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
	struct tap_tls *t = &tap_tls;
	struct tap_stream *s = t->stream;
	uint64_t until = TAP_READ_ONCE(tap_gate->until_tick);

	if (TAP_UNLIKELY(!until || !s || t->own_calls)) {
		if (tap_call_quiet())
			return false;
		return tap_call_begin_slow(call, fn, domain, a0, a1, a2, a3);
	}
	if (TAP_UNLIKELY(t->depth != 0) && tap_call_is_nested(call, domain))
		return false;
	uint64_t tick = tap_tick();

	if (TAP_UNLIKELY(tick >= until))
		return tap_call_begin_slow(call, fn, domain, a0, a1, a2, a3);
	tap_call_enter(call, s, tick, fn, domain, a0, a1, a2, a3);
	return true;
}

/* In a child that was forked inside this call the stream is the parent's, and so is the record. */
static inline bool tap_call_is_ours(const struct tap_call *call)
{
	return TAP_LIKELY(call->stream == tap_tls.stream && TAP_READ_ONCE(tap_gate->alive));
}

static inline void tap_call_stop_at(struct tap_call *call, uint64_t tick, int32_t result)
{
	call->rec = NULL;
	call->link = 0;
	call->end_tick = tick;
	call->result = result;
	call->saved_errno = *tap_tls.errno_at;
	if (!tap_call_is_ours(call)) {
		call->stream = NULL;
		call->slot = NULL;
	}
}

static inline void tap_call_stop(struct tap_call *call, int32_t result) { tap_call_stop_at(call, tap_tick(), result); }

static inline uint64_t *tap_call_reserve_flags(
	struct tap_call *call, uint32_t first_u32, uint32_t words, uint32_t flags)
{
	uint64_t ticks = call->end_tick - call->start_tick;
	uint32_t total = words + 3;

	if (TAP_UNLIKELY(ticks >= TAP_READ_ONCE(tap_long_ticks) || words > 252 || !call->stream))
		return tap_call_reserve_slow(call, first_u32, words, flags);
	uint64_t *rec = tap_stream_claim(call->stream, total, 0, &call->link);

	if (TAP_UNLIKELY(!rec))
		return tap_call_reserve_slow(call, first_u32, words, flags);
	rec[1] = call->start_tick;
	rec[2] = ticks | (uint64_t)first_u32 << 32;
	call->rec = rec;
	call->head = rec_head(call->fn, total, flags, call->result);
	return rec + 3;
}

static inline uint64_t *tap_call_reserve(struct tap_call *call, uint32_t first_u32, uint32_t words)
{
	return tap_call_reserve_flags(call, first_u32, words, 0);
}

static inline void tap_call_reserve_bare(struct tap_call *call)
{
	tap_call_reserve_flags(call, 0, 0, REC_BARE);
}

static inline void tap_call_free_slot(struct tap_call *call)
{
	if (TAP_UNLIKELY(!call->slot))
		return;
	if (TAP_UNLIKELY(tap_tls.depth != call->depth + 1u || call->slot->frame != (uintptr_t)call)) {
		tap_call_unbalanced(call);
		return;
	}
	TAP_WRITE_ONCE(call->slot->fn, 0);
	TAP_WRITE_ONCE(tap_tls.depth, call->depth);
}

static inline void tap_call_finish(struct tap_call *call)
{
	if (TAP_LIKELY(call->rec != NULL)) {
		tap_stream_publish(call->rec, call->head);
		/* Whatever becomes of this thread, a reader knows that records stand so far. Its line is the slot's. */
		if (TAP_LIKELY(call->slot != NULL))
			__atomic_store_n(&call->slot->last, call->link, __ATOMIC_RELEASE);
	}
	tap_call_free_slot(call);
	*tap_tls.errno_at = call->saved_errno;
}

static inline uint32_t tap_put_bytes(uint64_t *out, const void *from, uint32_t bytes)
{
	if (bytes == 8) {                       /* most arguments: one word, without a call */
		__builtin_memcpy(out, from, 8);
		return 1;
	}
	if (bytes == 4) {
		__builtin_memcpy(out, from, 4); /* the rest of the word is zero ahead */
		return 1;
	}
	__builtin_memcpy(out, from, bytes);
	return TAP_BYTES_WORDS(bytes);
}

static inline uint32_t tap_string_words(uint32_t bytes) { return TAP_BYTES_WORDS(bytes + 4u); }

static inline uint32_t tap_put_string(uint64_t *out, const char *text, uint32_t bytes)
{
	__builtin_memcpy(out, &bytes, 4);
	__builtin_memcpy((char *)out + 4, text, bytes);
	return tap_string_words(bytes);
}

#endif
