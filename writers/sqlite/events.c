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

#include "writers/sqlite/feed.h"

struct slot { uint64_t handle; uint32_t process; int32_t references; struct gt_sql_event event; }; /* handle 0: free */

struct gt_sql_events { struct slot *slot; size_t n, n_slots; };

struct gt_sql_events *gt_sql_events_new(void)
{
	struct gt_sql_events *e = calloc(1, sizeof *e);

	if (!e)
		return NULL;
	e->n_slots = 256;
	e->slot = calloc(e->n_slots, sizeof *e->slot);
	if (e->slot)
		return e;
	free(e);
	return NULL;
}

void gt_sql_events_free(struct gt_sql_events *e)
{
	if (e)
		free(e->slot);
	free(e);
}

static size_t home(const struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	return (size_t)((handle ^ (uint64_t)process << 48) * 0x9e3779b97f4a7c15ull >> 24) & (e->n_slots - 1);
}

static struct slot *find(const struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	size_t at = home(e, process, handle);

	while (e->slot[at].handle && (e->slot[at].handle != handle || e->slot[at].process != process))
		at = (at + 1) & (e->n_slots - 1);
	return &e->slot[at];
}

static bool grow(struct gt_sql_events *e)
{
	struct slot *old = e->slot, *slot = calloc(e->n_slots * 2, sizeof *slot);
	size_t n = e->n_slots;

	if (!slot)
		return false;
	e->slot = slot;
	e->n_slots = n * 2;
	for (size_t i = 0; i < n; i++)
		if (old[i].handle)
			*find(e, old[i].process, old[i].handle) = old[i];
	free(old);
	return true;
}

bool gt_sql_events_put(struct gt_sql_events *e, uint32_t process, uint64_t handle, struct gt_sql_event event)
{
	if (!handle)
		return true;
	struct slot *s = find(e, process, handle);

	e->n += !s->handle;
	*s = (struct slot){ handle, process, 1, event };
	return e->n * 2 <= e->n_slots || grow(e);
}

bool gt_sql_events_find(const struct gt_sql_events *e, uint32_t process, uint64_t handle, struct gt_sql_event *out)
{
	const struct slot *s = handle ? find(e, process, handle) : NULL;

	if (!s || !s->handle)
		return false;
	*out = s->event;
	return true;
}

void gt_sql_events_retain(struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	struct slot *s = handle ? find(e, process, handle) : NULL;

	if (s && s->handle)
		s->references++;
}

/* Open addressing: the run behind a freed slot moves up so that no search stops at the gap. */
static void remove_slot(struct gt_sql_events *e, struct slot *s)
{
	size_t gap = (size_t)(s - e->slot), at = gap, mask = e->n_slots - 1;

	for (;;) {
		at = (at + 1) & mask;
		if (!e->slot[at].handle)
			break;
		size_t wants = home(e, e->slot[at].process, e->slot[at].handle);

		if (((at - wants) & mask) >= ((at - gap) & mask)) {
			e->slot[gap] = e->slot[at];
			gap = at;
		}
	}
	e->slot[gap] = (struct slot){ 0 };
	e->n--;
}

void gt_sql_events_release(struct gt_sql_events *e, uint32_t process, uint64_t handle)
{
	struct slot *s = handle ? find(e, process, handle) : NULL;

	if (s && s->handle && --s->references <= 0)
		remove_slot(e, s);
}
