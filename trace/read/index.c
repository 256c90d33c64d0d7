/*
 * trace/read/index.c - one pass over all headers of a trace
 *
 * Finds chunks and blocks, counts what is damaged, collects clock sets and blob places, and keeps for each block what
 * merge and fetch need. Later passes read no further than this one did: a trace that is still being written looks the
 * same to all of them.
 *
 * INDEX1  A chunk starts at a multiple of REC_BLOCK (the first behind the control page). A zero magic is the end, if
 *         as many were found as the writer told of: it has not opened that chunk. Any other magic is damage; the next
 *         multiple with a good header goes on.
 * INDEX2  A block ends at its first zero header, its padding, or a record that cannot be right. The next block of the
 *         chunk is looked at all the same. A zero header before the place up to which the writer told of records was
 *         written by somebody else: damage.
 * INDEX3  What a block holds depends on no other: several threads look at blocks, and what they found is added in the
 *         order of the blocks. One thread adds each block at once.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/paged.h"
#include "common/pieces.h"
#include "common/plain/without.h"
#include "trace/read/internal.h"

/* Records of one block of a file: [from, to). */
struct range {
	uint64_t from, to;
	uint64_t used;                    /* offset, as links count, up to which there are records for certain */
	int64_t moved;
	uint32_t stream;
};

/* What they hold. */
struct found {
	struct gt_block_info info;        /* words 0: nothing */
	struct gt_clock_set *sets; size_t n_sets, cap_sets;
	uint64_t least_tick;
	bool any_tick, truncated, ended;
};

struct scan {
	struct gt_reader *r;
	struct gt_stream *stream;
	uint32_t stream_index;
	uint64_t size;                    /* of the file */
	int64_t moved;                    /* of the chunk: gt_block_info.moved */
	bool any;                         /* a chunk was seen in this file */
	bool buffers;                     /* ... one of CUPTI's */
	uint64_t block[GT_BLOCK_WORDS];   /* what stands at `base` */
	uint64_t base, have;              /* bytes valid in block */
	struct found found;               /* in the block at hand */
	bool later;                       /* blocks are only listed: */
	struct range *ranges; size_t n_ranges, cap_ranges;
	struct gt_err *err;
};

static int unreadable(const struct gt_reader *r, uint32_t stream, uint64_t base, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be read at byte %llu", r->store->path,
		r->store->files[r->streams[stream].file].name, (unsigned long long)base);
}

static int read_block(struct scan *s, uint64_t base)
{
	struct gt_store *store = s->r->store;
	int64_t got = store->read(store, s->stream->file, base, s->block, REC_BLOCK);

	if (got < 0)
		return unreadable(s->r, s->stream_index, base, s->err);
	s->base = base;
	s->have = (uint64_t)got;
	return 0;
}

/* Counted once per stream, however it was noticed. */
static void truncated(struct gt_reader *r, struct gt_stream *stream)
{
	if (!stream->truncated)
		r->found.lost[REC_LOSS_TRUNCATED]++;
	stream->truncated = true;
}

/* ---- one block ---- */

static bool keep_clock(struct found *f, const struct gt_rec *rec)
{
	if (!gt_grow((void **)&f->sets, f->n_sets, &f->cap_sets, sizeof(*f->sets)))
		return false;
	f->sets[f->n_sets++] = (struct gt_clock_set){
		.tick = rec->args[0], .mono_ns = (int64_t)rec->args[1], .raw_ns = (int64_t)rec->args[2],
		.real_ns = (int64_t)rec->args[3], .boot_ns = (int64_t)rec->args[4], .bracket = rec->args[5] };
	return true;
}

static void saw_call(struct gt_block_info *info, const struct gt_rec *rec)
{
	info->calls++;
	if (rec->start_tick < info->least_start)
		info->least_start = rec->start_tick;
	if (rec->start_tick > info->greatest_start)
		info->greatest_start = rec->start_tick;
	if (rec->end_tick > info->greatest_end)
		info->greatest_end = rec->end_tick;
}

/* INDEX2: free space where the writer told of records. */
static bool has_gap(const struct gt_block *b, uint64_t used)
{
	return b->at < b->n && !b->words[b->at] && b->offset + (uint64_t)b->at * 8 < used;
}

/* The records of a range; of the block at `base` of its file, `have` bytes are in memory. -1: no memory. */
static int look(const struct range *r, const uint64_t *block, uint64_t base, uint64_t have, struct found *f,
	struct gt_findings *losses)
{
	uint64_t end = base + have < r->to ? base + have : r->to, offset = r->from - (uint64_t)r->moved;
	uint64_t cut_before = losses->lost[REC_LOSS_TRUNCATED];
	struct gt_block b = { .offset = offset, .cut = end < r->to, .found = losses };
	struct gt_rec rec;

	f->info = (struct gt_block_info){
		.offset = offset, .moved = r->moved, .stream = r->stream, .least_start = UINT64_MAX
	};
	f->n_sets = 0;
	f->any_tick = f->truncated = f->ended = false;
	if (end < r->from + 8)
		return 0;
	b.words = block + (r->from - base) / 8;
	b.n = (uint32_t)((end - r->from) / 8);
	while (gt_block_next(&b, &rec)) {
		f->info.words = b.at;
		if (rec.id == REC_CLOCK && !keep_clock(f, &rec))
			return -1;
		f->ended |= rec.id == REC_EXIT;
		if (rec.id >= REC_FIRST_FUNCTION)
			saw_call(&f->info, &rec);
		if (rec.start_tick && (!f->any_tick || rec.start_tick < f->least_tick)) {
			f->least_tick = rec.start_tick;
			f->any_tick = true;
		}
	}
	losses->lost[REC_LOSS_DAMAGED] += has_gap(&b, r->used);
	f->truncated = losses->lost[REC_LOSS_TRUNCATED] > cut_before;
	losses->lost[REC_LOSS_TRUNCATED] = cut_before;
	f->info.threads = b.holders;
	return 0;
}

/* ---- in the order of the blocks ---- */

static int add_clocks(struct gt_image *image, const struct found *f)
{
	for (size_t i = 0; i < f->n_sets; i++) {
		if (!gt_grow((void **)&image->sets, image->n_sets, &image->cap_sets, sizeof(*image->sets)))
			return -1;
		image->sets[image->n_sets++] = f->sets[i];
	}
	return 0;
}

static int add_found(struct gt_reader *r, const struct found *f, struct gt_err *err)
{
	struct gt_stream *stream = &r->streams[f->info.stream];
	struct gt_image *image = &r->images[stream->process];

	if (add_clocks(image, f) < 0)
		return gt_no_memory(err);
	if (f->any_tick && (!image->any_tick || f->least_tick < image->first_tick))
		image->first_tick = f->least_tick;
	image->any_tick |= f->any_tick;
	image->ended |= f->ended;
	if (f->truncated)
		truncated(r, stream);
	if (!gt_grow((void **)&r->blocks, r->n_blocks, &r->cap_blocks, sizeof(f->info)))
		return gt_no_memory(err);
	if (f->info.words) {
		if (!stream->n_blocks++)
			stream->first_block = (uint32_t)r->n_blocks;
		r->blocks[r->n_blocks] = f->info;
		r->blocks[r->n_blocks++].holders = stream->holders;
		r->n_calls += f->info.calls;
	}
	stream->holders += f->info.threads;
	return 0;
}

/* ---- chunks ---- */

static int scan_range(struct scan *s, const struct range *range, uint64_t base)
{
	if (s->later) {
		if (!gt_grow((void **)&s->ranges, s->n_ranges, &s->cap_ranges, sizeof(*range)))
			return gt_no_memory(s->err);
		s->ranges[s->n_ranges++] = *range;
		return 0;
	}
	if (s->base != base && read_block(s, base) < 0)
		return -1;
	if (look(range, s->block, s->base, s->have, &s->found, &s->r->found) < 0)
		return gt_no_memory(s->err);
	return add_found(s->r, &s->found, s->err);
}

/* All blocks of a chunk of calls whose header stands at `at`. */
static int scan_calls(struct scan *s, uint64_t at, uint64_t end)
{
	uint64_t from = at + sizeof(struct rec_chunk);

	while (from < end && from < s->size) {
		uint64_t base = from - from % REC_BLOCK, next = base + REC_BLOCK;
		struct range range = { from, next < end ? next : end, s->stream->control.used, s->moved,
			s->stream_index };

		if (scan_range(s, &range, base) < 0)
			return -1;
		from = next;
	}
	if (end > s->size)
		truncated(s->r, s->stream);
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

static int add_blob(struct scan *s, const struct rec_chunk *head, uint64_t data)
{
	struct gt_reader *r = s->r;

	if (!gt_paged_grow((void **)&r->blobs, r->n_blobs, &r->cap_blobs, sizeof(*r->blobs)))
		return gt_no_memory(s->err);
	gt_paged_tick();
	r->blobs[r->n_blobs++] = (struct gt_blob_info){ .id = { head->blob_id[0], head->blob_id[1] }, .offset = data,
		.bytes = head->blob_bytes, .total = head->blob_total, .file = s->stream->file };
	return 0;
}

/* Small contents that share the block in memory, which begins with their chunk. */
static int keep_blobs(struct scan *s, const struct rec_chunk *chunk)
{
	uint64_t end = chunk->bytes < s->have ? chunk->bytes : s->have, at = sizeof(*chunk);
	struct rec_chunk head;

	for (; at + sizeof(head) <= end; at += head.bytes) {
		memcpy(&head, (const char *)s->block + at, sizeof(head));
		if (!head.magic)
			break;
		if (head.magic != REC_CHUNK_MAGIC || head.kind != REC_CHUNK_BLOB || head.bytes % 8 ||
			head.bytes < sizeof(head) || head.bytes > chunk->bytes - at ||
			head.blob_bytes > head.bytes - sizeof(head)) {
			s->r->found.lost[REC_LOSS_DAMAGED]++;
			return 0;
		}
		if (head.bytes > end - at)
			break;
		if (add_blob(s, &head, s->base + at + sizeof(head)) < 0)
			return -1;
	}
	if (chunk->bytes > REC_BLOCK)
		s->r->found.lost[REC_LOSS_DAMAGED]++;
	else if (chunk->bytes > s->have)
		truncated(s->r, s->stream);
	return 0;
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
		truncated(s->r, s->stream);
		return 0;
	}
	return add_blob(s, chunk, data);
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
	if (!s->buffers && s->any && s->stream->chunks >= s->stream->control.chunks)
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
			truncated(s->r, s->stream);
		return 1;
	}
	memcpy(&chunk, (const char *)s->block + (*at - base), sizeof(chunk));
	if (chunk.magic == 0)
		return skip_hole(s, at);          /* INDEX1 */
	if (chunk.magic == __builtin_bswap32(REC_CHUNK_MAGIC))
		return other_byte_order(s);
	if (!chunk_fits(&chunk, *at)) {
		s->r->found.lost[REC_LOSS_DAMAGED]++;
		s->stream->damaged++;
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
	s->stream->chunks++;
	end = *at + chunk.bytes;
	if (chunk.kind == REC_CHUNK_CALLS)
		rc = take_calls(s, &chunk, *at, end);
	else if (chunk.kind == REC_CHUNK_BLOB)
		rc = keep_blob(s, &chunk, *at, end);
	else if (chunk.kind == REC_CHUNK_BLOBS && *at == base)
		rc = keep_blobs(s, &chunk);
	else if (chunk.kind == REC_CHUNK_CUPTI)
		rc = keep_cupti(s, &chunk, *at);
	else if (chunk.kind != REC_CHUNK_STAGE)
		s->r->found.lost[REC_LOSS_UNKNOWN_RECORD]++;
	*at = end + (REC_BLOCK - end % REC_BLOCK) % REC_BLOCK;
	return rc;
}

/* Now and then a thread says how far its records stand; of each call that came back, its slot says where it is. */
static void told_by_slots(struct rec_control *control)
{
	for (int i = 0; i < REC_SLOTS && !gc_without("last-call"); i++) {
		uint64_t last = control->slot[i].last, behind = rec_link_offset(last) + 8;

		if (last && rec_link_stream(last) == control->stream && behind > control->used)
			control->used = behind;
	}
}

static int scan_stream(struct scan *s)
{
	struct rec_control *control = &s->stream->control;
	uint64_t at = REC_CONTROL_BYTES;
	int rc;

	s->size = s->r->store->files[s->stream->file].size;
	s->base = UINT64_MAX;
	s->buffers = false;
	s->any = false;
	if (read_block(s, 0) < 0)
		return -1;
	if (s->have < sizeof(*control)) {
		if (s->have)
			truncated(s->r, s->stream);
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
	told_by_slots(control);
	while ((rc = scan_chunk(s, &at)) == 0 && at < s->size)
		;
	return rc < 0 ? -1 : 0;
}

/* ---- what the writer told of and is not there ---- */

/* A file that somebody emptied or removed is one of the image's, whatever is left of it. */
static bool is_there(const struct gt_stream *s) { return s->control.magic || s->chunks; }

/* A live image tells of what came behind the moment when its files were listed. */
static bool is_told_whole(const struct gt_image *image) { return image->ended || image->live != GT_LIVE_YES; }

static void check_stream(struct gt_reader *r, struct gt_stream *s)
{
	uint64_t found = s->chunks + s->damaged;

	if (!s->control.magic && s->chunks)
		r->found.lost[REC_LOSS_DAMAGED]++;      /* its page is written before its first chunk */
	else if (r->store->files[s->file].size < s->control.end)
		truncated(r, s);
	else if (found < s->control.chunks)
		r->found.lost[REC_LOSS_DAMAGED] += s->control.chunks - found;
}

static void check_facts(struct gt_reader *r, const struct gt_image *image, uint32_t meta_bytes)
{
	/* Without any the image has lost them, which counts otherwise. */
	if (image->meta_wiped || (image->meta_bytes && image->meta_bytes < meta_bytes))
		r->found.lost[REC_LOSS_DAMAGED]++;
}

/* Files of an image that went. Those that the image itself saw go count in a page. */
static uint64_t files_gone(struct gt_reader *r, const struct gt_image *image, uint64_t *run_bytes)
{
	uint64_t made = 0, found = 0, told = 0;
	uint32_t meta_bytes = 0;

	for (uint32_t i = 0; i < image->n_streams; i++) {
		struct gt_stream *s = &r->streams[image->first_stream + i];

		check_stream(r, s);
		if (s->number >= REC_STREAM_LAUNCHER)
			continue;
		found += is_there(s);
		told += s->control.lost[REC_LOSS_REMOVED];
		made = s->control.files > made ? s->control.files : made;
		meta_bytes = s->control.meta_bytes > meta_bytes ? s->control.meta_bytes : meta_bytes;
		*run_bytes = s->control.run_bytes > *run_bytes ? s->control.run_bytes : *run_bytes;
	}
	check_facts(r, image, meta_bytes);
	return made > found + told ? made - found - told : 0;
}

static bool has_launchers_stream(const struct gt_reader *r, unsigned pid, unsigned instance)
{
	for (uint32_t i = 0; i < r->n_streams; i++) {
		const struct gt_stream *s = &r->streams[i];
		const struct gt_image *image = &r->images[s->process];

		if (s->number == REC_STREAM_LAUNCHER && image->pid == (int)pid && image->instance == (int)instance)
			return is_there(s);
	}
	return false;
}

/* Samples and context switches: the launcher names each image that it wrote a stream for. */
static uint64_t launchers_streams_gone(const struct gt_reader *r)
{
	unsigned pid, instance;
	uint64_t gone = 0;
	const char *image;

	for (unsigned n = 0; (image = gt_facts_find(&r->run, "launcher_stream", n)); n++)
		gone += sscanf(image, "%u.%u", &pid, &instance) == 2 && !has_launchers_stream(r, pid, instance);
	return gone;
}

static void check_all(struct gt_reader *r)
{
	uint64_t gone = 0, told = 0, run_bytes = 0;
	const char *files;

	for (uint32_t i = 0; i < r->n_images; i++)
		if (is_told_whole(&r->images[i]))
			gone += files_gone(r, &r->images[i], &run_bytes);
	for (unsigned n = 0; (files = gt_facts_find(&r->run, "removed_files", n)); n++)
		told += strtoull(files, NULL, 10);
	if (r->run_wiped || r->run_cut || (r->run_bytes && r->run_bytes < run_bytes))
		r->found.lost[REC_LOSS_DAMAGED]++;
	else if (!r->run_bytes && (run_bytes || (r->n_images && !gc_without("no-run"))))
		gone++;
	gone = gone > told ? gone - told : 0;
	gone += launchers_streams_gone(r);
	/* A folder that was left out counts as that. */
	if (!r->store->refused)
		r->found.lost[REC_LOSS_REMOVED] += gone;
}

/* ---- by several threads ---- */

#define TOGETHER 16u                      /* blocks that a thread looks at in one go */

struct looker {
	struct found found[TOGETHER];
	struct gt_findings losses;
	size_t good;                      /* ranges that could be looked at */
	int why;                          /* errno of the one behind them */
	uint64_t block[GT_BLOCK_WORDS];
};

struct together { struct scan *s; struct looker *lookers; };

static int look_at_group(void *ctx, unsigned worker, size_t group)
{
	const struct together *t = ctx;
	struct looker *l = &t->lookers[worker];
	struct gt_store *store = t->s->r->store;
	size_t first = group * TOGETHER, n = t->s->n_ranges - first < TOGETHER ? t->s->n_ranges - first : TOGETHER;

	memset(&l->losses, 0, sizeof(l->losses));
	for (l->good = 0; l->good < n; l->good++) {
		const struct range *range = &t->s->ranges[first + l->good];
		uint64_t base = range->from - range->from % REC_BLOCK;
		int64_t got = store->read(store, t->s->r->streams[range->stream].file, base, l->block, REC_BLOCK);

		l->why = errno;
		if (got < 0)
			return 1;
		if (look(range, l->block, base, (uint64_t)got, &l->found[l->good], &l->losses) < 0)
			return -1;
	}
	return 0;
}

static int add_group(void *ctx, unsigned worker, size_t group, int rc)
{
	const struct together *t = ctx;
	struct looker *l = &t->lookers[worker];
	const struct range *behind = &t->s->ranges[group * TOGETHER + l->good];

	for (size_t i = 0; i < l->good; i++)
		if (add_found(t->s->r, &l->found[i], t->s->err) < 0)
			return -1;
	for (int i = 0; i < REC_LOSS_COUNT; i++)
		t->s->r->found.lost[i] += l->losses.lost[i];
	errno = l->why;
	if (rc <= 0)
		return rc ? gt_no_memory(t->s->err) : 0;
	return unreadable(t->s->r, behind->stream, behind->from - behind->from % REC_BLOCK, t->s->err);
}

static int look_together(struct scan *s)
{
	struct together t = { s, calloc(s->r->jobs, sizeof(*t.lookers)) };
	int rc;

	if (!t.lookers)
		return gt_no_memory(s->err);
	rc = gt_pieces_do(&(struct gt_pieces){ .workers = s->r->jobs, .n = (s->n_ranges + TOGETHER - 1) / TOGETHER,
		.ctx = &t, .work = look_at_group, .turn = add_group });
	for (unsigned i = 0; i < s->r->jobs; i++)
		for (unsigned k = 0; k < TOGETHER; k++)
			free(t.lookers[i].found[k].sets);
	free(t.lookers);
	return rc;
}

static int scan_all(struct scan *s)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->r->n_streams && rc == 0; i++) {
		s->stream = &s->r->streams[i];
		s->stream_index = i;
		rc = scan_stream(s);
	}
	return rc;
}

/* By id, the longest of those with one id first: gt_reader_blob looks there. */
static int by_content(const void *a, const void *b)
{
	const struct gt_blob_info *x = a, *y = b;

	for (int i = 0; i < 2; i++)
		if (x->id[i] != y->id[i])
			return x->id[i] < y->id[i] ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int gt_index_build(struct gt_reader *r, struct gt_err *err)
{
	struct scan *s = calloc(1, sizeof(*s));
	struct gt_err first = { 0 };
	int rc;

	if (!s)
		return gt_no_memory(err);
	s->r = r;
	s->err = err;
	s->later = r->jobs > 1;
	rc = scan_all(s);
	if (s->later) {                           /* blocks before a place that cannot be read come first */
		s->err = &first;
		if (look_together(s) < 0) {
			*err = first;
			rc = -1;
		}
	}
	for (uint32_t i = 0; i < r->n_streams && rc == 0; i++)
		place_blocks(r, &r->streams[i]);
	if (rc == 0)
		check_all(r);
	if (r->n_blobs)
		qsort(r->blobs, r->n_blobs, sizeof(*r->blobs), by_content);
	free(s->found.sets);
	free(s->ranges);
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
