/*
 * analysis/metrics/metrics.c - all metrics by name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"

#include <string.h>

const struct gt_metric_table *const gt_metric_tables[GT_METRIC_TABLES] = {
	[GT_METRICS_OPENCL] = &gt_opencl_metrics, [GT_METRICS_CPU] = &gt_cpu_metrics,
	[GT_METRICS_LAUNCH] = &gt_launch_metrics,
};

const struct gt_metric *gt_metric_find(const char *name)
{
	for (size_t t = 0; t < GT_METRIC_TABLES; t++)
		for (size_t i = 0; i < gt_metric_tables[t]->n; i++)
			if (!strcmp(gt_metric_tables[t]->metrics[i].name, name))
				return &gt_metric_tables[t]->metrics[i];
	return NULL;
}
