/*
 * trace/write/blob.c - contents worth keeping once: program sources, build logs, binaries
 *
 * Runs      on any thread of the traced program, in calls that take milliseconds anyway (program creation, build).
 * May       make system calls with signals blocked.
 * Must not  allocate with malloc, lock, change errno.
 *
 * A blob owns whole blocks of the calling thread's stream file. Its header is written before its content, with
 * blob_bytes 0, so that a reader steps over one that a kill cut short.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define XXH_INLINE_ALL
/* Its hints fail with -Og (gcc 12): "inlining failed". */
#define XXH_NO_INLINE_HINTS 1
#include <xxhash.h>

#include "trace/write/internal.h"

#define BLOB_MAX (1u << 20)
#define IDS 4096u                       /* contents remembered as stored; past that a content may be stored twice */

static uint64_t stored[IDS];            /* low words of ids, 0 = free; open addressing */

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

static size_t part_length(const void *const *parts, const size_t *lengths, uint32_t i)
{
	if (!parts[i])
		return 0;
	return lengths && lengths[i] ? lengths[i] : tap_text_length(parts[i]);
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

/* False: not even the header stands. */
static bool write_parts(int fd, uint64_t at, struct rec_chunk *head, const void *const *parts, const size_t *lengths,
	uint32_t n, uint64_t kept)
{
	uint64_t done = 0;

	if (!write_at(fd, head, sizeof *head, at))
		return false;
	for (uint32_t i = 0; i < n && done < kept; i++) {
		size_t length = part_length(parts, lengths, i);

		if (length > kept - done)
			length = kept - done;
		if (length && !write_at(fd, parts[i], length, at + sizeof *head + done))
			return true;
		done += length;
	}
	head->blob_bytes = kept;
	write_at(fd, head, sizeof *head, at);
	return true;
}

static void store(enum rec_blob_kind kind, const void *const *parts, const size_t *lengths, uint32_t n,
	const uint64_t id[2], uint64_t total)
{
	struct tap_stream *s = tap_stream_get();
	uint64_t kept = total < BLOB_MAX ? total : BLOB_MAX, offset;
	enum rec_loss why;

	if (!s)
		return;
	uint64_t mask = tap_sys_signals_block();
	struct rec_chunk head = {
		.magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_BLOB, .version = REC_VERSION,
		.bytes = (sizeof head + kept + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK, .start_tick = tap_tick(),
		.blob_id = { id[0], id[1] }, .blob_total = total, .blob_kind = kind,
	};
	int fd = tap_chunk_foreign(s, head.bytes, &offset, &why);

	if (fd >= 0) {
		/* A chunk without a header would hide what comes behind it: its place goes to the next chunk. */
		if (!write_parts(fd, offset, &head, parts, lengths, n, kept))
			s->next_chunk = offset;
		tap_sys_close(fd);
	}
	tap_sys_signals_restore(mask);
	if (fd < 0 || head.blob_bytes < total)
		tap_lost(REC_LOSS_SOURCE_CUT, 1);
}

void tap_blob_store(enum rec_blob_kind kind, const void *const *parts, const size_t *lengths, uint32_t n,
	bool keep_content, uint64_t id[2], uint64_t *total)
{
	XXH3_state_t state;
	uint64_t bytes = 0;

	XXH3_INITSTATE(&state);
	XXH3_128bits_reset(&state);
	for (uint32_t i = 0; i < n; i++) {
		size_t length = part_length(parts, lengths, i);

		if (length)
			XXH3_128bits_update(&state, parts[i], length);
		bytes += length;
	}
	XXH128_hash_t hash = XXH3_128bits_digest(&state);

	id[0] = hash.low64;
	id[1] = hash.high64;
	*total = bytes;
	if (keep_content && bytes && first_to_store(id[0] ^ (uint64_t)kind << 56))
		store(kind, parts, lengths, n, id, bytes);
}

void tap_blobs_forget(void)
{
	for (uint32_t i = 0; i < IDS; i++)
		stored[i] = 0;
}
