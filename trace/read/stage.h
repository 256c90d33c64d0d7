/*
 * trace/read/stage.h - chunks of a stream file that still stand in a window
 *
 * A busy stream fills chunks in one of two reused windows of its file and writes each to its own place when the window
 * is needed again (write/stream/chunk.c CHUNK3). Until then the window counts. Readers above see every chunk in its own
 * place.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_STAGE_H
#define GPUTAP_TRACE_READ_STAGE_H

#include <stddef.h>
#include <stdint.h>

#define GT_WINDOWS 2

struct gt_stage {
	unsigned n;
	struct gt_window {
		uint64_t at;              /* the window's header */
		uint64_t bytes;           /* of its image */
		uint64_t target;          /* where the image belongs; 0 = it holds nothing */
	} window[GT_WINDOWS];
};

/* Bytes of the file as they stand, fewer only at its end; -1 with errno set. */
typedef int64_t gt_plain_read(void *self, uint64_t offset, void *to, size_t bytes);

void gt_stage_find(struct gt_stage *stage, gt_plain_read *plain, void *self);
/* As plain, but with staged chunks in their places; also while the writer moves on. */
int64_t gt_stage_read(
	const struct gt_stage *stage, gt_plain_read *plain, void *self, uint64_t offset, void *to, size_t bytes);
#endif
