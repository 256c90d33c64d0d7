/*
 * analysis/metrics/metrics.h - numbers about one dispatch, by name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_METRICS_H
#define GPUTAP_ANALYSIS_METRICS_METRICS_H

#include "analysis/metrics/dispatch.h"

enum gt_metric_type { GT_METRIC_NONE, GT_METRIC_INTEGER, GT_METRIC_DOUBLE, GT_METRIC_TEXT };

/* NONE: not available, and `why` says the reason. Texts live as long as the program. */
struct gt_metric_value {
	enum gt_metric_type type;
	uint64_t integer;
	double real;
	const char *text, *why;
};

struct gt_metric {
	const char *name;                 /* "opencl__duration" */
	const char *unit;                 /* "ns", "bytes", "%", "" */
	const char *description;          /* one sentence, without a full stop */
	enum gt_metric_type type;         /* of its values that are available */
	struct gt_metric_value (*of)(const struct gt_dispatch *d);
};

/* Metrics of one kind of dispatch, in the order in which files show them. */
struct gt_metric_table { const struct gt_metric *metrics; size_t n; };
/* Of OpenCL; what the host's processors did for it; of CUDA: no counters of a device needed. */
enum gt_metric_kind { GT_METRICS_OPENCL, GT_METRICS_CPU, GT_METRICS_LAUNCH, GT_METRIC_TABLES };
extern const struct gt_metric_table gt_opencl_metrics, gt_cpu_metrics, gt_launch_metrics;
extern const struct gt_metric_table *const gt_metric_tables[GT_METRIC_TABLES];

/* Does a dispatch of this kind have them? */
static inline bool gt_metrics_fit(enum gt_metric_kind kind, const struct gt_dispatch *d)
{
	return d->cuda ? kind == GT_METRICS_LAUNCH : kind != GT_METRICS_LAUNCH;
}

const struct gt_metric *gt_metric_find(const char *name); /* NULL: there is none of that name */

/* For the tables' functions. */
static inline struct gt_metric_value gt_metric_integer(uint64_t v)
{
	return (struct gt_metric_value){ .type = GT_METRIC_INTEGER, .integer = v };
}
static inline struct gt_metric_value gt_metric_double(double v)
{
	return (struct gt_metric_value){ .type = GT_METRIC_DOUBLE, .real = v };
}
static inline struct gt_metric_value gt_metric_none(const char *why) { return (struct gt_metric_value){ .why = why }; }

#endif
