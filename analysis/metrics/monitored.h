/*
 * analysis/metrics/monitored.h - samples of performance monitors of a trace's launches, as values of metrics
 *
 * CUPTI's host library makes numbers of the images that the trace holds, as of counters (counted.h). Of a launch the
 * samples of its time on the device are kept: they are the metric's instances, by the device's time in ns.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_MONITORED_H
#define GPUTAP_ANALYSIS_METRICS_MONITORED_H

#include "model/model.h"
#include "trace/format/pm_samples.h"

struct gt_monitored;                      /* NULL: nothing was sampled */
struct gt_monitored_metric {
	const char *name, *unit, *description;    /* name: with "pmsampling:" */
	const char *why;                          /* without a value: the reason, and n is 0 */
	double value;
	const struct rec_pm_time *times;          /* of the n samples, in the device's time */
	const double *values; uint32_t n, step;   /* of sample k: values[k * step] */
	const struct rec_pm *head;
	uint32_t run;                             /* of the program; 0: the trace's own */
};

/* cupti: as in gt_host_open. 0, or -1 with *err: no memory. What cannot be evaluated is no error. */
int gt_monitored_open(struct gt_model *m, const char *cupti, struct gt_monitored **out, struct gt_err *err);
void gt_monitored_close(struct gt_monitored *s);
/* The i-th metric of a launch (its place among those of gt_model_counters); false behind the last. */
bool gt_monitored_metric(const struct gt_monitored *s, uint32_t launch, uint32_t i, struct gt_monitored_metric *out);
/* Why a launch that was to be sampled has no samples whose names are known; NULL: nothing to say. */
const char *gt_monitored_nothing(const struct gt_monitored *s, uint32_t launch);

#endif
