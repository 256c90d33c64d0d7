/*
 * model/arena.h - memory that is given back all at once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_ARENA_H
#define GPUTAP_MODEL_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. Beyond some MiB its memory is pages of files (common/paged.h). */
struct gt_arena { struct gt_arena_chunk *chunks; size_t bytes; };

/* Zeroed, aligned to 16; NULL when there is no memory. Lives until gt_arena_free. */
void *gt_arena_alloc(struct gt_arena *a, size_t bytes);
/* A copy of `bytes` bytes with a zero behind them. */
char *gt_arena_copy(struct gt_arena *a, const void *from, size_t bytes);
void gt_arena_free(struct gt_arena *a);

#endif
