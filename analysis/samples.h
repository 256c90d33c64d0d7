/*
 * analysis/samples.h - the values of one row: exact total, mean, median, extremes and deviation
 *
 * Exact at any count: values are kept in growing pieces; when there are many, they are folded into a table of how often each value
 * came, for the durations of millions of calls are few different numbers. Where they are not, the pieces stay, above a limit
 * in an unlinked temporary file. The median is selected over both. No sketches: a report must not invent numbers.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SAMPLES_H
#define GPUTAP_ANALYSIS_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

struct gt_pool;                        /* memory of many samples; freed as a whole */
struct gt_pool *gt_pool_new(void);    /* NULL: no memory */
void gt_pool_free(struct gt_pool *a);
/* Zeroed memory until gt_pool_free; NULL: no memory left, not even on disk. */
void *gt_pool_take(struct gt_pool *a, size_t bytes);

struct gt_samples {
	struct gt_piece *last;          /* values as they came: pieces, newest first */
	struct gt_counts *counts;       /* values folded, NULL: none yet */
	uint32_t loose;                 /* values in the pieces */
	uint32_t diverse;               /* folding does not pay */
	uint64_t n;
	int64_t min, max;
	__int128 sum;
};
/* 0, or -1: no memory. */
int gt_samples_add(struct gt_samples *s, struct gt_pool *a, int64_t value);
double gt_samples_mean(const struct gt_samples *s);      /* 0 without values */
double gt_samples_median(const struct gt_samples *s);    /* mean of the middle two for an even count */
double gt_samples_deviation(const struct gt_samples *s); /* of the sample (n - 1); 0 below two values */

#endif
