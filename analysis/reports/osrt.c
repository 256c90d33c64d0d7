/*
 * analysis/reports/osrt.c - calls of the C library by name: where the host waited
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sum.h"

static int each_call(struct gt_sum *s, const struct gt_call *call)
{
	return gt_sum_add_fixed(s, call->end_ns - call->start_ns, call->fn->name, "");
}

const struct gt_report gt_reports_osrt[] = {
	{ .name = "osrt_sum",
		.title = "OS Runtime Summary",
		.headings = GT_TIMES("Num Calls") "Name<",
		.recorded_by = "-t osrt",
		.domain = REC_DOMAIN_OSRT,
		.begin = gt_sum_begin,
		.call = gt_sum_call,
		.join = gt_sum_join,
		.end = gt_sum_end,
		.detail = &(const struct gt_sum_detail){ .call = each_call, .texts = 1 } },
	{ 0 },
};
