/*
 * writers/sqlite/maps.c - mappings that are live at the present point of the walk
 *
 * An unmap says only the address: what was mapped, and for what, is known from the map. Programs hold few mappings at a
 * time; past LIVE_MAX the oldest are forgotten, and their unmaps then say no more than the call itself.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "writers/sqlite/feed.h"

#define LIVE_MAX 1024

struct gt_sql_maps { unsigned n; struct gt_sql_map live[LIVE_MAX]; }; /* oldest first */

struct gt_sql_maps *gt_sql_maps_new(void) { return calloc(1, sizeof(struct gt_sql_maps)); }
void gt_sql_maps_free(struct gt_sql_maps *m) { free(m); }

static void forget(struct gt_sql_maps *m, unsigned i)
{
	m->n--;
	memmove(&m->live[i], &m->live[i + 1], (m->n - i) * sizeof m->live[0]);
}

bool gt_sql_maps_add(struct gt_sql_maps *m, struct gt_sql_map map)
{
	if (!map.address)
		return false;
	if (m->n == LIVE_MAX)
		forget(m, 0);
	m->live[m->n++] = map;
	return true;
}

bool gt_sql_maps_take(struct gt_sql_maps *m, uint32_t process, uint64_t address, struct gt_sql_map *out)
{
	for (unsigned i = m->n; i-- > 0;)
		if (m->live[i].process == process && m->live[i].address == address) {
			*out = m->live[i];
			forget(m, i);
			return true;
		}
	return false;
}

bool gt_sql_maps_pinned(const struct gt_sql_maps *m, uint32_t process, uint64_t address)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->live[i].pinned && m->live[i].process == process &&
			address - m->live[i].address < m->live[i].bytes)
			return true;
	return false;
}
