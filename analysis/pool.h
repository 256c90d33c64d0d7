/*
 * analysis/pool.h - memory of a report: freed as a whole, bounded by temporary files
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_POOL_H
#define GPUTAP_ANALYSIS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"

struct gt_pool;
struct gt_pool *gt_pool_new(void);    /* NULL: no memory */
void gt_pool_free(struct gt_pool *a);
/* One of so many pools that are used at once: it keeps a part only of what one may keep in memory. */
void gt_pool_one_of(struct gt_pool *a, unsigned n);
/* Zeroed memory until gt_pool_free; NULL: no memory left, not even on disk. */
void *gt_pool_take(struct gt_pool *a, size_t bytes);
/* A large block that is not needed any more, for whoever asks for one of the same size. */
void gt_pool_give_back(struct gt_pool *a, void *at, size_t bytes);
const struct gt_map_memory *gt_pool_memory(struct gt_pool *a);         /* of the maps of a report */
/* What was put into a temporary file could not be read again: what was worked out from it is wrong. */
bool gt_pool_failed(const struct gt_pool *a);

/*
 * Elements of one size in the order they came, any number of them: what does not fit into the pool's share of memory
 * goes to an unlinked file, a piece at a time. All zero: empty.
 */
struct gt_piece { struct gt_piece *next; uint32_t used, room; /* bytes */ char data[]; };
struct gt_list {
	struct gt_piece *first, *last;
	struct gt_extent *extents, *last_extent; /* in the file: between the pieces and the last one */
};
void *gt_list_grow(struct gt_list *l, struct gt_pool *a, uint32_t size);
/* Room for one more; NULL: no memory. */
static inline void *gt_list_add(struct gt_list *l, struct gt_pool *a, uint32_t size)
{
	struct gt_piece *p = l->last;

	if (!p || p->room - p->used < size)
		return gt_list_grow(l, a, size);
	p->used += size;
	return p->data + p->used - size;
}

/* All of a list, a piece at a time; one reader of a pool at once. */
struct gt_list_reader {
	struct gt_pool *pool;
	const struct gt_list *list;
	const struct gt_piece *piece;
	const struct gt_extent *extent;
	bool begun;
};
/* NULL behind the last; the piece is valid until the next call */
const void *gt_list_next(struct gt_list_reader *r, size_t *bytes);
/*
 * Takes one piece out of the list, any; NULL: it is empty. Valid until the next one is taken. A reader of another
 * list may be under way.
 */
const void *gt_list_pop(struct gt_list *l, struct gt_pool *a, size_t *bytes);

#endif
