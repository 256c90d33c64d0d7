/*
 * trace/read/fetch.c - single records by their place, and contents by their id
 *
 * A block that is asked for stays in a small cache with a bit for each place where a record starts: an offset that is
 * not one of them is refused, whatever the bytes there look like.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/paged.h"
#include "common/search.h"
#include "trace/read/internal.h"

#define SETS 64u
#define WAYS 4u                           /* 256 blocks: 16 MiB */

struct entry {
	size_t block;                     /* index in gt_reader.blocks + 1; 0 = empty */
	uint64_t used;                    /* look-up that touched it last */
	struct gt_block walk;
	/* A bit a word: a record starts here; it is a REC_THREAD. How many of those stand before each 64 words. */
	uint64_t starts[GT_BLOCK_WORDS / 64], threads[GT_BLOCK_WORDS / 64];
	uint32_t threads_before[GT_BLOCK_WORDS / 64];
	uint64_t words[GT_BLOCK_WORDS];
};
struct gt_fetch_cache { uint64_t now; struct entry *entry[SETS][WAYS]; };

void gt_fetch_cache_free(struct gt_fetch_cache *c)
{
	for (unsigned i = 0; c && i < SETS; i++)
		for (unsigned k = 0; k < WAYS; k++)
			free(c->entry[i][k]);
	free(c);
}

/* Index of the block that holds the offset; n_blocks when none does. */
static size_t find_block(const struct gt_reader *r, const struct gt_stream *s, uint64_t offset)
{
	const struct gt_block_info *v = r->blocks + s->first_block;
	size_t at;

	if (!s->n_blocks)
		return r->n_blocks;
	GT_SEARCH_LAST(at, s->n_blocks, v[at].offset <= offset);
	if (offset < v[at].offset || offset - v[at].offset >= (uint64_t)v[at].words * 8)
		return r->n_blocks;
	return s->first_block + at;
}

/* A ring's stream may be longer than links reach; what is left of it is not: the newest place that fits. */
size_t gt_block_find(const struct gt_reader *r, const struct gt_stream *s, uint64_t *offset)
{
	const uint64_t span = 1ull << 35;
	uint64_t last = s->n_blocks ? r->blocks[s->first_block + s->n_blocks - 1].offset + REC_BLOCK : 0, low = *offset;
	size_t block;

	if (last > low)
		*offset += (last - low) / span * span;
	while ((block = find_block(r, s, *offset)) == r->n_blocks && *offset > low)
		*offset -= span;
	return block;
}

static struct entry *choose(struct gt_fetch_cache *c, size_t block)
{
	struct entry **set = c->entry[block % SETS], *oldest = NULL;

	for (unsigned i = 0; i < WAYS; i++) {
		if (!set[i]) {
			set[i] = calloc(1, sizeof(*set[i]));
			return set[i];
		}
		if (set[i]->block == block + 1)
			return set[i];
		if (!oldest || set[i]->used < oldest->used)
			oldest = set[i];
	}
	oldest->block = 0;
	return oldest;
}

static int fill(const struct gt_reader *r, struct entry *e, size_t block, struct gt_err *err)
{
	struct gt_block walk;
	struct gt_rec rec;
	uint32_t threads = 0;

	e->block = 0;
	if (gt_block_load(r, &r->blocks[block], e->words, &e->walk, err) < 0)
		return -1;
	memset(e->starts, 0, sizeof(e->starts));
	memset(e->threads, 0, sizeof(e->threads));
	for (walk = e->walk; gt_block_next(&walk, &rec);) {
		uint32_t at = (uint32_t)(rec.words - walk.words);

		e->starts[at / 64] |= 1ull << at % 64;
		e->threads[at / 64] |= (uint64_t)(rec.id == REC_THREAD) << at % 64;
	}
	for (uint32_t i = 0; i < GT_BLOCK_WORDS / 64; i++) {
		e->threads_before[i] = threads;
		threads += (uint32_t)__builtin_popcountll(e->threads[i]);
	}
	e->block = block + 1;
	return 0;
}

int gt_reader_fetch(struct gt_reader *r, uint32_t process, uint64_t link, struct gt_rec *rec, struct gt_err *err)
{
	const struct gt_stream *s = gt_stream_find(r, process, rec_link_stream(link));
	uint64_t offset = rec_link_offset(link);
	size_t block = s ? gt_block_find(r, s, &offset) : r->n_blocks;
	struct gt_block walk;
	struct entry *e;
	uint32_t at;

	if (block == r->n_blocks)
		return 0;
	if (!r->cache && !(r->cache = calloc(1, sizeof(*r->cache))))
		return gt_no_memory(err);
	e = choose(r->cache, block);
	if (!e)
		return gt_no_memory(err);
	if (e->block != block + 1 && fill(r, e, block, err) < 0)
		return -1;
	e->used = ++r->cache->now;
	at = (uint32_t)((offset - r->blocks[block].offset) / 8);
	if (!(e->starts[at / 64] >> at % 64 & 1))
		return 0;
	walk = e->walk;
	walk.at = at;
	walk.holders += e->threads_before[at / 64] +
		(uint32_t)__builtin_popcountll(e->threads[at / 64] & ((1ull << at % 64) - 1));
	if (!gt_block_next(&walk, rec))
		return 0;
	rec->process = process;
	rec->stream = s->number;
	return 1;
}

/* ---- contents ---- */

/* The first of those with this id (index.c has put them in order), or NULL. */
static struct gt_blob_info *find_blob(struct gt_reader *r, const uint64_t id[2])
{
	struct gt_blob_info *v = r->blobs;
	size_t at;

	GT_SEARCH(at, r->n_blobs, v[at].id[0] < id[0] || (v[at].id[0] == id[0] && v[at].id[1] < id[1]));
	return at < r->n_blobs && v[at].id[0] == id[0] && v[at].id[1] == id[1] ? &v[at] : NULL;
}

static struct gt_blob_info *readable_blob(struct gt_reader *r, const uint64_t id[2])
{
	struct gt_blob_info *b = find_blob(r, id);

	gt_paged_tick();
	return b && b->bytes <= REC_BLOB_MAX ? b : NULL;
}

bool gt_reader_blob_total(struct gt_reader *r, const uint64_t id[2], uint64_t *total_bytes)
{
	const struct gt_blob_info *b = readable_blob(r, id);

	if (b)
		*total_bytes = b->total;
	return b;
}

int gt_reader_blob(struct gt_reader *r, const uint64_t id[2], const void **data, size_t *bytes, uint64_t *total_bytes)
{
	struct gt_blob_info *b = readable_blob(r, id);

	if (!b)
		return 0;
	if (!b->data) {
		char *copy = malloc((size_t)b->bytes + 1);
		int64_t got;

		if (!copy)
			return -1;
		got = r->store->read(r->store, b->file, b->offset, copy, (size_t)b->bytes);
		if (got < 0 || (uint64_t)got != b->bytes) {
			free(copy);
			return 0;
		}
		copy[b->bytes] = 0;
		b->data = copy;
	}
	*data = b->data;
	*bytes = (size_t)b->bytes;
	*total_bytes = b->total;
	return 1;
}

int gt_reader_blob_words(struct gt_reader *r, const uint64_t id[2], uint64_t **to, size_t *room, size_t *words)
{
	const struct gt_blob_info *b = readable_blob(r, id);

	if (!b || b->bytes != b->total || b->bytes % 8)
		return 0;
	if (b->bytes > *room) {
		uint64_t *more = realloc(*to, (size_t)b->bytes);

		if (!more)
			return -1;
		*to = more;
		*room = (size_t)b->bytes;
	}
	*words = (size_t)b->bytes / 8;
	return r->store->read(r->store, b->file, b->offset, *to, (size_t)b->bytes) == (int64_t)b->bytes;
}

void gt_reader_blob_forget(struct gt_reader *r, const uint64_t id[2])
{
	struct gt_blob_info *b = find_blob(r, id);

	if (!b)
		return;
	free((void *)b->data);
	b->data = NULL;
}
