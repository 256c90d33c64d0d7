/*
 * analysis/metrics/source.h - counts by instruction (source counters): their names, and those of one launch
 *
 * CUPTI counts them in code that it instruments (SASS metrics). Reports know some by other names (inst_executed); one
 * of CUPTI's own (smsp__sass_inst_executed) is one where it has no rollup: with a rollup it is a counter, which the
 * range profiler collects.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_SOURCE_H
#define GPUTAP_ANALYSIS_METRICS_SOURCE_H

#include "analysis/metrics/sampled.h"

/* CUPTI's name of what a report calls so, in *to, or what it is itself; NULL: CUPTI has none. */
const char *gt_source_of(struct gt_string name, char *to, size_t room);
const char *gt_source_unit(const char *name);

/* What the values of a metric of this name belong to: an instruction, its opcode, or that with its modifiers. */
enum gt_source_by { GT_BY_INSTRUCTION, GT_BY_OPCODE, GT_BY_OPCODE_WITH_MODIFIERS };
enum gt_source_by gt_source_by(const char *name);

/* As of gt_sampled_of; what CUPTI does not have of the chip is told with `why` instead of values. */
int gt_source_counts(struct gt_model *m, const struct gt_counters *c, struct gt_sampled *out, const char **why);

#endif
