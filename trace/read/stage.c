/*
 * trace/read/stage.c - chunks of a stream file that still stand in a window
 *
 * The writer copies a window's image to its place before it takes the target out of the window's header, and only then
 * uses the window again. So a piece that was read from an image counts if the target is still the same behind the
 * read; else it stands in its own place by now.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/stage.h"

#include <stdbool.h>

#include "trace/format/rec.h"

/* The window that holds `offset`, or NULL; *bytes is cut to what stands in one place. */
static const struct gt_window *window_of(const struct gt_stage *stage, uint64_t offset, size_t *bytes)
{
	for (unsigned i = 0; i < stage->n; i++) {
		const struct gt_window *w = &stage->window[i];

		if (!w->target)
			continue;
		if (offset >= w->target && offset - w->target < w->bytes) {
			if (*bytes > w->bytes - (offset - w->target))
				*bytes = (size_t)(w->bytes - (offset - w->target));
			return w;
		}
		if (offset < w->target && *bytes > w->target - offset)
			*bytes = (size_t)(w->target - offset);
	}
	return NULL;
}

static int64_t read_piece(
	const struct gt_stage *stage, gt_plain_read *plain, void *self, uint64_t offset, void *to, size_t *bytes)
{
	const struct gt_window *w = window_of(stage, offset, bytes);
	uint64_t target;
	int64_t got;

	if (!w)
		return plain(self, offset, to, *bytes);
	got = plain(self, w->at + REC_STAGE_IMAGE + (offset - w->target), to, *bytes);
	if (got < 0 ||
		plain(self, w->at + offsetof(struct rec_chunk, rec_stage_target), &target, sizeof(target)) <
			(int64_t)sizeof(target))
		return got;
	return target == w->target ? got : plain(self, offset, to, *bytes);
}

int64_t gt_stage_read(
	const struct gt_stage *stage, gt_plain_read *plain, void *self, uint64_t offset, void *to, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		size_t part = bytes - done;
		int64_t got = read_piece(stage, plain, self, offset + done, (char *)to + done, &part);

		if (got < 0)
			return -1;
		done += (size_t)got;
		if ((size_t)got < part)
			break;
	}
	return (int64_t)done;
}

/* Windows stand before the chunks they hold: one look along the row, as far as the second. */
void gt_stage_find(struct gt_stage *stage, gt_plain_read *plain, void *self)
{
	struct rec_chunk c;

	stage->n = 0;
	for (uint64_t at = REC_CONTROL_BYTES; stage->n < GT_WINDOWS;) {
		if (gt_stage_read(stage, plain, self, at, &c, sizeof(c)) < (int64_t)sizeof(c) ||
			c.magic != REC_CHUNK_MAGIC || c.bytes < sizeof(c) || c.bytes > INT64_MAX / 2 - at)
			return;
		if (c.kind == REC_CHUNK_STAGE) {
			bool holds = c.bytes > REC_STAGE_IMAGE && c.rec_stage_target &&
				c.rec_stage_target < INT64_MAX / 2 && c.rec_stage_target % REC_BLOCK == 0;

			stage->window[stage->n++] = (struct gt_window){ .at = at,
				.bytes = c.bytes > REC_STAGE_IMAGE ? c.bytes - REC_STAGE_IMAGE : 0,
				.target = holds ? c.rec_stage_target : 0 };
		}
		at = (at + c.bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
	}
}
