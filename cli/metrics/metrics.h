/*
 * cli/metrics/metrics.h - what the files of gputap metrics share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_METRICS_H
#define GPUTAP_CLI_METRICS_H

#include "analysis/table.h"
#include "common/options.h"

/* Of --chip what it can count; without it the chips. 0, or -1 with *err. cli/metrics/chip.c */
int gt_metrics_of_chip(const struct gt_options *o, enum gt_table_format format, struct gt_err *err);

#endif
