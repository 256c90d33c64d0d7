/*
 * common/memory.h - arrays that grow, and what keeps threads out of each other's cache lines
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_MEMORY_H
#define GPUTAP_COMMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Room for one more element, of `bytes` bytes, behind the n of *array; *room: how many it holds, doubled when it is
 * full. False: no memory, and all as it was. array: of a pointer to any type, cast.
 */
bool gt_grow(void **array, size_t n, size_t *room, size_t bytes);

/* A list whose elements may be taken as one array: list.v[0..list.n). All zero: empty. */
#define GT_LIST(type) struct { type *v; uint32_t n, room; }
/* One more zeroed element at the end of a list: a pointer to it, or NULL (the list is then empty). */
#define GT_LIST_ADD(list) \
	((list)->v = gt_list_room((list)->v, &(list)->n, &(list)->room, sizeof *(list)->v), \
	 (list)->v ? &(list)->v[(list)->n - 1] : NULL)
void *gt_list_room(void *v, uint32_t *n, uint32_t *room, size_t size);

/*
 * At the end of an element that one thread writes for each call, in an array with elements of other threads: without it
 * both write to one cache line, and a call's text takes half as long again. Two lines: processors fetch them in pairs.
 */
#define GT_APART char apart[128]

#endif
