/*
 * analysis/metrics/class.h - where a metric's value comes from, told by its name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_CLASS_H
#define GPUTAP_ANALYSIS_METRICS_CLASS_H

#include "common/text.h"

enum gt_metric_class {
	GT_CLASS_LAUNCH,                  /* the launch itself, occupancy computed from it */
	GT_CLASS_OPENCL, GT_CLASS_CPU,
	GT_CLASS_DEVICE,                  /* an attribute of the device */
	GT_CLASS_HARDWARE,                /* counters of the hardware */
	GT_CLASS_SASS,                    /* the same, of instrumented code */
	GT_CLASS_SOURCE,                  /* counts by instruction, of instrumented code: source.h */
	GT_CLASS_PC_SAMPLING, GT_CLASS_PM_SAMPLING,
	GT_CLASS_DERIVED,
	GT_CLASS_LIST,                    /* breakdown:, group: names of other metrics */
	GT_CLASS_UNKNOWN,                 /* no metric is known that is named so */
	GT_CLASSES
};

enum gt_metric_class gt_metric_class(struct gt_string name);
/* "hardware counters", "OpenCL", ...; why a trace without counters has no value of it. */
extern const struct gt_metric_class_name { const char *name, *why; } gt_metric_classes[GT_CLASSES];
/* Names of PC sampling that CUPTI gave of some chip; NULL ends them. A pattern that fits one asks for samples. */
extern const char *const gt_metric_sampled[];

#endif
