/*
 * common/paged.h - memory that may outgrow the machine's: pages of unlinked files
 *
 * A trace of any length must be read in bounded memory, and what is kept of it (names, objects, tables) grows with it.
 * Blocks from here are mapped from files without a name, in TMPDIR or /tmp. The kernel writes their pages out when it
 * wants to, and they leave this process when many are in it: the next access brings them back from the file. Pointers
 * into them stay as they are. Without room for a file a block is ordinary memory.
 *
 * Runs in the tool, on any thread.
 *
 * PAGED1  Whoever goes through much of such memory says so with gt_paged_tick, once for each element, and what
 *         is in memory of all blocks together stays below GT_PAGED_RESIDENT and what few hundred elements touch.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PAGED_H
#define GPUTAP_COMMON_PAGED_H

#include <stdbool.h>
#include <stddef.h>

#define GT_PAGED_RESIDENT (96u << 20)
/* A block of this size is worth a file. */
#define GT_PAGED_LEAST (4u << 20)

/* A file without a name in TMPDIR or /tmp, to read and write; -1 with errno. */
int gt_unlinked_file(void);

/* Zeroed, aligned to a page; NULL: no memory. To be given back with the same size. */
void *gt_paged_take(size_t bytes);
void gt_paged_give_back(void *at, size_t bytes);

/* The same, but ordinary memory below GT_PAGED_LEAST; at: NULL will do. */
void *gt_paged_zeroed(size_t n, size_t size);
void gt_paged_free(void *at, size_t n, size_t size);

/*
 * gt_grow (common/memory.h) for an array that may become large: given back with gt_paged_free(array, *room, bytes).
 * Whoever goes through it ticks (PAGED1).
 */
bool gt_paged_grow(void **array, size_t n, size_t *room, size_t bytes);

/* A shared mapping of a file that somebody else made takes part; it ends before the mapping does. */
void gt_paged_begin(void *at, size_t bytes);
void gt_paged_end(void *at);

extern bool gt_paged_any;                 /* there are, or were, blocks */
void gt_paged_count(void);
/* PAGED1. Not while a lock is held that an allocation could need. */
static inline void gt_paged_tick(void)
{
	if (__builtin_expect(__atomic_load_n(&gt_paged_any, __ATOMIC_RELAXED), 0))
		gt_paged_count();
}

#endif
