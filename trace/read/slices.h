/*
 * trace/read/slices.h - the calls of a trace in slices of time, for several threads that merge at once
 *
 * Slices follow each other and leave nothing out: the calls of all slices, one slice behind the other, are the calls of
 * one merge in its order. A thread takes a slice, merges it (gt_merge_slice) and copies what it needs (gt_batch_fill).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_SLICES_H
#define GPUTAP_TRACE_READ_SLICES_H

#include "trace/read/reader.h"

#define GT_SLICE_CALLS 4096u              /* about so many in one slice */

struct gt_slices;
/* A block that reaches over the end of a slice is loaded once for all slices that it is in. */
struct gt_shared_block;

struct gt_slice {
	struct gt_slices *of;
	uint64_t number;                  /* from 0, in order of time */
	int64_t from_ns, to_ns;           /* calls that start in [from, to); INT64_MIN and INT64_MAX: open */
	/* Those that may hold some of them; the memory is used again. shared: NULL if it is in no other slice. */
	struct gt_slice_block { uint32_t block; struct gt_shared_block *shared; } *blocks;
	uint32_t n_blocks, room;
	double done;                      /* share of all calls that lies before its end, 0..1 */
};
/* Before the slices are closed. */
void gt_slice_free(struct gt_slice *s);

/* Of all processes (-1) or of one; calls: about so many in one slice. */
int gt_slices_open(const struct gt_reader *r, int process, uint32_t calls, struct gt_slices **out, struct gt_err *err);
/* The next slice into *out, which was zero or taken before: 1, 0 when none is left, -1. From any thread. */
int gt_slices_take(struct gt_slices *s, struct gt_slice *out, struct gt_err *err);
void gt_slices_close(struct gt_slices *s);

/* What gt_shared_block_put was given; NULL: nothing yet. It stays until the slice is taken again, or freed. */
void *gt_shared_block_get(struct gt_shared_block *b);
/* Gives a block away that malloc made. What is shared from now on: this one, or the one that somebody gave before. */
void *gt_shared_block_put(struct gt_shared_block *b, void *loaded);

/* A merge of the calls of one slice. *again: NULL, or a merge of another slice of the reader, whose memory is used
 * again. limit: bytes of blocks in memory at most, as gt_merge_limit. */
int gt_merge_slice(struct gt_reader *r, const struct gt_slice *slice, size_t limit, struct gt_merge **again,
	struct gt_err *err);

/* Do records stay valid until the merge is used again? They do when all blocks of the slice fit into the limit. */
bool gt_merge_keeps(const struct gt_merge *m);

/* Records of a merge or a cursor that stay valid when it goes on: copied where they have to be. All zero: empty. */
struct gt_batch {
	struct gt_rec *recs; uint32_t n, room;
	uint64_t **chunks; uint32_t n_chunks, chunk, used; /* words of the records; used: of the present chunk */
};
/* The next calls of the merge, at most so many, in place of what the batch held. 1: maybe there are more, 0 end, -1. */
int gt_batch_fill(struct gt_batch *b, struct gt_merge *m, uint32_t most, struct gt_err *err);
/* One record more; false: no memory. */
bool gt_batch_add(struct gt_batch *b, const struct gt_rec *rec);
void gt_batch_clear(struct gt_batch *b);
void gt_batch_free(struct gt_batch *b);

#endif
