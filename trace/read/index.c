/*
 * trace/read/index.c - one pass over all headers of a trace
 *
 * Finds chunks and blocks, counts what is damaged, collects clock sets and blob places, and keeps for each block what
 * merge and fetch need. Later passes read no further than this one did: a trace that is still being written looks the
 * same to all of them.
 *
 * INDEX1  A chunk starts at a multiple of REC_BLOCK (the first behind the control page). A zero magic is the end: the
 *         writer has not opened that chunk. Any other magic is damage; the next multiple with a good header goes on.
 * INDEX2  A block ends at its first zero header, its padding, or a record that cannot be right. The next block of the
 *         chunk is looked at all the same.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read/internal.h"

struct scan {
	struct gt_reader *r;
	struct gt_image *image;
	struct gt_stream *stream;
	uint32_t stream_index;
	uint64_t size;                    /* of the file */
	uint32_t holders;
	int64_t moved;                    /* of the chunk: gt_block_info.moved */
	bool truncated;                   /* counted once per stream */
	bool any;                         /* a chunk was seen in this file */
	bool buffers;                     /* ... one of CUPTI's */
	uint64_t block[GT_BLOCK_WORDS];   /* what stands at `base` */
	uint64_t base, have;              /* bytes valid in block */
	struct gt_err *err;
};

static int read_block(struct scan *s, uint64_t base)
{
	struct gt_store *store = s->r->store;
	int64_t got = store->read(store, s->stream->file, base, s->block, REC_BLOCK);

	if (got < 0)
		return gt_fail(s->err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be read at byte %llu",
			store->path, store->files[s->stream->file].name, (unsigned long long)base);
	s->base = base;
	s->have = (uint64_t)got;
	return 0;
}

static void truncated(struct scan *s)
{
	if (!s->truncated)
		s->r->found.lost[REC_LOSS_TRUNCATED]++;
	s->truncated = true;
}

static int keep_clock(struct scan *s, const struct gt_rec *rec)
{
	struct gt_image *image = s->image;

	if (!gt_grow((void **)&image->sets, image->n_sets, &image->cap_sets, sizeof(*image->sets)))
		return gt_no_memory(s->err);
	image->sets[image->n_sets++] = (struct gt_clock_set){
		.tick = rec->args[0], .mono_ns = (int64_t)rec->args[1], .raw_ns = (int64_t)rec->args[2],
		.real_ns = (int64_t)rec->args[3], .boot_ns = (int64_t)rec->args[4], .bracket = rec->args[5] };
	return 0;
}

static void saw_tick(struct gt_image *image, uint64_t tick)
{
	if (!image->any_tick || tick < image->first_tick)
		image->first_tick = tick;
	image->any_tick = true;
}

/* The records of [from, to) of the file, which lie in the block in memory. */
static int scan_records(struct scan *s, uint64_t from, uint64_t to)
{
	uint64_t end = s->base + s->have < to ? s->base + s->have : to;
	uint64_t offset = from - (uint64_t)s->moved;
	struct gt_block_info info = { .offset = offset,
		.moved = s->moved,
		.stream = s->stream_index,
		.holders = s->holders,
		.least_start = UINT64_MAX };
	struct gt_block b = { .holders = s->holders, .offset = offset, .cut = end < to, .found = &s->r->found };
	struct gt_rec rec;
	uint64_t lost_before = s->r->found.lost[REC_LOSS_TRUNCATED];

	if (end < from + 8)
		return 0;
	b.words = s->block + (from - s->base) / 8;
	b.n = (uint32_t)((end - from) / 8);
	while (gt_block_next(&b, &rec)) {
		info.words = b.at;
		if (rec.id == REC_CLOCK && keep_clock(s, &rec) < 0)
			return -1;
		if (rec.id >= REC_FIRST_FUNCTION) {
			info.calls++;
			if (rec.start_tick < info.least_start)
				info.least_start = rec.start_tick;
			if (rec.end_tick > info.greatest_end)
				info.greatest_end = rec.end_tick;
		}
		if (rec.start_tick)
			saw_tick(s->image, rec.start_tick);
	}
	if (s->r->found.lost[REC_LOSS_TRUNCATED] > lost_before) { /* one stream cut short, however it was noticed */
		s->r->found.lost[REC_LOSS_TRUNCATED] = lost_before;
		truncated(s);
	}
	info.threads = b.holders - s->holders;
	s->holders = b.holders;
	if (!info.words)
		return 0;
	if (!gt_grow((void **)&s->r->blocks, s->r->n_blocks, &s->r->cap_blocks, sizeof(info)))
		return gt_no_memory(s->err);
	s->r->blocks[s->r->n_blocks++] = info;
	s->r->n_calls += info.calls;
	s->stream->n_blocks++;
	return 0;
}

/* All blocks of a chunk of calls whose header stands at `at`. */
static int scan_calls(struct scan *s, uint64_t at, uint64_t end)
{
	uint64_t from = at + sizeof(struct rec_chunk);

	while (from < end && from < s->size) {
		uint64_t base = from - from % REC_BLOCK, next = base + REC_BLOCK;

		if (s->base != base && read_block(s, base) < 0)
			return -1;
		if (scan_records(s, from, next < end ? next : end) < 0)
			return -1;
		from = next;
	}
	if (end > s->size)
		truncated(s);
	return 0;
}

/* A ring's chunk may stand in a place that had others: where its records count from, and how many calls are gone. */
static int take_calls(struct scan *s, const struct rec_chunk *chunk, uint64_t at, uint64_t end)
{
	bool damaged = chunk->rec_offset % REC_BLOCK || chunk->rec_offset > INT64_MAX / 2;
	int rc;

	if (damaged)
		s->r->found.lost[REC_LOSS_DAMAGED]++;
	s->moved = chunk->rec_offset && !damaged ? (int64_t)(at - chunk->rec_offset) : 0;
	s->stream->moved |= s->moved != 0;
	s->stream->gone += chunk->rec_calls_gone;
	s->r->found.lost[REC_LOSS_RING_OVERWRITTEN] += chunk->rec_calls_gone;
	rc = scan_calls(s, at, end);
	s->moved = 0;
	return rc;
}

static int by_offset(const void *a, const void *b)
{
	const struct gt_block_info *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Blocks of a stream stand in the order of their offsets, and holders count in that order. */
static void place_blocks(struct gt_reader *r, const struct gt_stream *s)
{
	struct gt_block_info *b = r->blocks + s->first_block;
	uint32_t holders = 0;

	if (!s->moved)
		return;
	qsort(b, s->n_blocks, sizeof(*b), by_offset);
	for (uint32_t i = 0; i < s->n_blocks; i++) {
		b[i].holders = holders;
		holders += b[i].threads;
	}
}

static int keep_blob(struct scan *s, const struct rec_chunk *chunk, uint64_t at, uint64_t end)
{
	struct gt_reader *r = s->r;
	uint64_t data = at + sizeof(*chunk);

	if (chunk->blob_bytes > end - data) {
		r->found.lost[REC_LOSS_DAMAGED]++;
		return 0;
	}
	if (s->size < data || chunk->blob_bytes > s->size - data) {
		truncated(s);
		return 0;
	}
	if (!gt_grow((void **)&r->blobs, r->n_blobs, &r->cap_blobs, sizeof(*r->blobs)))
		return gt_no_memory(s->err);
	r->blobs[r->n_blobs++] = (struct gt_blob_info){ .id = { chunk->blob_id[0], chunk->blob_id[1] }, .offset = data,
		.bytes = chunk->blob_bytes, .total = chunk->blob_total, .file = s->stream->file };
	return 0;
}

static int keep_cupti(struct scan *s, const struct rec_chunk *chunk, uint64_t at)
{
	struct gt_reader *r = s->r;
	uint64_t room = chunk->bytes < REC_CUPTI_BUFFER ? 0 : chunk->bytes - REC_CUPTI_BUFFER;

	if (chunk->bytes < REC_CUPTI_BUFFER || chunk->blob_bytes > room) {
		r->found.lost[REC_LOSS_DAMAGED]++;
		return 0;
	}
	s->buffers = true;
	if (!gt_grow((void **)&r->cupti, r->n_cupti, &r->cap_cupti, sizeof(*r->cupti)))
		return gt_no_memory(s->err);
	r->cupti[r->n_cupti++] =
		(struct gt_cupti_chunk){ .stream = s->stream_index, .at = at, .room = chunk->blob_bytes };
	return 0;
}

/* The byte order is wrong as a whole: say so instead of calling every block damaged. */
static int other_byte_order(struct scan *s)
{
	return gt_fail(s->err, GT_EXIT_INPUT, "the trace was recorded on a machine with the other byte order",
	               "read it on a machine like the one it was recorded on", "%s/%s: other byte order",
	               s->r->store->path, s->r->store->files[s->stream->file].name);
}

static bool chunk_fits(const struct rec_chunk *chunk, uint64_t at)
{
	return chunk->magic == REC_CHUNK_MAGIC && rec_version_known(chunk->version) && chunk->kind &&
		chunk->bytes >= sizeof(*chunk) && chunk->bytes % 8 == 0 && chunk->bytes <= INT64_MAX - at;
}

/*
 * A chunk that was not opened is the end of a stream. Buffers of CUPTI are asked for by several threads at once: the
 * place of one that was killed on the way lies before those of others, so where they are expected, all blocks are
 * looked at. 0 go on, 1 the end.
 */
static int skip_hole(struct scan *s, uint64_t *at)
{
	if (!s->buffers && s->any)
		return 1;
	*at += REC_BLOCK - *at % REC_BLOCK;
	return 0;
}

/* One chunk; *at moves to where the next can start. 0 go on, 1 the end, -1 error. */
static int scan_chunk(struct scan *s, uint64_t *at)
{
	uint64_t base = *at - *at % REC_BLOCK, end;
	struct rec_chunk chunk;
	int rc = 0;

	if (s->base != base && read_block(s, base) < 0)
		return -1;
	if (s->have < *at - base + sizeof(chunk)) {
		if (s->have > *at - base)
			truncated(s);
		return 1;
	}
	memcpy(&chunk, (const char *)s->block + (*at - base), sizeof(chunk));
	if (chunk.magic == 0)
		return skip_hole(s, at);          /* INDEX1 */
	if (chunk.magic == __builtin_bswap32(REC_CHUNK_MAGIC))
		return other_byte_order(s);
	if (!chunk_fits(&chunk, *at)) {
		s->r->found.lost[REC_LOSS_DAMAGED]++;
		for (*at = base + REC_BLOCK; *at < s->size; *at += REC_BLOCK) { /* INDEX1 */
			if (read_block(s, *at) < 0)
				return -1;
			memcpy(&chunk, s->block, sizeof(chunk));
			if (s->have >= sizeof(chunk) && chunk_fits(&chunk, *at))
				return 0;
		}
		return 1;
	}
	s->any = true;
	end = *at + chunk.bytes;
	if (chunk.kind == REC_CHUNK_CALLS)
		rc = take_calls(s, &chunk, *at, end);
	else if (chunk.kind == REC_CHUNK_BLOB)
		rc = keep_blob(s, &chunk, *at, end);
	else if (chunk.kind == REC_CHUNK_CUPTI)
		rc = keep_cupti(s, &chunk, *at);
	else if (chunk.kind != REC_CHUNK_STAGE)
		s->r->found.lost[REC_LOSS_UNKNOWN_RECORD]++;
	*at = end + (REC_BLOCK - end % REC_BLOCK) % REC_BLOCK;
	return rc;
}

static int scan_stream(struct scan *s)
{
	struct rec_control *control = &s->stream->control;
	uint64_t at = REC_CONTROL_BYTES;
	int rc;

	s->size = s->r->store->files[s->stream->file].size;
	s->holders = 0;
	s->truncated = false;
	s->buffers = false;
	s->any = false;
	s->stream->first_block = (uint32_t)s->r->n_blocks;
	if (read_block(s, 0) < 0)
		return -1;
	if (s->have < sizeof(*control)) {
		if (s->have)
			truncated(s);
		return 0;
	}
	memcpy(control, s->block, sizeof(*control));
	if (control->magic == __builtin_bswap64(REC_CONTROL_MAGIC))
		return other_byte_order(s);
	if (control->magic != REC_CONTROL_MAGIC) {
		if (control->magic)               /* zero: killed while the file was made */
			s->r->found.lost[REC_LOSS_DAMAGED]++;
		memset(control, 0, sizeof(*control));
	} else if (!rec_version_known(control->version)) {
		return gt_fail(s->err, GT_EXIT_INPUT, GT_FORMATS_READ,
			"use the gputap that recorded it", "%s/%s: trace format version %u", s->r->store->path,
			s->r->store->files[s->stream->file].name, control->version);
	}
	while ((rc = scan_chunk(s, &at)) == 0 && at < s->size)
		;
	if (rc < 0)
		return -1;
	place_blocks(s->r, s->stream);
	return 0;
}

int gt_index_build(struct gt_reader *r, struct gt_err *err)
{
	struct scan *s = malloc(sizeof(*s));
	int rc = 0;

	if (!s)
		return gt_no_memory(err);
	s->r = r;
	s->err = err;
	for (uint32_t i = 0; i < r->n_streams && rc == 0; i++) {
		s->stream = &r->streams[i];
		s->stream_index = i;
		s->image = &r->images[s->stream->process];
		s->base = UINT64_MAX;
		rc = scan_stream(s);
	}
	free(s);
	return rc;
}

int gt_block_load(const struct gt_reader *r, const struct gt_block_info *info, uint64_t *words, struct gt_block *out,
	struct gt_err *err)
{
	const struct gt_stream *stream = &r->streams[info->stream];
	int64_t got = r->store->read(
		r->store, stream->file, info->offset + (uint64_t)info->moved, words, (size_t)info->words * 8);

	if (got < 0)
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be read at byte %llu",
			r->store->path, r->store->files[stream->file].name, (unsigned long long)info->offset);
	memset(out, 0, sizeof(*out));
	out->words = words;
	out->n = (uint32_t)(got / 8);
	out->holders = info->holders;
	out->offset = info->offset;
	return 0;
}
