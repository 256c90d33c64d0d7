/*
 * model/arena.c - memory that is given back all at once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/arena.h"

#define CHUNK (256u << 10)

struct gt_arena_chunk {
	struct gt_arena_chunk *next;
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

void *gt_arena_alloc(struct gt_arena *a, size_t bytes)
{
	struct gt_arena_chunk *c = a->chunks;
	size_t n = (bytes + 15) & ~(size_t)15;

	if (n < bytes)
		return NULL;
	if (!c || c->size - c->used < n) {
		size_t size = n > CHUNK ? n : CHUNK;

		c = calloc(1, sizeof *c + size);
		if (!c)
			return NULL;
		c->size = size;
		c->next = a->chunks;
		a->chunks = c;
	}
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
		free(c);
	}
}
