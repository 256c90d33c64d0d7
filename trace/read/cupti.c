/*
 * trace/read/cupti.c - CUPTI's buffers in a trace, and the activities inside them
 *
 * WALK1  A walk's `at` only grows, and never beyond the buffer's bytes: it ends after at most bytes / 8 records.
 * WALK2  A record is handed out only when all of its bytes are in memory; its size is the library's word for its
 *        kind, checked when the word was taken (8 .. GT_CUPTI_RECORD, a multiple of 8).
 * WALK3  In a buffer that CUPTI still held, zeros need not be the end: CUPTI keeps a place for what a device is to
 *        tell, and writes it later. The next word that is not zero begins the next record, as records stand at
 *        multiples of 8 and begin with their kind.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/cupti.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/read/internal.h"

#define PIECE (64u << 10)                 /* bytes read at once */

void gt_cupti_sizes_take(struct gt_cupti_sizes *s, const struct gt_rec *library, uint32_t *driver, uint32_t *flags,
	const char **path, uint32_t *path_bytes)
{
	const uint64_t *w = library->args;
	uint32_t n = (uint32_t)w[2], room = library->n_args - 3;

	s->version = (uint32_t)w[1];
	*driver = (uint32_t)(w[1] >> 32);
	*flags = (uint32_t)(w[2] >> 32);
	*path = "";
	*path_bytes = 0;
	for (uint32_t i = 0; i < n && i < room; i++) {
		uint32_t kind = (uint32_t)w[3 + i], bytes = (uint32_t)(w[3 + i] >> 32);

		if (kind && kind < GT_CUPTI_KINDS && bytes >= 8 && bytes <= GT_CUPTI_RECORD && bytes % 8 == 0)
			s->bytes[kind] = (uint16_t)bytes;
	}
	if (n < room && !gt_rec_text(library, 3 + n, path, path_bytes))
		*path_bytes = 0;
}

uint32_t gt_cupti_buffer_count(const struct gt_reader *r)
{
	return (uint32_t)r->n_cupti;
}

static int unreadable(const struct gt_reader *r, const struct gt_stream *s, uint64_t offset, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be read at byte %llu", r->store->path,
		r->store->files[s->file].name, (unsigned long long)offset);
}

int gt_cupti_buffer_get(const struct gt_reader *r, uint32_t i, struct gt_cupti_buffer *out, struct gt_err *err)
{
	const struct gt_cupti_chunk *c = &r->cupti[i];
	const struct gt_stream *s = &r->streams[c->stream];

	memset(out, 0, sizeof *out);
	if (r->store->read(r->store, s->file, c->at + sizeof(struct rec_chunk), &out->head, sizeof out->head) < 0)
		return unreadable(r, s, c->at, err);
	out->process = s->process;
	out->stream = s->number;
	out->offset = c->at + REC_CUPTI_BUFFER;
	out->room = c->room;
	out->completed = out->head.completed_tick != 0;
	out->bytes = out->completed && out->head.valid < c->room ? out->head.valid : c->room;
	out->cut = out->head.kept >= REC_CUPTI_BUFFER && out->head.kept - REC_CUPTI_BUFFER < out->bytes;
	if (out->cut)
		out->bytes = out->head.kept - REC_CUPTI_BUFFER;
	return 0;
}

int64_t gt_cupti_buffer_read(const struct gt_reader *r, const struct gt_cupti_buffer *b, uint64_t offset, void *to,
	size_t bytes, struct gt_err *err)
{
	const struct gt_stream *s = gt_stream_find(r, b->process, b->stream);
	int64_t got;

	if (!s || offset >= b->bytes)
		return 0;
	if (bytes > b->bytes - offset)
		bytes = (size_t)(b->bytes - offset);
	got = r->store->read(r->store, s->file, b->offset + offset, to, bytes);
	return got < 0 ? unreadable(r, s, b->offset + offset, err) : got;
}

/* -------------------------------------------------------------------- walking */

struct gt_cupti_walk {
	const struct gt_reader *r;
	const struct gt_cupti_sizes *sizes;
	struct gt_cupti_buffer buffer;
	uint64_t at;                      /* of the next record in the buffer */
	uint64_t base; size_t have;       /* what is in memory: [base, base + have) of the buffer */
	enum gt_cupti_stop stop;
	uint64_t unwritten;
	_Alignas(8) uint8_t data[PIECE + GT_CUPTI_RECORD];
};

int gt_cupti_walk_open(const struct gt_reader *r, struct gt_cupti_walk **out, struct gt_err *err)
{
	*out = calloc(1, sizeof **out);
	if (!*out)
		return gt_no_memory(err);
	(*out)->r = r;
	(*out)->stop = GT_CUPTI_END;
	return 0;
}

void gt_cupti_walk_close(struct gt_cupti_walk *w)
{
	free(w);
}

void gt_cupti_walk_begin(struct gt_cupti_walk *w, const struct gt_cupti_buffer *b, const struct gt_cupti_sizes *sizes)
{
	w->buffer = *b;
	w->sizes = sizes;
	w->at = w->base = 0;
	w->have = 0;
	w->stop = GT_CUPTI_GOES_ON;
	w->unwritten = 0;
}

uint64_t gt_cupti_walk_unwritten(const struct gt_cupti_walk *w)
{
	return w->unwritten;
}

enum gt_cupti_stop gt_cupti_walk_stop(const struct gt_cupti_walk *w)
{
	return w->stop;
}

/*
 * `bytes` bytes at w->at into memory: 1, 0 when the file has fewer, -1. Pieces end where the file's blocks do: a
 * packed one is unpacked once.
 */
static int have(struct gt_cupti_walk *w, size_t bytes, struct gt_err *err)
{
	size_t left = w->have - (size_t)(w->at - w->base), want;
	int64_t got;

	if (left >= bytes)
		return 1;
	memmove(w->data, w->data + (w->at - w->base), left);
	w->base = w->at;
	want = PIECE - (size_t)((w->buffer.offset + w->base + left) % PIECE);
	if (left + want < bytes)
		want = bytes - left;
	got = gt_cupti_buffer_read(w->r, &w->buffer, w->base + left, w->data + left, want, err);
	w->have = left;
	if (got < 0)
		return -1;
	w->have += (size_t)got;
	return w->have >= bytes;
}

static int end(struct gt_cupti_walk *w, enum gt_cupti_stop why)
{
	w->stop = why;
	return 0;
}

/* 1: *kind stands at w->at, 0: the end, -1. */
static int kind_here(struct gt_cupti_walk *w, uint32_t *kind, struct gt_err *err)
{
	int rc;

	if (w->buffer.bytes - w->at < 8)
		return end(w, w->buffer.bytes == w->at && !w->buffer.cut ? GT_CUPTI_END : GT_CUPTI_CUT);
	rc = have(w, 8, err);
	if (rc <= 0)
		return rc < 0 ? -1 : end(w, GT_CUPTI_CUT);
	memcpy(kind, w->data + (w->at - w->base), sizeof *kind);
	return 1;
}

/* Over zeros to the next record: as kind_here. */
static int behind_unwritten(struct gt_cupti_walk *w, uint32_t *kind, struct gt_err *err)
{
	int rc = 1;

	while (rc > 0 && !*kind && w->buffer.bytes - w->at >= 16) {
		w->at += 8;
		rc = kind_here(w, kind, err);
	}
	if (rc > 0 && !*kind)
		return end(w, GT_CUPTI_END);
	w->unwritten += rc > 0;
	return rc;
}

/*
 * Among the bytes that CUPTI told of, or that stood there when the image ended, nobody but a stranger wrote a zero.
 * More than there is room for nobody can have told.
 */
static bool was_wiped(const struct gt_cupti_walk *w)
{
	return w->at < w->buffer.head.valid && w->buffer.head.valid <= w->buffer.room;
}

int gt_cupti_walk_next(struct gt_cupti_walk *w, struct rec_activity *a, uint64_t *offset, struct gt_err *err)
{
	uint32_t kind;
	int rc;

	if (w->stop)
		return 0;
	rc = kind_here(w, &kind, err);
	if (rc > 0 && !kind)
		rc = was_wiped(w)                ? end(w, GT_CUPTI_UNKNOWN)
			: w->buffer.completed ? end(w, GT_CUPTI_END)
					      : behind_unwritten(w, &kind, err);
	if (rc <= 0)
		return rc;
	if (kind >= GT_CUPTI_KINDS || !w->sizes->bytes[kind])
		return end(w, GT_CUPTI_UNKNOWN);
	if (w->sizes->bytes[kind] > w->buffer.bytes - w->at)
		return end(w, GT_CUPTI_CUT);
	rc = have(w, w->sizes->bytes[kind], err);
	if (rc <= 0)
		return rc < 0 ? -1 : end(w, GT_CUPTI_CUT);
	*a = (struct rec_activity){ w->data + (w->at - w->base), kind, w->sizes->bytes[kind], w->sizes->version };
	*offset = w->at;
	w->at += a->bytes;                        /* WALK1 */
	return 1;
}
