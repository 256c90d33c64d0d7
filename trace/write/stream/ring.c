/*
 * trace/write/stream/ring.c - --ring: a stream's oldest chunks of calls make room for its new ones
 *
 * Runs      at chunk switches, on the thread that holds the stream, with all signals blocked.
 * May       make system calls.
 * Must not  wait, allocate with malloc, touch errno.
 *
 * A stream goes on at ever higher offsets, so that a link never means another record than it did; what is reused is the
 * place in the file. The chunk's header tells the offset. Definitions (objects, contents, clocks, notes, ...) stand in
 * a stream of their own beside each call stream, which is not touched, and neither are the first chunks of a stream,
 * before its windows.
 *
 * RING1  A place changes hands when a window takes it as its target, by one store (chunk.c CHUNK3). The new header is
 *        whole then, and counts the calls that the place has lost. So a reader finds each call either in its chunk or
 *        in a count, whenever the program was killed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/debug.h"
#include "trace/write/internal.h"

static bool read_header(int fd, uint64_t at, struct rec_chunk *c)
{
	return TAP_SYS(pread64, fd, c, sizeof *c, at, 0, 0) == sizeof *c && c->magic == REC_CHUNK_MAGIC &&
		c->bytes >= sizeof *c;
}

/* A place whose chunk still stands in a window: its bytes, else 0. */
static uint64_t in_window(const struct tap_stream *s, uint64_t at)
{
	for (int i = 0; i < 2; i++)
		if (s->window[i] && s->window[i]->rec_stage_target == at)
			return s->window[i]->bytes - REC_STAGE_IMAGE;
	return 0;
}

/* Places are used in the order of the file, so the oldest is the one behind the last; windows stand between. */
bool tap_ring_take_oldest(struct tap_stream *s, int fd, uint64_t *place, uint64_t *calls)
{
	uint64_t at = s->ring_next;
	struct rec_chunk c;

	if (s->ring_places < 3)                 /* two stand in windows */
		return false;
	for (uint32_t i = 0; i < 6; i++, at = (at + c.bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK) {
		if (at >= s->next_chunk)
			at = s->ring_first;
		if ((c.bytes = in_window(s, at)))
			continue;
		if (!read_header(fd, at, &c))
			return false;
		if (c.kind != REC_CHUNK_CALLS)
			continue;
		*place = at;
		*calls = c.rec_calls + c.rec_calls_gone;
		s->ring_next = at + c.bytes;
		TAP_DEBUG(chunk, "stream %u: chunk at %lu overwritten, %lu calls", s->number, at, c.rec_calls);
		return true;
	}
	return false;
}

void tap_ring_add(struct tap_stream *s, uint64_t place)
{
	if (!s->ring_places++)
		s->ring_first = s->ring_next = place;
}

static uint64_t calls_in(const uint8_t *image, uint64_t bytes)
{
	uint64_t n = 0;

	for (uint64_t at = sizeof(struct rec_chunk); at < bytes; at = (at / REC_BLOCK + 1) * REC_BLOCK)
		for (const uint64_t *rec = (const uint64_t *)(image + at),
				    *end = (const uint64_t *)(image + (at / REC_BLOCK + 1) * REC_BLOCK);
			rec < end && *rec && rec_words(rec); rec += rec_words(rec))
			n += rec_id(*rec) >= REC_FIRST_FUNCTION || rec_id(*rec) == REC_NVTX_EVENT;
	return n;
}

void tap_ring_leave(struct rec_chunk *image)
{
	image->rec_calls = calls_in((const uint8_t *)image, image->bytes);
}

/* What grows with the calls goes with them. */
static bool goes_with_calls(uint32_t id)
{
	static const bool goes[REC_TYPE_COUNT] = {
#define RECORD(name, number, words, text, texts, tick, ring) [number] = ring,
#include "trace/format/records.def"
	};

	return id < REC_TYPE_COUNT && goes[id];
}

struct tap_stream *tap_ring_stream(struct tap_stream *s, uint32_t id)
{
	return s && s->kept && !goes_with_calls(id) ? s->kept : s;
}
