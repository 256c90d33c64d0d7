/*
 * analysis/metrics/counted.h - the counters that were collected of a trace's kernels, as values of metrics
 *
 * CUPTI's host library makes numbers of the images that the trace holds, on any machine that has it; no GPU is needed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_COUNTED_H
#define GPUTAP_ANALYSIS_METRICS_COUNTED_H

#include "model/model.h"

struct gt_counted;                        /* NULL: nothing was collected */
struct gt_counted_metric {
	const char *name, *unit, *description;
	bool has;
	double value;
	const char *why;                  /* without a value: the reason */
};

/* cupti: as in gt_host_open. 0, or -1 with *err: no memory. What cannot be evaluated is no error. */
int gt_counted_open(struct gt_model *m, const char *cupti, struct gt_counted **out, struct gt_err *err);
void gt_counted_close(struct gt_counted *c);

/* The launch of that call (kind: enum rec_counted), as a number for the next functions; -1: it was not counted. */
int64_t gt_counted_find(const struct gt_counted *c, uint32_t process, uint32_t kind, uint32_t correlation);
/* All of them: launches, ranges, graphs; NULL behind the last. */
const struct gt_counters *gt_counted_at(const struct gt_counted *c, uint32_t i);
/* Whether any launch of that kernel was counted there. */
bool gt_counted_kernel(const struct gt_counted *c, uint32_t process, struct gt_string symbol);
/* The i-th metric of the range of it (0 but for graphs); false behind the last. Texts live until gt_counted_close. */
bool gt_counted_metric(const struct gt_counted *c, int64_t launch, uint32_t range, uint32_t i,
	struct gt_counted_metric *out);
/* Why not even the names of what was counted are known; NULL: they are. */
const char *gt_counted_nothing(const struct gt_counted *c);

#endif
