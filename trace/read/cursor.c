/*
 * trace/read/cursor.c - all records in file order
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "trace/read/internal.h"

struct gt_cursor {
	struct gt_reader *r;
	uint32_t stream, last_stream;     /* next one; behind the last */
	size_t block, last_block;         /* next one of the current stream; behind its last */
	uint32_t process, number;         /* of the block in memory */
	struct gt_block walk;
	uint64_t words[GT_BLOCK_WORDS];
};

int gt_cursor_open(struct gt_reader *r, int process, struct gt_cursor **out, struct gt_err *err)
{
	struct gt_cursor *c = malloc(sizeof(*c));

	if (!c)
		return gt_no_memory(err);
	c->r = r;
	c->stream = process < 0 ? 0 : r->images[process].first_stream;
	c->last_stream = process < 0 ? r->n_streams : c->stream + r->images[process].n_streams;
	c->block = c->last_block = 0;
	c->walk = (struct gt_block){ 0 };
	*out = c;
	return 0;
}

size_t gt_reader_block_count(const struct gt_reader *r) { return r->n_blocks; }

/* Blocks stand in the order of their streams. */
int gt_cursor_blocks(struct gt_reader *r, size_t first, size_t n, struct gt_cursor **out, struct gt_err *err)
{
	struct gt_cursor *c = *out ? *out : malloc(sizeof(*c));

	if (!c)
		return gt_no_memory(err);
	c->r = r;
	c->stream = c->last_stream = 0;
	c->block = first;
	c->last_block = first + n;
	c->walk = (struct gt_block){ 0 };
	*out = c;
	return 0;
}

/* Streams in order of process and number: images are sorted by start, their streams are not moved. */
static int next_block(struct gt_cursor *c, struct gt_err *err)
{
	const struct gt_block_info *info;

	while (c->block == c->last_block) {
		if (c->stream == c->last_stream)
			return 0;
		c->block = c->r->streams[c->stream].first_block;
		c->last_block = c->block + c->r->streams[c->stream++].n_blocks;
	}
	info = &c->r->blocks[c->block++];
	c->process = c->r->streams[info->stream].process;
	c->number = c->r->streams[info->stream].number;
	return gt_block_load(c->r, info, c->words, &c->walk, err) < 0 ? -1 : 1;
}

int gt_cursor_next(struct gt_cursor *c, struct gt_rec *rec, struct gt_err *err)
{
	while (!gt_block_next(&c->walk, rec)) {
		int rc = next_block(c, err);

		if (rc <= 0)
			return rc;
	}
	rec->process = c->process;
	rec->stream = c->number;
	return 1;
}

void gt_cursor_close(struct gt_cursor *c)
{
	free(c);
}
