/*
 * cli/metrics/pm_plan.h - which metrics of PM sampling are sampled together: each image is one run of the program
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_METRICS_PM_PLAN_H
#define GPUTAP_CLI_METRICS_PM_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/metrics/domains.h"
#include "common/text.h"

#define GT_PM_NO_IMAGE UINT32_MAX

/*
 * wish: the name as the host library knows it, its domains; group: "" none. Filled in: the image, or GT_PM_NO_IMAGE for
 * one that takes several passes alone, and how many, or that the library refuses alone: what it said. why of the wish.
 */
struct gt_pm_metric {
	struct gt_host_wish wish; struct gt_string group; uint32_t image; uint64_t passes, bytes;
	char refused[160];
};

/*
 * A group is kept together where one pass is enough for it, else its metrics come apart; what still fits joins the
 * image before, unless domains are wished for, which others could spoil. `images` has room for n; how many there are,
 * or -1 with *err. The caller frees their data.
 */
int64_t gt_pm_plan(struct gt_host *host, const char *chip, struct gt_pm_metric *all, size_t n,
	struct gt_host_image *images, struct gt_err *err);

#endif
