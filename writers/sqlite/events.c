/*
 * writers/sqlite/events.c - which call made the event that a handle names
 *
 * Forgets an event when the application has released it for the last time, so that memory follows the events a program
 * holds, not those it ever had.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "common/hash.h"
#include "common/map.h"
#include "writers/sqlite/feed.h"

struct slot { uint64_t handle; uint32_t process; int32_t references; struct gt_sql_event event; };

struct gt_sql_events { struct gt_map map; };            /* struct slot */

struct gt_sql_events *gt_sql_events_new(void) { return calloc(1, sizeof(struct gt_sql_events)); }

void gt_sql_events_free(struct gt_sql_events *e)
{
	if (e)
		gt_map_free(&e->map, sizeof(struct slot));
	free(e);
}

static uint64_t hash_of(uint32_t process, uint64_t handle) { return gt_hash((uint64_t)process << 40, handle); }

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct slot *a = element, *b = key;

	(void)ctx;
	return a->handle == b->handle && a->process == b->process;
}

/* NULL: there is none, or no handle. */
static struct slot *find(const struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	const struct slot key = { .handle = handle, .process = process };

	return handle ? gt_map_find(&e->map, sizeof key, hash_of(process, handle), &key, same, NULL) : NULL;
}

bool gt_sql_events_put(struct gt_sql_events *e, uint32_t process, uint64_t handle, struct gt_sql_event event)
{
	const struct slot is = { handle, process, 1, event };
	struct slot *s;
	bool fresh;

	if (!handle)
		return true;
	s = gt_map_add(&e->map, sizeof is, hash_of(process, handle), &is, same, NULL, &fresh);
	if (s)
		*s = is;
	return s;
}

bool gt_sql_events_find(const struct gt_sql_events *e, uint32_t process, uint64_t handle, struct gt_sql_event *out)
{
	const struct slot *s = find(e, process, handle);

	if (!s)
		return false;
	*out = s->event;
	return true;
}

void gt_sql_events_retain(struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	struct slot *s = find(e, process, handle);

	if (s)
		s->references++;
}

void gt_sql_events_release(struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	struct slot *s = find(e, process, handle);

	if (s && --s->references <= 0)
		gt_map_remove(&e->map, sizeof *s, s);
}
