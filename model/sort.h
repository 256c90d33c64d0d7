/*
 * model/sort.h - a stable merge sort that costs little where most is in order already
 *
 * Everything is inlined into the function that calls gt_bulk_sort, so that size and comparison are known there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_SORT_H
#define GPUTAP_MODEL_SORT_H

#include <stdlib.h>
#include <string.h>

#include "model/bulk.h"

#define GT_SORT_INLINE static inline __attribute__((always_inline))
#define GT_SORT_SHORT 24u                 /* elements that are inserted one by one */

struct gt_sort {
	char *v, *spare;
	size_t size;
	int (*compare)(const void *, const void *, const void *);
	const void *ctx;
	const struct gt_bulk *b, *beside;
};
#define GT_SORT_FORGET(s) (GT_BULK_FORGET / (s)->size)  /* elements */

/* Elements that were gone through leave memory as they go, where a file holds them. */
GT_SORT_INLINE void gt_sort_forget(const struct gt_sort *s, const struct gt_bulk *b, size_t from, size_t to)
{
	gt_bulk_forget(b, from * s->size, to * s->size);
}

GT_SORT_INLINE char *gt_sort_element(const struct gt_sort *s, size_t i) { return s->v + i * s->size; }
GT_SORT_INLINE bool gt_sort_in_order(const struct gt_sort *s, size_t i, size_t k)
{
	return s->compare(gt_sort_element(s, i), gt_sort_element(s, k), s->ctx) <= 0;
}

/* [from, sorted) is in order; so is [from, to) afterwards. */
GT_SORT_INLINE void gt_sort_insert(const struct gt_sort *s, size_t from, size_t sorted, size_t to)
{
	for (; sorted < to; sorted++) {
		size_t at = sorted;

		memcpy(s->spare, gt_sort_element(s, sorted), s->size);
		while (at > from && s->compare(gt_sort_element(s, at - 1), s->spare, s->ctx) > 0)
			at--;
		memmove(gt_sort_element(s, at + 1), gt_sort_element(s, at), (sorted - at) * s->size);
		memcpy(gt_sort_element(s, at), s->spare, s->size);
	}
}

/* End of the run that begins at `from`, made GT_SORT_SHORT long where it is shorter. */
GT_SORT_INLINE size_t gt_sort_run_end(const struct gt_sort *s, size_t from, size_t n)
{
	size_t end = from + 1;

	while (end < n && gt_sort_in_order(s, end - 1, end))
		if (!(++end % GT_SORT_FORGET(s)))
			gt_sort_forget(s, s->b, end - GT_SORT_FORGET(s), end - 1);
	if (end - from < GT_SORT_SHORT && end < n) {
		size_t to = n - from < GT_SORT_SHORT ? n : from + GT_SORT_SHORT;

		gt_sort_insert(s, from, end, to);
		end = to;
	}
	return end;
}

/* Two runs that follow each other; spare holds the first of them. */
GT_SORT_INLINE void gt_sort_merge(const struct gt_sort *s, size_t from, size_t mid, size_t to)
{
	size_t left, n, right = mid, out, part;

	while (from < mid && gt_sort_in_order(s, from, mid))
		if (!(++from % GT_SORT_FORGET(s)))
			gt_sort_forget(s, s->b, from - GT_SORT_FORGET(s), from);
	while (to > mid && gt_sort_in_order(s, mid - 1, to - 1))
		if (!(--to % GT_SORT_FORGET(s)))
			gt_sort_forget(s, s->b, to, to + GT_SORT_FORGET(s));
	if (from == mid || mid == to)
		return;
	n = mid - from;
	for (left = 0; left < n; left += part) {
		part = n - left < GT_SORT_FORGET(s) ? n - left : GT_SORT_FORGET(s);
		memcpy(s->spare + left * s->size, gt_sort_element(s, from + left), part * s->size);
		gt_sort_forget(s, s->b, from, from + left);
		gt_sort_forget(s, s->beside, 0, left);
	}
	for (left = 0, out = from; left < n; out++) {
		const char *l = s->spare + left * s->size;

		if (out - from >= GT_SORT_FORGET(s) && !(out % GT_SORT_FORGET(s))) {
			gt_sort_forget(s, s->b, from, out);
			gt_sort_forget(s, s->b, mid, right);
			gt_sort_forget(s, s->beside, 0, left);
		}

		if (right == to || s->compare(l, gt_sort_element(s, right), s->ctx) <= 0) {
			memcpy(gt_sort_element(s, out), l, s->size);
			left++;
		} else {
			memcpy(gt_sort_element(s, out), gt_sort_element(s, right++), s->size);
		}
	}
}

GT_SORT_INLINE bool gt_sort_is_sorted(const struct gt_sort *s, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (!gt_sort_in_order(s, i - 1, i))
			return false;
		if (!(i % GT_SORT_FORGET(s)))
			gt_sort_forget(s, s->b, i - GT_SORT_FORGET(s), i);
	}
	return true;
}

/* Ends of runs, in ends[0..n): merged two by two until one is left. */
GT_SORT_INLINE void gt_sort_merge_runs(const struct gt_sort *s, size_t *ends, size_t n)
{
	while (n > 1) {
		size_t kept = 0, forgotten = 0;

		for (size_t i = 0; i < n; i += 2) {
			if (i + 1 < n)
				gt_sort_merge(s, i ? ends[i - 1] : 0, ends[i], ends[i + 1]);
			ends[kept++] = ends[i + 1 < n ? i + 1 : i];
			if (ends[kept - 1] - forgotten >= GT_SORT_FORGET(s)) {
				gt_sort_forget(s, s->b, forgotten, ends[kept - 1]);
				forgotten = ends[kept - 1];
			}
		}
		n = kept;
	}
}

/* Sorts in place, stable. -1: out of memory. The budget is the bulk's, and of what the sort needs itself. */
GT_SORT_INLINE int gt_bulk_sort(struct gt_bulk *b, size_t size,
	int (*compare)(const void *, const void *, const void *), const void *ctx, struct gt_bulk_budget *budget)
{
	struct gt_sort s = { b->data, NULL, size, compare, ctx, b, NULL };
	size_t runs = 0, room = b->n / GT_SORT_SHORT + 2, *ends;
	struct gt_bulk spare = { 0 };
	int rc = -1;

	if (gt_sort_is_sorted(&s, b->n))
		return 0;
	ends = malloc(room * sizeof *ends);
	/* grown as bulks are: to a file when it is large */
	while (spare.capacity < (b->n > GT_SORT_SHORT ? b->n : GT_SORT_SHORT) * size) {
		spare.n = spare.capacity / size;
		if (!gt_bulk_add(&spare, size, budget))
			goto out;
	}
	s.spare = spare.data;
	s.beside = &spare;
	if (!ends)
		goto out;
	for (size_t i = 0, kept = 0; i < b->n; i = ends[runs++]) {
		ends[runs] = gt_sort_run_end(&s, i, b->n);
		if (i - kept >= GT_SORT_FORGET(&s)) {
			gt_sort_forget(&s, b, kept, i);
			kept = i;
		}
	}
	gt_sort_merge_runs(&s, ends, runs);
	gt_sort_forget(&s, b, 0, b->n);
	rc = 0;
out:
	if (!spare.fd && spare.capacity <= budget->used)
		budget->used -= spare.capacity;
	gt_bulk_free(&spare);
	free(ends);
	return rc;
}

#endif
