/*
 * analysis/summary.h - the table at the end of a run: top kernels, copies and calls
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SUMMARY_H
#define GPUTAP_ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "model/model.h"

/*
 * Kernels, copies and API calls. format: table, the first rows of each; csv, json, markdown: all. 0, or -1 with *err.
 */
int gt_summary_print(struct gt_model *model, const char *format, FILE *out, struct gt_err *err);
/* Did the CUDA part of the trace come from the tests' stand-in machine? Its times are made up. */
bool gt_summary_stand_in(struct gt_model *model);

#endif
