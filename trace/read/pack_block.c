/*
 * trace/read/pack_block.c - one block of a packed trace: columns of like bytes, then zstd
 *
 * A block of records is split into: what stands before the first record, the headers of all records (with the size
 * words of long ones), then for each function or type its second words, its third words, and so on, each column as
 * eight planes of bytes. Start ticks of calls are stored as the distance from the end of the call before: most of their
 * bytes are zero then. What cannot be split that way, or does not come back the same, is stored otherwise.
 *
 *   u32 prefix bytes, u32 words of records, u32 headers and size words among them, u32 0
 *   prefix
 *   headers and size words, 8 bytes each, as planes
 *   the other words, by (id of the record in order of first appearance, place in the record), as planes
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#define XXH_INLINE_ALL                    /* no library more for the tool */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "trace/read/pack_format.h"

#define WORDS (REC_BLOCK / 8)
#define GROUPS 256u                       /* ids told apart in one block; the rest share the last group */
#define SPLIT_HEAD 16u
#define COLUMNS 64u                       /* places told apart in a record; the rest share the last */

struct record { uint16_t at, words, group; bool has_size, has_tick; };

struct pack_coder {
	ZSTD_CCtx *cctx;
	ZSTD_DCtx *dctx;
	uint32_t n;                       /* records of the block at hand */
	struct record records[WORDS];
	uint32_t n_groups;
	uint16_t ids[GROUPS];
	uint16_t members[WORDS];          /* records by group */
	uint32_t first[GROUPS + 1];
	uint64_t words[WORDS], deltas[WORDS], column[WORDS];
	uint8_t split[REC_BLOCK + SPLIT_HEAD], proof[REC_BLOCK];
	uint8_t packed[ZSTD_COMPRESSBOUND(REC_BLOCK + SPLIT_HEAD)];
};

struct pack_coder *pack_coder_new(void)
{
	struct pack_coder *c = malloc(sizeof(*c));

	if (!c)
		return NULL;
	c->cctx = ZSTD_createCCtx();
	c->dctx = ZSTD_createDCtx();
	if (c->cctx && c->dctx)
		return c;
	pack_coder_free(c);
	return NULL;
}

void pack_coder_free(struct pack_coder *c)
{
	if (!c)
		return;
	ZSTD_freeCCtx(c->cctx);
	ZSTD_freeDCtx(c->dctx);
	free(c);
}

/* ---- sums ---- */

uint64_t pack_sum(const void *data, size_t bytes) { return XXH3_64bits(data, bytes); }

uint64_t pack_tables_sum(const struct pack_header *h, const struct pack_file *files, const struct pack_block *blocks)
{
	struct pack_header unsummed = *h;
	uint64_t parts[3];

	unsummed.sum = 0;
	parts[0] = pack_sum(&unsummed, sizeof(unsummed));
	parts[1] = pack_sum(files, h->n_files * sizeof(*files));
	parts[2] = pack_sum(blocks, h->n_blocks * sizeof(*blocks));
	return pack_sum(parts, sizeof(parts));
}

/* ---- shape: what headers say about the rest; the same in both directions ---- */

static uint16_t group_of(struct pack_coder *c, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < c->n_groups; i++)
		if (c->ids[i] == id)
			return (uint16_t)i;
	if (c->n_groups == GROUPS)
		return GROUPS - 1;
	c->ids[c->n_groups] = (uint16_t)id;
	return (uint16_t)c->n_groups++;
}

/*
 * Adds the record that starts at word `at`; false when it does not fit in `left` words. size: its second word if
 * REC_LONG.
 */
static bool add_record(struct pack_coder *c, uint64_t head, uint64_t size, uint32_t at, uint32_t left)
{
	uint32_t flags = rec_flags(head), id = rec_id(head);
	struct record *r = &c->records[c->n];
	uint64_t words = flags & REC_INCOMPLETE ? head >> 32 : flags & REC_LONG ? size : head >> 16 & 0xffu;
	bool has_size = flags & REC_LONG && !(flags & REC_INCOMPLETE);

	if (head == 0 || words < (has_size ? 2u : 1u) || words > left)
		return false;
	*r = (struct record){ .at = (uint16_t)at, .words = (uint16_t)words, .has_size = has_size };
	/* Calls only: which other types have a tick is not for a packed block to know, as types are added. */
	r->has_tick = flags & REC_COMPLETE && words >= (has_size ? 4u : 3u) && id >= REC_FIRST_FUNCTION;
	r->group = group_of(c, id);
	c->n++;
	return true;
}

static void sort_groups(struct pack_coder *c)
{
	memset(c->first, 0, sizeof(c->first));
	for (uint32_t i = 0; i < c->n; i++)
		c->first[c->records[i].group + 1]++;
	for (uint32_t g = 0; g < GROUPS; g++)
		c->first[g + 1] += c->first[g];
	for (uint32_t i = 0; i < c->n; i++)
		c->members[c->first[c->records[i].group]++] = (uint16_t)i;
	memmove(c->first + 1, c->first, GROUPS * sizeof(*c->first));
	c->first[0] = 0;
}

/* Where the next call's tick is expected: at the end of this one, as far as its low duration word tells. */
static uint64_t expected_next(const struct record *r, const uint64_t *words, uint64_t tick)
{
	return tick + (uint32_t)words[r->at + 2 + r->has_size];
}

/* ---- planes ---- */

static uint8_t *put_planes(uint8_t *to, const uint64_t *column, uint32_t n)
{
	for (unsigned byte = 0; byte < 8; byte++)
		for (uint32_t i = 0; i < n; i++)
			*to++ = (uint8_t)(column[i] >> 8 * byte);
	return to;
}

static const uint8_t *take_planes(const uint8_t *from, uint64_t *column, uint32_t n)
{
	memset(column, 0, n * sizeof(*column));
	for (unsigned byte = 0; byte < 8; byte++)
		for (uint32_t i = 0; i < n; i++)
			column[i] |= (uint64_t)*from++ << 8 * byte;
	return from;
}

/*
 * Collects the places of one column of one group; the last column holds all words from there on. Returns their number.
 */
static uint32_t column_places(const struct pack_coder *c, uint32_t group, uint32_t column, uint16_t *places)
{
	uint32_t n = 0;

	for (uint32_t i = c->first[group]; i < c->first[group + 1]; i++) {
		const struct record *r = &c->records[c->members[i]];
		uint32_t from = column + (r->has_size ? 2u : 1u), to = column == COLUMNS - 1 ? r->words : from + 1u;

		for (uint32_t k = from; k < to && k < r->words; k++)
			places[n++] = (uint16_t)(r->at + k);
	}
	return n;
}

static uint8_t *put_columns(struct pack_coder *c, uint8_t *to)
{
	uint16_t places[WORDS];

	for (uint32_t group = 0; group < c->n_groups; group++) {
		for (uint32_t column = 0; column < COLUMNS; column++) {
			uint32_t n = column_places(c, group, column, places);

			if (!n)
				break;
			for (uint32_t i = 0; i < n; i++)
				c->column[i] = c->deltas[places[i]];
			to = put_planes(to, c->column, n);
		}
	}
	return to;
}

static const uint8_t *take_columns(struct pack_coder *c, const uint8_t *from)
{
	uint16_t places[WORDS];

	for (uint32_t group = 0; group < c->n_groups; group++) {
		for (uint32_t column = 0; column < COLUMNS; column++) {
			uint32_t n = column_places(c, group, column, places);

			if (!n)
				break;
			from = take_planes(from, c->column, n);
			for (uint32_t i = 0; i < n; i++)
				c->words[places[i]] = c->column[i];
		}
	}
	return from;
}

/* ---- a block ---- */

/*
 * Records from `prefix` bytes on; everything behind them must be zero. Returns bytes in c->split, 0 when it is not
 * that kind.
 */
static size_t split_block(struct pack_coder *c, const uint8_t *block, size_t n, uint32_t prefix)
{
	uint32_t total = prefix > n ? 0 : (uint32_t)((n - prefix) / 8), at = 0, heads = 0;
	uint64_t expected = 0;
	uint8_t *to = c->split;

	memset(to, 0, SPLIT_HEAD);
	if (n % 8 || prefix > n)
		return 0;
	memcpy(c->words, block + prefix, (size_t)total * 8);
	c->n = c->n_groups = 0;
	while (at < total && c->words[at]) {
		if (!add_record(c, c->words[at], at + 1 < total ? c->words[at + 1] : 0, at, total - at))
			return 0;
		at += c->records[c->n - 1].words;
	}
	for (uint32_t i = at; i < total; i++)
		if (c->words[i])
			return 0;
	sort_groups(c);
	memcpy(c->deltas, c->words, (size_t)at * 8);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct record *r = &c->records[i];

		c->column[heads++] = c->words[r->at];
		if (r->has_size)
			c->column[heads++] = c->words[r->at + 1];
		if (!r->has_tick)
			continue;
		c->deltas[r->at + 1 + r->has_size] -= expected;
		expected = expected_next(r, c->words, c->words[r->at + 1 + r->has_size]);
	}
	memcpy(to, &prefix, 4);
	memcpy(to + 4, &at, 4);
	memcpy(to + 8, &heads, 4);
	memcpy(to + SPLIT_HEAD, block, prefix);
	to = put_planes(to + SPLIT_HEAD + prefix, c->column, heads);
	to = put_columns(c, to);
	return (size_t)(to - c->split);
}

/* The records' shape from the headers in c->column, `at` words in all. */
static bool shape_from_heads(struct pack_coder *c, uint32_t heads, uint32_t words)
{
	uint32_t at = 0;

	c->n = c->n_groups = 0;
	for (uint32_t h = 0; h < heads;) {
		const struct record *r = &c->records[c->n];

		if (at == words || !add_record(c, c->column[h], h + 1 < heads ? c->column[h + 1] : 0, at, words - at))
			return false;
		c->words[at] = c->column[h++];
		if (r->has_size) {
			if (h == heads)
				return false;
			c->words[at + 1] = c->column[h++];
		}
		at += r->words;
	}
	return at == words;
}

/* The inverse of split_block for `got` bytes in c->split. */
static bool join_block(struct pack_coder *c, size_t got, uint8_t *block, size_t n)
{
	uint32_t prefix, words, heads;
	uint64_t expected = 0;
	const uint8_t *from;

	if (got < SPLIT_HEAD)
		return false;
	memcpy(&prefix, c->split, 4);
	memcpy(&words, c->split + 4, 4);
	memcpy(&heads, c->split + 8, 4);
	if (prefix > n || words > (n - prefix) / 8 || heads > words || got != SPLIT_HEAD + prefix + (size_t)words * 8)
		return false;
	from = take_planes(c->split + SPLIT_HEAD + prefix, c->column, heads);
	if (!shape_from_heads(c, heads, words))
		return false;
	sort_groups(c);
	take_columns(c, from);
	for (uint32_t i = 0; i < c->n; i++) {
		const struct record *r = &c->records[i];
		uint64_t *tick = &c->words[r->at + 1 + r->has_size];

		if (!r->has_tick)
			continue;
		*tick += expected;
		expected = expected_next(r, c->words, *tick);
	}
	memset(block, 0, n);
	memcpy(block, c->split + SPLIT_HEAD, prefix);
	memcpy(block + prefix, c->words, (size_t)words * 8);
	return true;
}

bool pack_decode(struct pack_coder *c, enum pack_method method, const void *packed, size_t bytes, void *block, size_t n)
{
	size_t got;

	switch (method) {
	case PACK_ZERO:
		memset(block, 0, n);
		return true;
	case PACK_STORED:
		if (bytes == n)
			memcpy(block, packed, n);
		return bytes == n;
	case PACK_ZSTD:
		return ZSTD_decompressDCtx(c->dctx, block, n, packed, bytes) == n;
	case PACK_COLUMNS:
		got = ZSTD_decompressDCtx(c->dctx, c->split, sizeof(c->split), packed, bytes);
		return !ZSTD_isError(got) && join_block(c, got, block, n);
	}
	return false;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	return !n || (p[0] == 0 && !memcmp(p, p + 1, n - 1));
}

/* Where the first record of a stream's block stands. */
static uint32_t prefix_of(const uint8_t *block, size_t n, uint64_t file_block)
{
	uint32_t magic = 0;

	if (file_block == 0)
		return REC_CONTROL_BYTES + sizeof(struct rec_chunk);
	if (n >= sizeof(struct rec_chunk))
		memcpy(&magic, block, sizeof(magic));
	return magic == REC_CHUNK_MAGIC ? sizeof(struct rec_chunk) : 0;
}

bool pack_encode(struct pack_coder *c, const void *block, size_t n, uint64_t file_block, enum pack_method *method,
	const void **out, size_t *bytes)
{
	size_t split;

	*out = c->packed;
	*bytes = 0;
	*method = PACK_ZERO;
	if (all_zero(block, n))
		return true;
	*method = PACK_COLUMNS;
	split = file_block == UINT64_MAX ? 0 : split_block(c, block, n, prefix_of(block, n, file_block));
	if (split) {
		*bytes = ZSTD_compressCCtx(c->cctx, c->packed, sizeof(c->packed), c->split, split, 1);
		/* Proved on the spot: a packed trace replaces the directory. */
		if (!ZSTD_isError(*bytes) && pack_decode(c, *method, c->packed, *bytes, c->proof, n) &&
			!memcmp(c->proof, block, n))
			return true;
	}
	*method = PACK_ZSTD;
	*bytes = ZSTD_compressCCtx(c->cctx, c->packed, sizeof(c->packed), block, n, 1);
	if (!ZSTD_isError(*bytes) && *bytes < n)
		return true;
	*method = PACK_STORED;
	*out = block;
	*bytes = n;
	return true;
}
