/*
 * model/arena.c - memory that is given back all at once, on disk once there is much of it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "common/paged.h"
#include "model/arena.h"

#define CHUNK (256u << 10)
#define IN_MEMORY (8u << 20)              /* bytes of an arena that stay in memory */
#define PAGED_MOST (64u << 20)            /* of one file: a process has a limited number of mappings */

struct gt_arena_chunk {
	struct gt_arena_chunk *next;
	bool paged;
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

/* A chunk in a file is a part of what there is already, so that there are few of them. */
static struct gt_arena_chunk *new_chunk(struct gt_arena *a, size_t least)
{
	bool paged = a->bytes >= IN_MEMORY;
	size_t usual = !paged ? CHUNK : a->bytes / 2 < PAGED_MOST ? a->bytes / 2 : PAGED_MOST;
	size_t size = least > usual ? least : usual;
	struct gt_arena_chunk *c = paged ? gt_paged_take(sizeof *c + size) : calloc(1, sizeof *c + size);

	if (!c)
		return NULL;
	c->size = size;
	c->paged = paged;
	c->next = a->chunks;
	a->chunks = c;
	a->bytes += size;
	return c;
}

void *gt_arena_alloc(struct gt_arena *a, size_t bytes)
{
	struct gt_arena_chunk *c = a->chunks;
	size_t n = (bytes + 15) & ~(size_t)15;

	if (n < bytes)
		return NULL;
	if (!c || c->size - c->used < n) {
		c = new_chunk(a, n);
		if (!c)
			return NULL;
	}
	gt_paged_tick();
	c->used += n;
	return c->data + c->used - n;
}

char *gt_arena_copy(struct gt_arena *a, const void *from, size_t bytes)
{
	char *to = gt_arena_alloc(a, bytes + 1);

	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

void gt_arena_free(struct gt_arena *a)
{
	while (a->chunks) {
		struct gt_arena_chunk *c = a->chunks;

		a->chunks = c->next;
		if (c->paged)
			gt_paged_give_back(c, sizeof *c + c->size);
		else
			free(c);
	}
	a->bytes = 0;
}
