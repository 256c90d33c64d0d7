/*
 * trace/write/stream/blob.c - contents worth keeping once: program sources, build logs, binaries
 *
 * Runs      on any thread of the traced program, in calls that take milliseconds anyway (program creation, build).
 * May       make system calls with signals blocked.
 * Must not  allocate with malloc, lock, change errno.
 *
 * A large blob owns whole blocks of the calling thread's stream file. Its header is written before its content, with
 * blob_bytes 0, so that a reader steps over one that a kill cut short. Small ones share a block: there the header,
 * whose magic makes it one, is written behind the content.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define XXH_INLINE_ALL
/* Its hints fail with -Og (gcc 12): "inlining failed". */
#define XXH_NO_INLINE_HINTS 1
#include <xxhash.h>

#include "trace/write/internal.h"

#define SMALL (16u << 10)               /* bytes: so at most a quarter of a shared block stays empty */
#define IDS 4096u                       /* contents remembered as stored; past that a content may be stored twice */

static uint64_t stored[IDS];            /* low words of ids, 0 = free; open addressing */

static bool is_stored(uint64_t id)
{
	id += id == 0;
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t seen = TAP_READ_ONCE(stored[(id + i) % IDS]);

		if (seen == id || !seen)
			return seen;
	}
	return false;
}

/* True for the one caller that is to store this id. */
static bool first_to_store(uint64_t id)
{
	id += id == 0;
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t *at = &stored[(id + i) % IDS], seen = 0;

		if (__atomic_compare_exchange_n(at, &seen, id, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
		if (seen == id)
			return false;
	}
	return true;
}

struct content { enum rec_blob_kind kind; const void *const *parts; const size_t *lengths; uint32_t n; uint64_t kept; };

/* Only a program's sources may be strings that end by themselves. */
static size_t part_length(const struct content *c, uint32_t i)
{
	if (!c->parts[i])
		return 0;
	if (c->kind == REC_BLOB_SOURCE && (!c->lengths || !c->lengths[i]))
		return tap_text_length(c->parts[i]);
	return c->lengths[i];
}

static bool write_at(int fd, const void *from, size_t n, uint64_t at)
{
	const char *p = from;

	while (n) {
		long done = tap_sys_pwrite(fd, p, n, at);

		if (done <= 0)
			return false;
		p += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return true;
}

/* The content's bytes as far as c->kept; how many of them stand. */
static uint64_t write_parts(int fd, uint64_t at, const struct content *c)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < c->n && done < c->kept; i++) {
		size_t length = part_length(c, i);

		if (length > c->kept - done)
			length = c->kept - done;
		if (length && !write_at(fd, c->parts[i], length, at + done))
			return done;
		done += length;
	}
	return done;
}

static bool store_large(
	struct tap_stream *s, int fd, struct rec_chunk *head, const struct content *c, enum rec_loss *why)
{
	uint64_t at;

	head->bytes = (sizeof *head + c->kept + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
	if (!tap_space_blobs(s, fd, head->bytes, &at, why))
		return false;
	*why = REC_LOSS_SOURCE_CUT;
	/* A chunk without a header would hide what comes behind it: its place goes to the next chunk. */
	if (!write_at(fd, head, sizeof *head, at)) {
		s->next_chunk = at;
		return false;
	}
	tap_tally_chunk(s->control, at + head->bytes);
	if (write_parts(fd, at + sizeof *head, c) < c->kept)
		return false;
	head->blob_bytes = c->kept;
	return write_at(fd, head, sizeof *head, at);
}

/* A block for small contents, unless the one at hand has room for `bytes` more. */
static bool share(struct tap_stream *s, int fd, uint64_t bytes, uint64_t tick, enum rec_loss *why)
{
	const struct rec_chunk head = { .magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_BLOBS, .version = REC_VERSION,
		.bytes = REC_BLOCK, .start_tick = tick };
	uint64_t at;

	if (s->blobs_end - s->blobs_at >= bytes)
		return true;
	if (!tap_space_blobs(s, fd, REC_BLOCK, &at, why))
		return false;
	*why = REC_LOSS_SOURCE_CUT;
	if (!write_at(fd, &head, sizeof head, at)) {
		s->next_chunk = at;
		return false;
	}
	tap_tally_chunk(s->control, at + REC_BLOCK);
	s->blobs_at = at + sizeof head;
	s->blobs_end = at + REC_BLOCK;
	return true;
}

static bool store_small(
	struct tap_stream *s, int fd, struct rec_chunk *head, const struct content *c, enum rec_loss *why)
{
	head->bytes = (sizeof *head + c->kept + 7) / 8 * 8;
	if (!share(s, fd, head->bytes, head->start_tick, why))
		return false;
	*why = REC_LOSS_SOURCE_CUT;
	head->blob_bytes = c->kept;
	if (write_parts(fd, s->blobs_at + sizeof *head, c) < c->kept ||
		!write_at(fd, head, sizeof *head, s->blobs_at))
		return false;
	s->blobs_at += head->bytes;
	return true;
}

/* Whether all of it stands. *why: else. */
static bool store(const struct content *c, const uint64_t id[2], uint64_t total, enum rec_loss *why)
{
	struct tap_stream *s = tap_stream_get();
	bool stands = false;

	*why = REC_LOSS_SOURCE_CUT;
	if (!s)
		return false;
	uint64_t mask = tap_sys_signals_block();
	struct rec_chunk head = {
		.magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_BLOB, .version = REC_VERSION, .start_tick = tap_tick(),
		.blob_id = { id[0], id[1] }, .blob_total = total, .blob_kind = c->kind,
	};
	int fd = tap_chunk_blobs_file(&s, why);

	if (fd >= 0) {
		stands = c->kept <= SMALL ? store_small(s, fd, &head, c, why) : store_large(s, fd, &head, c, why);
		tap_sys_close(fd);
	}
	tap_sys_signals_restore(mask);
	if (stands || *why != REC_LOSS_CONTENTS_CAP)
		*why = REC_LOSS_SOURCE_CUT;
	return stands && c->kept == total;
}

/*
 * Of a call's arguments: the record counts that they were cut, where they were. Stored under their id only once they
 * stand, so that no record names what is not there.
 */
static bool store_args(const struct content *c, const uint64_t id[2], uint64_t total)
{
	uint64_t key = id[0] ^ (uint64_t)c->kind << 56;
	enum rec_loss why;

	if (is_stored(key))
		return true;
	if (c->kept < total || !store(c, id, total, &why))
		return false;
	first_to_store(key);
	return true;
}

/* Sets kept to the length of all. Its own function: the state is large, and none of those that store need it. */
static __attribute__((noinline)) void hash_content(struct content *c, uint64_t id[2])
{
	XXH3_state_t state;

	XXH3_INITSTATE(&state);
	XXH3_128bits_reset(&state);
	for (uint32_t i = 0; i < c->n; i++) {
		size_t length = part_length(c, i);

		if (length)
			XXH3_128bits_update(&state, c->parts[i], length);
		c->kept += length;
	}
	XXH128_hash_t hash = XXH3_128bits_digest(&state);

	id[0] = hash.low64;
	id[1] = hash.high64;
}

bool tap_blob_store(enum rec_blob_kind kind, const void *const *parts, const size_t *lengths, uint32_t n,
	bool keep_content, uint64_t id[2], uint64_t *total)
{
	struct content c = { kind, parts, lengths, n, 0 };
	enum rec_loss why;

	hash_content(&c, id);
	*total = c.kept;
	c.kept = *total < REC_BLOB_MAX ? *total : REC_BLOB_MAX;
	if (kind == REC_BLOB_ARGS)
		return store_args(&c, id, *total);
	if (!keep_content || !*total || !first_to_store(id[0] ^ (uint64_t)kind << 56) || store(&c, id, *total, &why))
		return true;
	tap_lost(why, 1);
	return false;
}

void tap_blobs_forget(void)
{
	for (uint32_t i = 0; i < IDS; i++)
		stored[i] = 0;
}
