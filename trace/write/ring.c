/*
 * trace/write/ring.c - --ring: the oldest chunks of records make room for new ones
 *
 * Runs      at chunk switches, with all signals blocked.
 * May       make system calls; change chunks of any stream of this process that stand in their own place.
 * Must not  wait, allocate with malloc, touch errno.
 *
 * A stream goes on at ever higher file offsets, so that a link never means another record than it did; what is taken becomes
 * a hole in the file. Definitions (objects, contents, clocks, notes, ...) stand in a stream of their own beside each
 * call stream, which is not touched, and neither are the first chunks of a stream, before its windows.
 *
 * G1  First the header of the GONE chunk takes the next chunk in, by one write, then its bytes are given back. So a reader
 *     finds each call either in its chunk or in a GONE chunk's count, whenever the program was killed.
 * G2  One thread at a time takes; who finds it taken goes on with a chunk more instead of waiting.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/debug.h"
#include "trace/write/internal.h"

#define HEADER_PAGE 4096u               /* stays of the first chunk of a GONE row */

static int taking;                      /* G2 */

static long punch(int fd, uint64_t at, uint64_t bytes)
{
	return TAP_SYS(fallocate, fd, 3 /* FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE */, at, bytes, 0, 0);
}

static bool read_header(int fd, uint64_t at, struct rec_chunk *c)
{
	return TAP_SYS(pread64, fd, c, sizeof *c, at, 0, 0) == sizeof *c && c->magic == REC_CHUNK_MAGIC && c->bytes >= sizeof *c;
}

/* Looks up the stream's oldest chunk; windows stand between. False: none. */
static bool find_oldest(struct tap_stream *s)
{
	uint64_t end = __atomic_load_n(&s->ring_end, __ATOMIC_ACQUIRE);      /* pairs with tap_ring_add */
	struct rec_chunk c;
	int fd = -1;

	while (!s->ring_tick && s->ring_from < end) {
		if (fd < 0 && (fd = tap_chunk_file(s->number, 0)) < 0)
			return false;
		if (!read_header(fd, s->ring_from, &c))
			break;
		if (c.kind == REC_CHUNK_CALLS)
			s->ring_tick = c.rec_left_tick | 1;
		else
			s->ring_from = (s->ring_from + c.bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
	}
	if (fd >= 0)
		tap_sys_close(fd);
	return s->ring_tick && s->ring_from < end;
}

static struct tap_stream *stream_with_oldest(void)
{
	struct tap_stream *s, *oldest = NULL;

	for (uint32_t i = 0; i < tap_stream_count() && (s = tap_stream_at(i)); i++)
		if (find_oldest(s) && (!oldest || s->ring_tick < oldest->ring_tick))
			oldest = s;
	return oldest;
}

static bool take(struct tap_stream *s, int fd)
{
	uint64_t at = s->ring_from, end, keep = 0;
	struct rec_chunk c;

	if (!read_header(fd, at, &c))
		return false;
	end = at + c.bytes;
	if (s->gone_end != at) {                /* a new row */
		s->gone_at = at;
		s->gone_calls = 0;
		keep = HEADER_PAGE;
	}
	s->gone_calls += c.rec_calls;
	struct rec_chunk gone = { .magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_GONE, .version = REC_VERSION, .bytes = end - s->gone_at,
	                          .start_tick = c.start_tick, .blob_id = { 0, s->gone_calls } };

	if (tap_sys_pwrite(fd, &gone, sizeof gone, s->gone_at) != sizeof gone)  /* G1 */
		return false;
	punch(fd, at + keep, c.bytes - keep);
	s->gone_end = s->ring_from = end;
	s->ring_tick = 0;
	__atomic_sub_fetch(&tap_bytes_in_trace, c.bytes - keep, __ATOMIC_RELAXED);
	TAP_DEBUG(chunk, "stream %u: chunk at %lu taken with %lu calls", s->number, at, c.rec_calls);
	return true;
}

static _Atomic int can_punch;           /* 0 not asked, 1 no, 2 yes */

/* Whether this file system gives space back at all: asked behind the end of a file, where there is nothing. */
static bool ask_punch(int fd)
{
	if (!can_punch)
		can_punch = punch(fd, 1ull << 40, REC_BLOCK) < 0 ? 1 : 2;
	return can_punch == 2;
}

enum tap_ring_result tap_ring_take_oldest(void)
{
	enum tap_ring_result result = TAP_RING_NOTHING;

	if (can_punch == 1)
		return TAP_RING_IMPOSSIBLE;
	if (__atomic_exchange_n(&taking, 1, __ATOMIC_ACQUIRE))
		return TAP_RING_BUSY;
	struct tap_stream *s = stream_with_oldest();
	int fd = s ? tap_chunk_file(s->number, 0) : -1;

	if (fd >= 0 && !ask_punch(fd))
		result = TAP_RING_IMPOSSIBLE;
	else if (fd >= 0 && take(s, fd))
		result = TAP_RING_TAKEN;
	if (fd >= 0)
		tap_sys_close(fd);
	__atomic_store_n(&taking, 0, __ATOMIC_RELEASE);
	return result;
}

void tap_ring_notes(void)
{
	if (can_punch == 1)
		TAP_DEGRADE(TAP_PART_CORE, "no ring: this file system does not give parts of a file back; recording stops at --max-size");
}

static uint64_t calls_in(const uint8_t *image, uint64_t bytes)
{
	uint64_t n = 0;

	for (uint64_t at = sizeof(struct rec_chunk); at < bytes; at = (at / REC_BLOCK + 1) * REC_BLOCK)
		for (const uint64_t *rec = (const uint64_t *)(image + at), *end = (const uint64_t *)(image + (at / REC_BLOCK + 1) * REC_BLOCK);
		     rec < end && *rec && rec_words(rec); rec += rec_words(rec))
			n += rec_id(*rec) >= REC_FIRST_FUNCTION;
	return n;
}

void tap_ring_leave(struct rec_chunk *image)
{
	image->rec_calls = calls_in((const uint8_t *)image, image->bytes);
	image->rec_left_tick = tap_tick();
}

void tap_ring_add(struct tap_stream *s, uint64_t at, uint64_t bytes)
{
	if (!s->ring_end)
		s->ring_from = at;
	__atomic_store_n(&s->ring_end, at + bytes, __ATOMIC_RELEASE);
}

/* What grows with the calls goes with them. */
static bool goes_with_calls(uint32_t id)
{
	return id == REC_COMMAND || id == REC_COMMAND_UNTIMED || id == REC_LOCAL_SIZE || id == REC_HSA_KERNEL || id == REC_HSA_COPY;
}

struct tap_stream *tap_ring_stream(struct tap_stream *s, uint32_t id)
{
	return s && s->kept && !goes_with_calls(id) ? s->kept : s;
}

void tap_ring_forget(void) { taking = 0; }
