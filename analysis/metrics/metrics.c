/*
 * analysis/metrics/metrics.c - all metrics by name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/metrics/metrics.h"

#include <string.h>

const struct gt_metric *gt_metric_find(const char *name)
{
	const struct gt_metric_table *const tables[] = { &gt_opencl_metrics, &gt_launch_metrics };

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < tables[t]->n; i++)
			if (!strcmp(tables[t]->metrics[i].name, name))
				return &tables[t]->metrics[i];
	return NULL;
}
