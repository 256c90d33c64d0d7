/*
 * common/map.c - the hash map of the tool: growing, removing
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/map.h"

#include <stdlib.h>
#include <string.h>

#include "common/paged.h"

enum { FIRST_ROOM = 64 };

static void *take(const struct gt_map *m, size_t count, size_t size)
{
	if (!size || count > SIZE_MAX / size)
		return NULL;
	return m->memory ? m->memory->take(m->memory->ctx, count * size) : gt_paged_zeroed(count, size);
}

static void give_back(const struct gt_map *m, void *at, size_t bytes)
{
	if (at && m->memory)
		m->memory->give_back(m->memory->ctx, at, bytes);
	else
		gt_paged_free(at, bytes, 1);
}

void gt_map_free(struct gt_map *m, size_t size)
{
	uint64_t room = m->tag ? m->mask + 1 : 0;

	give_back(m, m->tag, room * sizeof *m->tag);
	give_back(m, m->element, room * size);
	*m = (struct gt_map){ .memory = m->memory };
}

bool gt_map_grow(struct gt_map *m, size_t size)
{
	uint64_t had = m->tag ? m->mask + 1 : 0, room = had ? 2 * had : FIRST_ROOM;
	struct gt_map bigger = { .mask = room - 1, .n = m->n, .memory = m->memory };

	if (room > 1ull << 31)
		return false;           /* no more bits of the hash are kept (MAP1) */
	bigger.tag = take(m, room, sizeof *bigger.tag);
	bigger.element = bigger.tag ? take(m, room, size) : NULL;
	if (!bigger.element) {
		give_back(m, bigger.tag, room * sizeof *bigger.tag);
		return false;
	}
	for (uint64_t i = 0; i < had; i++) {
		uint64_t at = (m->tag[i] >> 1) & bigger.mask;

		if (!m->tag[i])
			continue;
		gt_paged_tick();
		while (bigger.tag[at])
			at = (at + 1) & bigger.mask;
		bigger.tag[at] = m->tag[i];
		memcpy(bigger.element + at * size, m->element + i * size, size);
	}
	gt_map_free(m, size);
	*m = bigger;
	return true;
}

void gt_map_remove(struct gt_map *m, size_t size, void *element)
{
	uint64_t gap = (uint64_t)((char *)element - m->element) / size, at = gap;

	for (;;) {                      /* MAP2 */
		uint64_t wants;

		at = (at + 1) & m->mask;
		if (!m->tag[at])
			break;
		wants = (m->tag[at] >> 1) & m->mask;
		if (((at - wants) & m->mask) >= ((at - gap) & m->mask)) {
			m->tag[gap] = m->tag[at];
			memcpy(m->element + gap * size, m->element + at * size, size);
			gap = at;
		}
	}
	m->tag[gap] = 0;
	memset(m->element + gap * size, 0, size);
	m->n--;
}

void *gt_map_next(const struct gt_map *m, size_t size, const void *element)
{
	uint64_t at = element ? (uint64_t)((const char *)element - m->element) / size + 1 : 0;

	while (m->tag && at <= m->mask && !m->tag[at])
		at++;
	return m->tag && at <= m->mask ? m->element + at * size : NULL;
}
