/*
 * common/map.h - the hash map of the tool: elements of one size, found by a key that stands in them
 *
 * Runs in the tool. Size and comparison are known where these functions are called, and everything on the way of a
 * look-up is inlined there: a search costs what a table written for the place would.
 *
 * MAP1  Open addressing, at most half full. A word beside each element holds 31 bits of its hash and a bit that says
 *       "taken": most searches compare one key, and growing computes no hash again.
 * MAP2  The run behind a removed element moves up, so that no search stops at the gap.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_MAP_H
#define GPUTAP_COMMON_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a map's memory comes from, zeroed; NULL: the C library. */
struct gt_map_memory {
	void *(*take)(void *ctx, size_t bytes);
	void (*give_back)(void *ctx, void *at, size_t bytes);
	void *ctx;
};

struct gt_map {                           /* all zero: empty */
	uint32_t *tag;                    /* MAP1; 0: free */
	char *element;
	uint64_t mask, n;
	const struct gt_map_memory *memory;
};

#define GT_MAP_INLINE static inline __attribute__((always_inline))

/* Whether an element has this key. ctx: of the caller, where an element is a number of something. */
typedef bool gt_map_same(const void *element, const void *key, const void *ctx);

/* Makes room for one more element of `size` bytes. False: no memory. */
bool gt_map_grow(struct gt_map *m, size_t size);
void gt_map_free(struct gt_map *m, size_t size);
/* The element goes; those behind it may move. */
void gt_map_remove(struct gt_map *m, size_t size, void *element);
/* In no order: NULL begins, NULL ends. */
void *gt_map_next(const struct gt_map *m, size_t size, const void *element);

GT_MAP_INLINE uint32_t gt_map_tag(uint64_t hash) { return (uint32_t)(hash >> 32) | 1; }

/* The place of the key, or the free one where it belongs. The map is not empty. */
GT_MAP_INLINE uint64_t gt_map_place(const struct gt_map *m, size_t size, uint32_t tag, const void *key,
	gt_map_same *same, const void *ctx)
{
	uint64_t at = (tag >> 1) & m->mask;

	while (m->tag[at] && (m->tag[at] != tag || !same(m->element + at * size, key, ctx)))
		at = (at + 1) & m->mask;
	return at;
}

/* NULL: it is not there. Valid until an element is added or removed. */
GT_MAP_INLINE void *gt_map_find(
	const struct gt_map *m, size_t size, uint64_t hash, const void *key, gt_map_same *same, const void *ctx)
{
	uint64_t at;

	if (!m->tag)
		return NULL;
	at = gt_map_place(m, size, gt_map_tag(hash), key, same, ctx);
	return m->tag[at] ? m->element + at * size : NULL;
}

/*
 * The element with this key; *fresh: it was not there, is zeroed and the caller gives it its key before anything else
 * is asked of the map. NULL: no memory.
 */
GT_MAP_INLINE void *gt_map_add(struct gt_map *m, size_t size, uint64_t hash, const void *key, gt_map_same *same,
	const void *ctx, bool *fresh)
{
	uint32_t tag = gt_map_tag(hash);
	uint64_t at;

	if ((!m->tag || 2 * m->n > m->mask) && !gt_map_grow(m, size))
		return NULL;
	at = gt_map_place(m, size, tag, key, same, ctx);
	*fresh = !m->tag[at];
	if (*fresh) {
		m->tag[at] = tag;
		m->n++;
	}
	return m->element + at * size;
}

#endif
