/*
 * trace/read/block.h - walk the records of one block, trusting nothing
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_BLOCK_H
#define GPUTAP_TRACE_READ_BLOCK_H

#include "trace/read/reader.h"

/* What a walk found; counted by gt_block_next when the walk has one. */
struct gt_findings { uint64_t lost[REC_LOSS_END]; };

/* One piece of a block: whole words of a stream file, from the first record on. */
struct gt_block {
	const uint64_t *words;
	uint32_t at, n;                   /* words: next record; end of what was read */
	uint32_t holders;                 /* REC_THREAD records so far, in the whole stream */
	uint64_t offset;                  /* of words[0] in the file */
	/* the file ends here although the chunk goes on: a record that does not fit was cut */
	bool cut;
	bool stopped;                     /* a damaged record ended the block at `at` */
	struct gt_findings *found;        /* NULL: do not count */
};

/*
 * The next complete record, stepping over unfinished ones and padding. Fills all of *rec but process and stream.
 * 1 a record; 0 the end: free space, the end of the block, or damage. No memory outside words[0..n) is touched.
 */
int gt_block_next(struct gt_block *b, struct gt_rec *rec);

/* Text of a record: length u32 and bytes, from word `at` of rec->args. False when it does not lie inside the record. */
bool gt_rec_text(const struct gt_rec *rec, uint32_t at, const char **text, uint32_t *bytes);
#endif
