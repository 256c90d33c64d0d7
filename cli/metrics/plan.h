/*
 * cli/metrics/plan.h - what gputap run needs of gputap plan
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_METRICS_PLAN_H
#define GPUTAP_CLI_METRICS_PLAN_H

#include "analysis/metrics/host.h"
#include "analysis/sections/section.h"
#include "cli/cli.h"
#include "common/text.h"
#include "trace/format/counters.h"

/*
 * What the options ask for, by what it takes: the range profiler; a run apart, by class; counts of instrumented
 * code that CUPTI has none of; a name that no metric has ("": none).
 */
struct gt_plan_wants { bool counters, apart[REC_APARTS], uncounted; char unknown[128]; };
struct gt_plan_wants gt_plan_wants(const struct gt_cli *cli, const struct gt_sections *s);

/*
 * Counters of contexts and of the whole device cannot be in one image. metrics 0: the chip has none of them, and there
 * is no image. The caller frees config and names.
 */
enum gt_plan_of { GT_PLAN_CONTEXTS, GT_PLAN_DEVICE };
struct gt_plan_image { uint8_t *config; size_t config_bytes, metrics, passes; struct gt_text names; };
/* Counts by instruction: names as they are asked for, and (config) CUPTI's of each, with their zeros. 0, or -1. */
int gt_plan_source(const struct gt_cli *cli, const struct gt_sections *s, struct gt_plan_image *out,
	struct gt_err *err);
int gt_plan_image(const struct gt_cli *cli, const struct gt_sections *s, struct gt_host *host, const char *chip,
	enum gt_plan_of of, struct gt_plan_image *out, struct gt_err *err);

/* What samples of performance monitors take: an image for each run of the program; `out` has room for all classes. */
int gt_plan_pm(const struct gt_cli *cli, const struct gt_sections *s, struct gt_host *host, const char *chip,
	struct gt_plan_image *out, uint32_t *n, struct gt_err *err);

#endif
