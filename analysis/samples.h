/*
 * analysis/samples.h - the values of one row: exact total, mean, median, extremes and deviation
 *
 * Exact at any count: values are kept in a list; when there are many, they are folded into a table of how often each
 * value came, for the durations of millions of calls are few different numbers. Where they are not, the list stays,
 * above a limit in an unlinked temporary file. The median is selected over both. No sketches: a report must not invent
 * numbers.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SAMPLES_H
#define GPUTAP_ANALYSIS_SAMPLES_H

#include <stdint.h>

#include "analysis/pool.h"

struct gt_samples {
	struct gt_pool *pool;
	struct gt_list values;          /* as they came; a single one stands in `first` alone */
	int64_t first;
	struct gt_counts *counts;       /* values folded, NULL: none yet */
	uint64_t loose;                 /* values in the list */
	bool diverse;                   /* folding does not pay */
	uint64_t n;
	int64_t min, max;
	__int128 sum;
	struct gt_samples *more;        /* taken in by gt_samples_join: n, min, max and sum above count them too */
};
/* 0, or -1: no memory. */
int gt_samples_add(struct gt_samples *s, struct gt_pool *a, int64_t value);
/* What `from` holds counts in `s` too: it stays where it is, until the pools of both are freed, and nothing is added to
 * either any more. In which order values came never matters. */
void gt_samples_join(struct gt_samples *s, struct gt_samples *from);
double gt_samples_mean(const struct gt_samples *s);      /* 0 without values */
double gt_samples_median(const struct gt_samples *s);    /* mean of the middle two for an even count */
double gt_samples_deviation(const struct gt_samples *s); /* of the sample (n - 1); 0 below two values */

#endif
