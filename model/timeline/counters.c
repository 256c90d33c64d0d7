/*
 * model/timeline/counters.c - how many commands each queue has pending, and how many bytes they are to move
 *
 * A command is pending from the beginning of its call to its end on the device. Changes wait in a heap, as many as
 * commands are pending; those of one queue at one time make one item. Before the window only the sum counts.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/timeline/internal.h"

static void update(struct gt_timeline *t)
{
	struct gt_tl_source *s = t->count_source;

	if (t->has_bytes_due)
		return; /* key stays: the second value of the same change */
	s->ready = t->counts.n > 0 && (t->options.to_ns == GT_NO_TIME || t->counts.v[0].at <= t->options.to_ns);
	if (s->ready)
		s->key = (struct gt_tl_key){ t->counts.v[0].at, t->counts.v[0].end, GT_TL_DEVICE };
}

static struct gt_tl_count *count_of(struct gt_timeline *t, uint32_t track)
{
	if (track >= t->n_count) {
		uint32_t n = track + 16;
		struct gt_tl_count *v = realloc(t->count, n * sizeof *v);

		if (!v)
			return NULL;
		for (uint32_t i = t->n_count; i < n; i++)
			v[i] = (struct gt_tl_count){ .commands_track = GT_NO_TRACK, .bytes_track = GT_NO_TRACK };
		t->count = v;
		t->n_count = n;
	}
	return &t->count[track];
}

/* Changes of one queue at one time lie side by side: the track stands where an item's end would. */
static bool push(struct gt_timeline *t, uint32_t track, int64_t at_ns, int32_t commands, int64_t bytes)
{
	struct gt_tl_entry e = {
		.at = at_ns, .end = INT64_MAX - (int64_t)track, .slot = track, .commands = commands, .bytes = bytes
	};

	if (t->options.from_ns != GT_NO_TIME && at_ns < t->options.from_ns)
		e.at = t->options.from_ns;
	if (!count_of(t, track) || !gt_tl_heap_push(&t->counts, e))
		return false;
	update(t);
	return true;
}

bool gt_tl_count(struct gt_timeline *t, uint32_t track, int64_t from_ns, int64_t to_ns, uint64_t bytes)
{
	int64_t moved = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;

	if (!t->count_source || to_ns <= from_ns || (t->options.from_ns != GT_NO_TIME && to_ns <= t->options.from_ns))
		return true;
	return push(t, track, from_ns, 1, moved) && push(t, track, to_ns, -1, -moved);
}

bool gt_tl_count_step(struct gt_timeline *t, uint32_t track, int64_t at_ns, int64_t bytes)
{
	struct gt_tl_count *c;

	if (!t->count_source)
		return true;
	if (t->options.from_ns == GT_NO_TIME || at_ns >= t->options.from_ns)
		return push(t, track, at_ns, 0, bytes);
	c = count_of(t, track); /* before the window: the sum is told where it opens */
	if (!c)
		return false;
	c->bytes += bytes;
	if (c->announced)
		return true;
	c->announced = true;
	return push(t, track, at_ns, 0, 0);
}

static int step(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	(void)s;
	(void)err;
	update(t);
	return 0;
}

static int take_bytes(struct gt_timeline *t, struct gt_item *item)
{
	item->track = t->bytes_track;
	item->value = t->bytes_due;
	t->has_bytes_due = false;
	return 0;
}

static int take(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	struct gt_tl_entry e;
	struct gt_tl_count *c;
	bool bytes, commands;
	uint32_t of;

	(void)err;
	item->kind = GT_ITEM_COUNTER;
	item->end_ns = item->start_ns;
	if (t->has_bytes_due) {
		item->process = t->tracks[t->bytes_track]->process;
		return take_bytes(t, item);
	}
	e = gt_tl_heap_pop(&t->counts);
	of = e.slot;
	c = &t->count[of];
	bytes = e.bytes || !e.commands;
	commands = e.commands;
	c->commands += e.commands;
	c->bytes += e.bytes;
	while (t->counts.n && t->counts.v[0].at == s->key.at && t->counts.v[0].slot == of) {
		e = gt_tl_heap_pop(&t->counts);
		c->commands += e.commands;
		c->bytes += e.bytes;
		bytes |= e.bytes != 0;
		commands |= e.commands != 0;
	}
	item->process = t->tracks[of]->process;
	if (bytes && c->bytes_track == GT_NO_TRACK)
		c->bytes_track = gt_tl_track_counter(t, of,
			t->tracks[of]->kind == GT_TRACK_QUEUE ? "pending bytes" : "allocated bytes", GT_UNIT_BYTES);
	if (commands && c->commands_track == GT_NO_TRACK)
		c->commands_track = gt_tl_track_counter(t, of, "pending commands", GT_UNIT_COUNT);
	t->has_bytes_due = bytes;
	t->bytes_due = c->bytes;
	t->bytes_track = c->bytes_track;
	if (!commands)
		return take_bytes(t, item);
	item->track = c->commands_track;
	item->value = c->commands;
	return 0;
}

int gt_tl_open_counters(struct gt_timeline *t, struct gt_err *err)
{
	(void)err;
	t->count_source = gt_tl_add(t, step, take);
	t->count_source->grows = true;
	return 0;
}
