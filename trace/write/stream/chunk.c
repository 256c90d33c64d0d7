/*
 * trace/write/stream/chunk.c - the chunks of a stream file: opened, allocated, mapped and closed in one go
 *
 * Runs      on the thread that holds the stream, with all signals blocked.
 * May       make system calls. At most three mappings a stream: control page and two chunks or windows (STREAM4).
 * Must not  keep a descriptor, allocate with malloc, lock, touch errno.
 *
 * CHUNK2  A chunk's magic is written last: without it a reader sees free space.
 * CHUNK3  A window's target is set when its image is the truth and cleared when the chunk stands whole in its own
 *         place. So a reader that prefers a window with a target finds every record, whenever the program was killed.
 *
 * What is mapped was allocated before (space.c, SPACE1). A stream whose file is at its end, or gone, moves (move.c).
 *
 * Windows. The first store into a page of a file mapping costs microseconds (allocation, journal, dirty accounting), as
 * much as a hundred records. So a busy stream has two windows in its file, whose pages stay; a full one is copied
 * to the chunk's place, which was allocated before the chunk was opened, by two writes before the window is used again:
 * one when the other window comes to its last block, one when that is full. A call waits for half of the copy at the
 * most. docs/decisions.md has the figures.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "trace/write/debug.h"
#include "common/plain/without.h"
#include "trace/write/internal.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* errno values: raw calls return them negated */
enum { INVALID = 22 };

/* Up to here links tell offsets (rec_link), 32 GiB; a test says less. */
uint64_t tap_chunk_file_end = 1ull << 35;

/* ----------------------------------------------------------------- mapping */

/* The few pages that every stream needs are made ready by one system call instead of a fault each. */
static void populate(void *at, size_t bytes)
{
	static _Atomic int missing;                     /* before Linux 5.14 */

	if (!missing && tap_sys_madvise(at, bytes, MADV_POPULATE_WRITE) == -INVALID)
		missing = 1;
}

static void chunk_header(void *at, uint64_t bytes)
{
	struct rec_chunk *c = at;

	c->kind = REC_CHUNK_CALLS;
	c->version = REC_VERSION;
	c->bytes = bytes;
	c->start_tick = tap_tick();
	__atomic_store_n(&c->magic, REC_CHUNK_MAGIC, __ATOMIC_RELEASE);         /* CHUNK2 */
}

/* The first chunk shares its mapping with the control page in front of it. */
bool tap_chunk_first(struct tap_stream *s, enum rec_loss *why)
{
	uint64_t bytes = 16384 < sysconf(_SC_PAGESIZE) ? (uint64_t)sysconf(_SC_PAGESIZE) : 16384;
	int fd = tap_space_make(s->number);
	uint8_t *map = NULL;

	*why = REC_LOSS_NO_SPACE;
	if (fd < 0)
		return false;
	if (tap_space_allocate(s, fd, 0, bytes, why))
		map = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tap_sys_close(fd);
	if (!map) {
		tap_space_remove(s->number);
		return false;
	}
	populate(map, bytes);
	s->control = (struct rec_control *)map;
	s->control->version = REC_VERSION;
	s->control->stream = s->number;
	s->control->magic = REC_CONTROL_MAGIC;
	chunk_header(map + REC_CONTROL_BYTES, bytes - REC_CONTROL_BYTES);
	s->base = (uintptr_t)map;
	s->used = REC_CONTROL_BYTES + sizeof(struct rec_chunk);
	s->limit = bytes - REC_CHUNK_RESERVE;
	s->chunk_end = bytes;
	s->next_chunk = tap_round_up(bytes, REC_BLOCK);
	s->map = map;
	s->map_bytes = bytes;
	s->chunks = 1;
	tap_tally_chunk(s->control, bytes);
	tap_tally_used(s);
	tap_tally_file(s->control);
	return true;
}

/*
 * A stream file that is nothing but its control page, for counts of what no stream could take. It may pass --max-size.
 */
uint64_t *tap_chunk_counts(uint32_t number)
{
	int fd = tap_space_inside_limit(REC_CONTROL_BYTES) ? tap_space_make(number) : -1;
	struct rec_control *control = NULL;

	if (fd < 0)
		return NULL;
	if (tap_space_try(fd, 0, REC_CONTROL_BYTES) == 0)
		control = tap_sys_mmap(NULL, REC_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tap_sys_close(fd);
	if (!control) {
		tap_space_remove(number);
		return NULL;
	}
	control->version = REC_VERSION;
	control->stream = number;
	control->pid = tap_sys_getpid();
	control->magic = REC_CONTROL_MAGIC;
	tap_tally_file(control);
	return control->lost;
}

/*
 * Claims what is left up to `end`, so that a reader steps over it. extra: how far behind the limit that lies. A handler
 * may come between, even one that moves on to another block: then a piece of that block becomes padding, or nothing
 * does.
 */
static void pad_to(struct tap_stream *s, uint64_t end, uint32_t extra)
{
	uint64_t used, link;

	while ((used = TAP_READ_ONCE(s->used)) < end) {
		uint32_t words = (uint32_t)((end - used) / 8);
		uint64_t *rec = tap_stream_claim(s, words, extra, &link);

		if (!rec)
			continue;               /* a handler took some of it */
		if (words > 255)
			rec[1] = words;
		tap_stream_commit(
			rec, words > 255 ? rec_head(REC_PAD, 0, REC_LONG, 0) : rec_head(REC_PAD, words, 0, 0));
	}
}

/*
 * No system call, signals not blocked. Offsets only grow, so each step is a compare-and-swap from what was seen: a
 * handler that did it first, or went further, makes ours fail. chunk_end is read before used: a stale one can only
 * answer "no".
 */
bool tap_chunk_next_block(struct tap_stream *s)
{
	uint64_t chunk_end = TAP_READ_ONCE(s->chunk_end), used = TAP_READ_ONCE(s->used);
	uint64_t block_end = (used + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;

	if (block_end >= chunk_end || TAP_READ_ONCE(s->limit) % REC_BLOCK)
		return false;                   /* only the limit of a chunk's last block is no block's end */
	pad_to(s, block_end, 0);
	tap_tally_used(s);
	tap_local_cmpxchg(&s->limit, block_end,
		block_end + REC_BLOCK < chunk_end ? block_end + REC_BLOCK : chunk_end - REC_CHUNK_RESERVE);
	return true;
}

/* both stay in the second level cache; five blocks without a system call, and one more step */
#define WINDOW_IMAGE (6u * REC_BLOCK)

static uint64_t next_bytes(const struct tap_stream *s)
{
	return s->chunks == 1 ? REC_BLOCK : s->chunks == 2 ? 4 * REC_BLOCK : 16 * REC_BLOCK;
}

/* The mapping before the last goes; of the first chunk the control page stays. */
static void retire(struct tap_stream *s)
{
	if (s->last_map)
		tap_sys_munmap(s->last_map, s->last_map_bytes);
	s->last_map = s->map;                   /* NULL for a window: it stays */
	s->last_map_bytes = s->map_bytes;
	if (s->map == (void *)s->control) {
		size_t page = (size_t)sysconf(_SC_PAGESIZE);

		s->last_map = s->map_bytes > page ? (uint8_t *)s->map + page : NULL;
		s->last_map_bytes = s->map_bytes - page;
	}
}

/* The new chunk, its header written, becomes the open one; `address` is where its first byte is mapped. */
static void open_chunk(struct tap_stream *s, uint8_t *address, uint64_t at, uint64_t bytes)
{
	pad_to(s, s->chunk_end, REC_CHUNK_RESERVE);
	retire(s);
	s->base = (uintptr_t)address - at;
	s->used = at + sizeof(struct rec_chunk);
	s->limit = bytes > REC_BLOCK ? at + REC_BLOCK : at + bytes - REC_CHUNK_RESERVE;
	s->chunk_end = at + bytes;
	s->map = NULL;
	s->chunks++;
	tap_tally_used(s);
}

/* ---------------------------------------------------------------- windows */

static uint8_t *image_of(struct rec_chunk *window) { return (uint8_t *)window + REC_STAGE_IMAGE; }

static struct rec_chunk *window_make(struct tap_stream *s, int fd, enum rec_loss *why)
{
	uint64_t bytes = REC_STAGE_IMAGE + WINDOW_IMAGE, at = s->next_chunk;
	struct rec_chunk *w = NULL;

	if (tap_space_allocate(s, fd, at, bytes, why))
		w = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (!w)
		return NULL;
	/*
	 * Else the first store brings in all of it as one large folio, which takes 0.2 ms at once; so each page waits
	 * for its own.
	 */
	tap_sys_madvise(w, bytes, MADV_RANDOM);
	s->next_chunk = tap_round_up(at + bytes, REC_BLOCK);
	w->kind = REC_CHUNK_STAGE;
	w->version = REC_VERSION;
	w->bytes = bytes;
	w->start_tick = tap_tick();
	__atomic_store_n(&w->magic, REC_CHUNK_MAGIC, __ATOMIC_RELEASE);         /* CHUNK2 */
	tap_tally_chunk(s->control, at + bytes);
	return w;
}

/* Bytes of the window's image from `done` on to their place, up to `end`; returns how far that came. */
static uint64_t window_copy(int fd, struct rec_chunk *w, uint64_t done, uint64_t end)
{
	if (!tap_space_inside_limit(w->rec_stage_target + end))
		return done;                    /* lowered since: the write would raise a signal */
	while (done < end) {
		long n = tap_sys_pwrite(fd, image_of(w) + done, end - done, w->rec_stage_target + done);

		if (n <= 0)
			break;
		done += (uint64_t)n;
	}
	return done;
}

/* CHUNK3. The window's chunk stands in its own place. */
static bool window_flush(struct tap_stream *s, int fd, struct rec_chunk *w)
{
	if (!w->rec_stage_target)
		return true;
	bool whole = window_copy(fd, w, s->copied, WINDOW_IMAGE) == WINDOW_IMAGE;

	s->copied = 0;
	if (whole)
		__atomic_store_n(&w->rec_stage_target, 0, __ATOMIC_RELEASE);
	return whole;
}

bool tap_chunk_prepares(const struct tap_stream *s)    /* in the last block of a window */
{
	return !s->map && s->chunks > 2 && s->chunk_end - s->used <= REC_BLOCK && !s->copied && !s->dead;
}

/*
 * Its records were finished a chunk ago, but for those of code that was interrupted and has not come back for five
 * blocks (STREAM4). The image counts until the target goes, so nothing depends on how far this came.
 */
void tap_chunk_prepare(struct tap_stream *s)
{
	struct rec_chunk *w = s->window[s->chunks & 1];  /* the one that the next chunk takes */
	int fd = tap_seccomp || !tap_chunk_prepares(s) ? -1 : tap_space_open(s->number);
	enum rec_loss why;

	if (fd < 0)
		return;
	if (w && w->rec_stage_target)
		s->copied = window_copy(fd, w, 0, WINDOW_IMAGE / 2);
	tap_space_allocate(s, fd, s->next_chunk, WINDOW_IMAGE, &why);
	tap_sys_close(fd);
}

static bool next_in_window(struct tap_stream *s, int fd, enum rec_loss *why)
{
	struct rec_chunk **w = &s->window[s->chunks & 1];
	bool fresh = !*w;
	bool ring = tap_ring() && !s->keeps;

	if (fresh && !(*w = window_make(s, fd, why)))
		return false;
	uint64_t place = s->next_chunk, gone = 0;
	bool again = false;

	/* first: the oldest place of a small ring may be the one it stands for */
	if (!window_flush(s, fd, *w))
		return false;
	if (tap_space_allocate(s, fd, place, WINDOW_IMAGE, why)) {
		s->next_chunk += WINDOW_IMAGE;
		if (ring)
			tap_ring_add(s, place);
	} else if (!ring || !(again = tap_ring_take_oldest(s, fd, &place, &gone))) {
		return false;
	}
	uint64_t at = place > s->chunk_end ? place : tap_round_up(s->chunk_end, REC_BLOCK);

	if (!fresh)                             /* else it is zero, and its pages wait for their first records */
		__builtin_memset(image_of(*w), 0, WINDOW_IMAGE);
	struct rec_chunk *image = (struct rec_chunk *)image_of(*w), *other = s->window[!(s->chunks & 1)];

	image->rec_calls_gone = gone;
	image->rec_offset = at == place ? 0 : at;
	chunk_header(image, WINDOW_IMAGE);
	__atomic_store_n(&(*w)->rec_stage_target, place, __ATOMIC_RELEASE);     /* CHUNK3, RING1 */
	if (!again)
		tap_tally_chunk(s->control, place + WINDOW_IMAGE);
	open_chunk(s, (uint8_t *)image, at, WINDOW_IMAGE);
	if (ring) {
		if (other)
			tap_ring_leave((struct rec_chunk *)image_of(other));
		tap_stream_record_thread(s, REC_THREAD_AGAIN);
	}
	return true;
}

static bool next_in_place(struct tap_stream *s, int fd, enum rec_loss *why)
{
	uint64_t bytes = next_bytes(s), at = s->next_chunk;
	bool room = tap_space_allocate(s, fd, at, bytes, why);
	uint8_t *map = NULL;

	while (!room && bytes > REC_BLOCK)              /* a small chunk is better than none */
		room = tap_space_allocate(s, fd, at, bytes /= 4, why);
	if (room)
		map = tap_sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
	if (!map)
		return false;
	chunk_header(map, bytes);
	tap_tally_chunk(s->control, at + bytes);
	open_chunk(s, map, at, bytes);
	s->next_chunk = at + bytes;
	s->map = map;
	s->map_bytes = bytes;
	return true;
}

/* STREAM4: the open chunk stays mapped until the next switch; the windows' chunks count as they are (CHUNK3). */
void tap_chunk_leave_file(struct tap_stream *s)
{
	struct rec_chunk *open = s->map ? NULL : s->window[!(s->chunks & 1)];
	uint64_t end;

	/* padding crosses no block's end either; the chunk may be open at any of its blocks */
	s->limit = s->chunk_end - REC_CHUNK_RESERVE;
	while ((end = tap_round_up(s->used + 8, REC_BLOCK)) < s->chunk_end)
		pad_to(s, end, 0);
	pad_to(s, s->chunk_end, REC_CHUNK_RESERVE);
	retire(s);
	for (int i = 0; i < 2; i++) {
		if (s->window[i] && s->window[i] != open)
			tap_sys_munmap(s->window[i], REC_STAGE_IMAGE + WINDOW_IMAGE);
		s->window[i] = NULL;
	}
	if (open) {
		s->last_map = open;
		s->last_map_bytes = REC_STAGE_IMAGE + WINDOW_IMAGE;
	}
}

/* Whether the next chunk would lie where links cannot tell it. A ring's count on: the reader knows where they stand. */
static bool is_long(const struct tap_stream *s)
{
	return !gc_without("long-stream") && s->next_chunk + 32u * REC_BLOCK > tap_chunk_file_end &&
		(!tap_ring() || s->keeps);
}

bool tap_chunk_next(struct tap_stream *s, enum rec_loss *why)
{
	*why = tap_seccomp ? REC_LOSS_SECCOMP : REC_LOSS_NO_SPACE;
	if (!tap_seccomp && is_long(s) && tap_stream_move(s, why))
		return true;
	uint32_t number = s->number;
	int fd = tap_seccomp || is_long(s) ? -1 : tap_stream_reopen(s, why);

	if (fd < 0)
		return s->number != number;
	if (s->number != number) {              /* its first chunk is open */
		tap_sys_close(fd);
		return true;
	}
	/* its places are taken again: nothing but windows may be mapped */
	bool ring = tap_ring() && !s->keeps;
	bool windows = s->chunks >= 2 && (ring || !tap_space_may_fail(fd));
	bool done = (windows && next_in_window(s, fd, why)) || (!(ring && windows) && next_in_place(s, fd, why));

	tap_sys_close(fd);
	TAP_DEBUG(chunk, "stream %u: chunk %u %s at %lu, %lu bytes in the trace", s->number, s->chunks,
		done ? "opened" : "refused, wanted", done ? s->chunk_end : s->next_chunk, tap_space_counted());
	return done;
}

int tap_chunk_blobs_file(struct tap_stream **s, enum rec_loss *why)
{
	if ((*s)->kept)
		*s = (*s)->kept;
	*why = tap_seccomp ? REC_LOSS_SECCOMP : REC_LOSS_NO_SPACE;
	return tap_seccomp ? -1 : tap_stream_reopen(*s, why);
}

static void blank(void *map, size_t bytes)
{
	if (map)
		tap_sys_mmap(map, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}

void tap_chunk_blank(struct tap_stream *s)
{
	blank(s->map, s->map_bytes);
	blank(s->last_map, s->last_map_bytes);
	blank(s->window[0], REC_STAGE_IMAGE + WINDOW_IMAGE);
	blank(s->window[1], REC_STAGE_IMAGE + WINDOW_IMAGE);
	if (s->map != (void *)s->control)
		blank(s->control, (size_t)sysconf(_SC_PAGESIZE));
}
