/*
 * common/memory.c - arrays that grow
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

bool gt_grow(void **array, size_t n, size_t *room, size_t bytes)
{
	size_t more = *room ? *room * 2 : FIRST_ROOM;
	void *bigger;

	if (n < *room)
		return true;
	bigger = more <= SIZE_MAX / bytes ? realloc(*array, more * bytes) : NULL;
	if (!bigger)
		return false;
	*array = bigger;
	*room = more;
	return true;
}

void *gt_list_room(void *v, uint32_t *n, uint32_t *room, size_t size)
{
	if (*n == *room) {
		uint32_t more = *room ? *room * 2 : 16;
		void *bigger = more > *room ? realloc(v, (size_t)more * size) : NULL;

		if (!bigger) {
			free(v);
			*n = *room = 0;
			return NULL;
		}
		v = bigger;
		*room = more;
	}
	memset((char *)v + (size_t)*n * size, 0, size);
	++*n;
	return v;
}
