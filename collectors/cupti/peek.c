/*
 * collectors/cupti/peek.c - looks into buffers that CUPTI is still filling
 *
 * Runs      the table: in the buffer callbacks. The look: on the collector's thread.
 * Must not  trust a buffer to be there: it may come back and be unmapped meanwhile, so it is read as a stranger's
 *           memory.
 *
 * For two things. A process that is killed keeps what its open buffers hold, but not what that points to: so names are
 * stored soon after they appear. And a flush of CUPTI makes a record of itself: an idle process would write a buffer
 * for each, so flushes wait there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "collectors/cupti/internal.h"

#define SLOTS 1024u                     /* open buffers that are looked at; more are not */
#define PIECE 8192u                     /* bytes: what was never written to is not made to exist by looking */

/* Written by who asked for the buffer and by who got it back; seen and number by the collector's thread. */
static struct slot { const uint8_t *buffer; uint64_t bytes, seen; const uint8_t *seen_in; } slot[SLOTS];
static uint32_t hint;

void tap_cupti_peek_add(const uint8_t *buffer, size_t bytes)
{
	uint32_t start = __atomic_fetch_add(&hint, 1, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct slot *s = &slot[(start + i) % SLOTS];
		const uint8_t *none = NULL;

		if (!__atomic_load_n(&s->buffer, __ATOMIC_RELAXED) &&
		    __atomic_compare_exchange_n(&s->buffer, &none, buffer, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_store_n(&s->bytes, bytes, __ATOMIC_RELAXED);
			return;
		}
	}
}

void tap_cupti_peek_remove(const uint8_t *buffer)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (__atomic_load_n(&slot[i].buffer, __ATOMIC_RELAXED) == buffer) {
			__atomic_store_n(&slot[i].buffer, NULL, __ATOMIC_RELEASE);
			return;
		}
}

/* What came since the last look. A record whose pointer is not written yet is seen when the buffer comes back. */
static uint64_t look(struct slot *s, const uint8_t *buffer, uint8_t *piece)
{
	uint64_t bytes = __atomic_load_n(&s->bytes, __ATOMIC_RELAXED), others = 0;

	if (s->seen_in != buffer)
		s->seen = 0;
	s->seen_in = buffer;
	while (s->seen < bytes) {
		size_t n = bytes - s->seen < PIECE ? bytes - s->seen : PIECE, used;

		if (tap_cupti_copy((uintptr_t)buffer + s->seen, piece, n) != n ||
			__atomic_load_n(&s->buffer, __ATOMIC_RELAXED) != buffer)
			break;
		others += tap_cupti_strings(piece, n, &used);
		s->seen += used;
		if (used < n / 2)
			break;
	}
	return others;
}

bool tap_cupti_peek(void)
{
	static uint8_t *piece;
	uint64_t others = 0;

	if (!piece)
		piece = tap_sys_mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (uint32_t i = 0; piece && !tap_seccomp && i < SLOTS; i++) {
		const uint8_t *buffer = __atomic_load_n(&slot[i].buffer, __ATOMIC_ACQUIRE);

		if (buffer)
			others += look(&slot[i], buffer, piece);
	}
	return others || !piece || tap_seccomp;
}
