/*
 * analysis/metrics/domains.h - plans whose counters are collected in domains of the hardware that the user names
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_DOMAINS_H
#define GPUTAP_ANALYSIS_METRICS_DOMAINS_H

#include "analysis/metrics/host.h"

/* domains: names with commas between them, the first that can wins; NULL: the library chooses. */
struct gt_host_wish { const char *name, *domains; char why[160]; };
struct gt_host_image { uint8_t *data; size_t bytes, passes; };

/*
 * The image that collects all of them, as gt_host_image makes it, and within the domains that are wished for. Where one
 * cannot be had the library chooses, and `why` of that metric says so. data is to be freed.
 */
int gt_host_image_in_domains(struct gt_host *h, const char *chip, enum gt_host_use use, struct gt_host_wish *list,
	size_t n, struct gt_host_image *out, struct gt_err *err);

#endif
