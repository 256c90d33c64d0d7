/*
 * collectors/cupti/peek.c - looks into buffers that CUPTI is still filling
 *
 * Runs      the table: in the buffer callbacks. The look: on the collector's thread.
 * Must not  trust a buffer to be there: it may come back and be unmapped meanwhile, so it is read as a stranger's
 *           memory.
 *
 * A process that is killed keeps what its open buffers hold, but not what that points to: so names are stored soon
 * after they appear. A flush of CUPTI makes a record of itself: an idle process would write a buffer for each, so
 * flushes wait there. Work without an end is waited for when the process ends. And a forked child shares the pages of
 * its parent's open buffers, with a CUPTI that may go on writing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/cupti/internal.h"
#include "common/plain/without.h"
#include "trace/format/cupti.h"
#include "trace/write/stream/buffers.h"

#define SLOTS 8192u                     /* open buffers that are known; more are not */
#define PIECE 8192u                     /* bytes: what was never written to is not made to exist by looking */

/*
 * Written by who asked for the buffer and by who got it back, who counts the turns: the next buffer may stand at the
 * same address. What was seen, and in what: by the collector's thread.
 */
static struct slot {
	const uint8_t *buffer, *seen_in;
	uint64_t bytes, seen, told, place;      /* place: 0 while the slot changes hands */
	uint32_t turn, seen_turn;
} slot[SLOTS];
static uint32_t high;                   /* slots from here on were never used */

static uint32_t used_slots(void) { return __atomic_load_n(&high, __ATOMIC_ACQUIRE); }

void tap_cupti_peek_add(const uint8_t *buffer, size_t bytes, uint64_t place)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *s = &slot[i];
		const uint8_t *none = NULL;
		uint32_t was = __atomic_load_n(&high, __ATOMIC_RELAXED);

		while (was <= i &&
			!__atomic_compare_exchange_n(&high, &was, i + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;

		if (!__atomic_load_n(&s->buffer, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&s->buffer, &none, buffer, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_store_n(&s->bytes, bytes, __ATOMIC_RELAXED);
			__atomic_store_n(&s->place, place, __ATOMIC_RELEASE);
			return;
		}
	}
}

void tap_cupti_peek_remove(const uint8_t *buffer)
{
	for (uint32_t i = 0; i < used_slots(); i++)
		if (__atomic_load_n(&slot[i].buffer, __ATOMIC_RELAXED) == buffer) {
			__atomic_add_fetch(&slot[i].turn, 1, __ATOMIC_RELAXED);
			__atomic_store_n(&slot[i].place, 0, __ATOMIC_RELEASE);
			__atomic_store_n(&slot[i].buffer, NULL, __ATOMIC_RELEASE);
			return;
		}
}

bool tap_cupti_peek_knows(const uint8_t *buffer)
{
	for (uint32_t i = 0; i < used_slots(); i++)
		if (__atomic_load_n(&slot[i].buffer, __ATOMIC_RELAXED) == buffer)
			return true;
	return false;
}

bool tap_cupti_peek_any(void)
{
	for (uint32_t i = 0; i < used_slots(); i++)
		if (__atomic_load_n(&slot[i].buffer, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* What is known of a slot is known of the buffer that it has now. */
static bool same_buffer(const struct slot *s)
{
	return __atomic_load_n(&s->buffer, __ATOMIC_ACQUIRE) == s->seen_in &&
	       __atomic_load_n(&s->turn, __ATOMIC_RELAXED) == s->seen_turn;
}

static struct rec_chunk *chunk_of(uint32_t i)
{
	const uint8_t *buffer = __atomic_load_n(&slot[i].buffer, __ATOMIC_ACQUIRE);

	return buffer ? (struct rec_chunk *)(buffer - REC_CUPTI_BUFFER) : NULL;
}

void tap_cupti_peek_forked(void)
{
	if (tap_cupti.pid == tap_sys_getpid())
		return;
	for (uint32_t i = 0; i < used_slots(); i++)
		if (chunk_of(i))
			tap_buffers_hide(chunk_of(i), 0);
}

void tap_cupti_peek_leave(void)
{
	for (uint32_t i = 0; i < used_slots() && !tap_seccomp; i++)
		if (chunk_of(i) && same_buffer(&slot[i]))
			tap_buffers_leave(chunk_of(i), slot[i].seen);
}

/* What came since the last look. A record whose pointer is not written yet is seen when the buffer comes back. */
static uint64_t look(struct slot *s, const uint8_t *buffer, uint8_t *piece)
{
	uint64_t bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED), others = 0;

	if (!same_buffer(s))
		s->seen = s->told = 0;
	s->seen_turn = __atomic_load_n(&s->turn, __ATOMIC_RELAXED);
	s->seen_in = buffer;
	while (s->seen < bytes) {
		size_t n = bytes - s->seen < PIECE ? bytes - s->seen : PIECE, used;

		if (tap_cupti_copy((uintptr_t)buffer + s->seen, piece, n) != n || !same_buffer(s))
			break;
		others += tap_cupti_strings(piece, n, &used);
		s->seen += used;
		if (used < n / 2)
			break;
	}
	return others;
}

/* Somebody may wipe the file behind a kill: what was seen there is told in the file. */
static void tell_seen(struct slot *s)
{
	uint64_t place = __atomic_load_n(&s->place, __ATOMIC_ACQUIRE);

	if (s->seen > s->told && place && same_buffer(s) && !gc_without("tell-seen") &&
		tap_buffers_seen(place, s->told, s->seen))
		s->told = s->seen;
}

static uint8_t *piece(void)
{
	static uint8_t *mapped;

	if (!mapped)
		mapped = tap_sys_mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mapped;
}

bool tap_cupti_peek(void)
{
	uint8_t *copy = piece();
	uint64_t others = 0;

	for (uint32_t i = 0; copy && !tap_seccomp && i < used_slots(); i++) {
		const uint8_t *buffer = __atomic_load_n(&slot[i].buffer, __ATOMIC_ACQUIRE);

		if (buffer) {
			others += look(&slot[i], buffer, copy);
			tell_seen(&slot[i]);
		}
	}
	return others || !copy || tap_seccomp;
}

/* ------------------------------------------------------------ without an end */

/* Where the end of device work stands in its records; 0: they are of something else. */
#define LEFT_OUT(layout, offset)
#define IS_END(layout, offset) [REC_CUPTI_LAYOUT_##layout] = offset,
#define END_START LEFT_OUT
#define END_END IS_END
#define END_END_IF_ANY LEFT_OUT
#define END_MOMENT LEFT_OUT
#define END_MOMENT_IF_TOLD LEFT_OUT
#define END_CORRELATION LEFT_OUT
#define END_DEVICE LEFT_OUT
#define END_CONTEXT LEFT_OUT
#define END_STREAM LEFT_OUT
#define END_GRAPH LEFT_OUT
#define END_GRAPH_NODE LEFT_OUT
static const uint16_t end_at[REC_CUPTI_LAYOUTS] = {
#define ROLE(role, layout, name, offset, type, since) END_##role(layout, offset)
#include "trace/format/cupti.def"
};
static const uint8_t work_layout[TAP_CUPTI_KINDS] = {
#define KIND(id, number, layout, least, minimum, sort, on, text) \
	[number] = REC_CUPTI_##sort == REC_CUPTI_WORK ? REC_CUPTI_LAYOUT_##layout : 0,
#include "trace/format/cupti.def"
};

/* *used: bytes of whole records. */
static bool unended_in(const uint8_t *records, size_t bytes, size_t *used)
{
	for (*used = 0; *used + 4 <= bytes;) {
		uint32_t kind, size;
		uint64_t end;

		memcpy(&kind, records + *used, 4);
		size = kind < TAP_CUPTI_KINDS ? tap_cupti.record_bytes[kind] : 0;
		if (!size || size > bytes - *used)
			return false;
		if (work_layout[kind] && end_at[work_layout[kind]]) {
			memcpy(&end, records + *used + end_at[work_layout[kind]], 8);
			if (!end)
				return true;
		}
		*used += size;
	}
	return false;
}

static bool unended(const struct slot *s, const uint8_t *buffer, uint8_t *copy)
{
	uint64_t bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED), at = 0;
	size_t used, n;

	do {
		n = bytes - at < PIECE ? bytes - at : PIECE;
		if (tap_cupti_copy((uintptr_t)buffer + at, copy, n) != n ||
			__atomic_load_n(&s->buffer, __ATOMIC_RELAXED) != buffer)
			return false;
		if (unended_in(copy, n, &used))
			return true;
		at += used;
	} while (used >= n / 2 && at < bytes);
	return false;
}

bool tap_cupti_peek_unended(void)
{
	uint8_t *copy = piece();

	for (uint32_t i = 0; copy && !tap_seccomp && i < used_slots(); i++) {
		const uint8_t *buffer = __atomic_load_n(&slot[i].buffer, __ATOMIC_ACQUIRE);

		if (buffer && unended(&slot[i], buffer, copy))
			return true;
	}
	return false;
}
