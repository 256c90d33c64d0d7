/*
 * model/list.c - growing the model's lists
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

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
