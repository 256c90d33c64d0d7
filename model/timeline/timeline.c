/*
 * model/timeline/timeline.c - all sources in one order
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"
#include "model/threads/estimate.h"
#include "model/timeline/internal.h"
#include "model/window.h"

const struct gt_item_fact gt_item_facts[GT_ITEM_COUNT] = {
#define X(id, where, name) [GT_ITEM_##id] = { name, GT_WHERE_##where },
	GT_ITEM_KINDS(X)
#undef X
};

int gt_tl_no_memory(const struct gt_timeline *t, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", t->m->session.path);
}

bool gt_tl_overlaps(const struct gt_timeline *t, int64_t start_ns, int64_t end_ns)
{
	return gt_overlaps(t->options.from_ns, t->options.to_ns, start_ns, end_ns == GT_NO_TIME ? INT64_MAX : end_ns);
}

/* ---- heaps ---- */

static bool entry_before(const struct gt_tl_entry *a, const struct gt_tl_entry *b)
{
	if (a->at != b->at)
		return a->at < b->at;
	return a->end != b->end ? a->end > b->end : a->number < b->number;
}

bool gt_tl_heap_push(struct gt_tl_heap *h, struct gt_tl_entry e)
{
	size_t i = h->n;

	if (!gt_grow((void **)&h->v, h->n, &h->room, sizeof *h->v))
		return false;
	h->n++;
	e.number = h->numbers++;
	for (; i && entry_before(&e, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
		h->v[i] = h->v[(i - 1) / 2];
	h->v[i] = e;
	return true;
}

struct gt_tl_entry gt_tl_heap_pop(struct gt_tl_heap *h)
{
	struct gt_tl_entry top = h->v[0], moving = h->v[--h->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->n)
			break;
		if (child + 1 < h->n && entry_before(&h->v[child + 1], &h->v[child]))
			child++;
		if (!entry_before(&h->v[child], &moving))
			break;
		h->v[i] = h->v[child];
		i = child;
	}
	if (h->n)
		h->v[i] = moving;
	return top;
}

/* ---- the merge ---- */

struct gt_tl_source *gt_tl_add(struct gt_timeline *t,
	int (*step)(struct gt_timeline *, struct gt_tl_source *, struct gt_err *),
	int (*take)(struct gt_timeline *, struct gt_tl_source *, struct gt_item *, struct gt_err *))
{
	struct gt_tl_source *s = &t->sources[t->n_sources++];

	*s = (struct gt_tl_source){ .step = step, .take = take };
	return s;
}

/* Of two at one place the one that was added first. */
static unsigned first_source(const struct gt_timeline *t)
{
	unsigned first = t->n_sources;

	for (unsigned i = 0; i < t->n_sources; i++)
		if (t->sources[i].ready &&
			(first == t->n_sources || gt_tl_before(&t->sources[i].key, &t->sources[first].key)))
			first = i;
	return first;
}

int gt_timeline_next(struct gt_timeline *t, const struct gt_item **item, struct gt_err *err)
{
	struct gt_tl_source *s;

	if (t->last < t->n_sources && t->sources[t->last].step(t, &t->sources[t->last], err))
		return -1;
	t->last = first_source(t);
	if (t->last == t->n_sources)
		return 0;
	s = &t->sources[t->last];
	t->item = (struct gt_item){ .thread = GT_NO_THREAD,
		.at_ns = s->key.at,
		.start_ns = s->key.at,
		.end_ns = GT_NO_TIME,
		.timed = true,
		.name = { "", 0 } };
	if (s->take(t, s, &t->item, err))
		return -1;
	if (t->item.track == GT_NO_TRACK || !t->item.name.text)
		return gt_tl_no_memory(t, err);
	*item = &t->item;
	return 1;
}

/* ---- life ---- */

/* What was found since the timeline was opened will be found again. */
static void forget_found(struct gt_timeline *t)
{
	memcpy(t->m->lost, t->lost, sizeof t->lost);
	memcpy(t->m->checked, t->checked, sizeof t->checked);
}

/* One walk at a time: this one is over before that of the calls begins, which counts what is damaged. */
static int estimate(struct gt_timeline *t, struct gt_err *err)
{
	int rc = gt_estimate_read(t->m, &t->estimates, &t->budget, err);

	forget_found(t);
	return rc;
}

int gt_timeline_open(
	struct gt_model *m, const struct gt_timeline_options *opt, struct gt_timeline **out, struct gt_err *err)
{
	struct gt_timeline *t = calloc(1, sizeof *t);

	*out = NULL;
	if (!t)
		return gt_fail(err, GT_EXIT_INPUT, "out of memory", NULL, "%s: cannot read the trace", m->session.path);
	t->m = m;
	t->options = *opt;
	memcpy(t->lost, m->lost, sizeof t->lost);
	memcpy(t->checked, m->checked, sizeof t->checked);
	t->free_slot = t->taken = UINT32_MAX;
	t->last = GT_TL_SOURCES;
	if (opt->estimate && gt_estimate_possible(m) && estimate(t, err))
		goto failed;
	/* Ranges stand before the calls that they enclose, those before what they left behind. */
	if (gt_tl_open_others(t, err) || (opt->counters && gt_tl_open_counters(t, err)) || gt_tl_open_calls(t, err) ||
		gt_tl_open_cuda(t, err))
		goto failed;
	gt_tl_open_threads(t);
	for (unsigned i = 0; i < t->n_sources; i++)
		if (!t->sources[i].grows && t->sources[i].step(t, &t->sources[i], err))
			goto failed;
	*out = t;
	return 0;
failed:
	gt_timeline_close(t);
	return -1;
}

static void free_pending(struct gt_timeline *t)
{
	struct gt_tl_pending *slots = t->slots.data;

	for (size_t i = 0; i < t->pending.n; i++)
		free(slots[t->pending.v[i].slot].extra);
	if (t->taken != UINT32_MAX)
		free(slots[t->taken].extra);
}

void gt_timeline_close(struct gt_timeline *t)
{
	if (!t)
		return;
	gt_walk_close(t->walk);
	if (t->options.trial)
		forget_found(t);
	free_pending(t);
	gt_bulk_free(&t->slots);
	free(t->pending.v);
	free(t->counts.v);
	free(t->count);
	free(t->inside);
	free(t->hsa);
	gt_bulk_free(&t->estimates);
	free(t->notes);
	gt_tl_tracks_free(t);
	gt_arena_free(&t->arena);
	free(t);
}

uint32_t gt_timeline_track_count(const struct gt_timeline *t) { return t->n_tracks; }

const struct gt_track *gt_timeline_track(const struct gt_timeline *t, uint32_t i)
{
	return i < t->n_tracks ? t->tracks[i] : NULL;
}

size_t gt_timeline_most_pending(const struct gt_timeline *t) { return t->most_pending; }
