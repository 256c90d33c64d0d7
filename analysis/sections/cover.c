/*
 * analysis/sections/cover.c - the times in which something ran, or several things at once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/cover.h"

#include <stdlib.h>

static int by_start(const void *l, const void *r)
{
	const struct gt_span *a = l, *b = r;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* Begins come in order (COVER1). */
static bool extend(struct gt_cover *c, uint64_t key, int64_t start, int64_t end)
{
	struct gt_stretch *last = c->v.n ? &c->v.v[c->v.n - 1] : NULL;
	int64_t before = 0;

	if (end <= start)
		return true;
	if (last && last->key == key) {
		if (start <= last->end_ns) {
			last->end_ns = end > last->end_ns ? end : last->end_ns;
			return true;
		}
		before = last->before_ns + (last->end_ns - last->start_ns);
	}
	last = GT_LIST_ADD(&c->v);
	if (last)
		*last = (struct gt_stretch){ key, start, end, before, false };
	return last;
}

bool gt_cover_make(struct gt_span *spans, uint32_t n, struct gt_cover *one, struct gt_cover *two)
{
	int64_t latest = 0;                       /* end of what began so far, of the key at hand */

	if (n)
		qsort(spans, n, sizeof *spans, by_start);
	for (uint32_t i = 0; i < n; i++) {
		const struct gt_span *s = &spans[i];
		bool fresh = !i || s[-1].key != s->key;
		int64_t beside = s->end_ns < latest ? s->end_ns : latest;

		if (!extend(one, s->key, s->start_ns, s->end_ns) ||
			(two && !fresh && !extend(two, s->key, s->start_ns, beside)))
			return false;
		if (fresh || s->end_ns > latest)
			latest = s->end_ns;
	}
	return true;
}

struct gt_stretch *gt_cover_at(const struct gt_cover *c, uint64_t key, int64_t at_ns)
{
	uint32_t low = 0, high = c->v.n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct gt_stretch *s = &c->v.v[middle];

		if (s->key < key || (s->key == key && s->start_ns <= at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->v.v[low - 1].key == key ? &c->v.v[low - 1] : NULL;
}

static int64_t covered_until(const struct gt_cover *c, uint64_t key, int64_t at_ns)
{
	const struct gt_stretch *s = gt_cover_at(c, key, at_ns);

	return s ? s->before_ns + (at_ns < s->end_ns ? at_ns : s->end_ns) - s->start_ns : 0;
}

int64_t gt_cover_inside(const struct gt_cover *c, uint64_t key, int64_t from_ns, int64_t to_ns)
{
	return to_ns > from_ns ? covered_until(c, key, to_ns) - covered_until(c, key, from_ns) : 0;
}

void gt_cover_free(struct gt_cover *c)
{
	free(c->v.v);
	*c = (struct gt_cover){ 0 };
}
