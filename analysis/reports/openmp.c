/*
 * analysis/reports/openmp.c - OpenMP regions by name and kind
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "analysis/sum.h"

/* "sync_region (barrier_implicit)": what a kind tells is what one looks for. Moments have no time to add. */
static int each_region(struct gt_sum *s, const struct gt_call *call)
{
	struct gt_arg a;
	char name[96];
	const char *fn = call->fn->name, *kind = NULL;
	bool libgomp = *fn == 'g';
	const char *plain = strncmp(fn + libgomp, "omp_", 4) ? fn : fn + libgomp + 4;

	if (strcmp(call->fn->kind, "region") != 0)
		return 0;
	if (call->fn->n_params && call->fn->params[0].symbols && gt_call_arg(call, 0, &a))
		kind = gt_enum_name(a.param->symbols, (int64_t)a.value);
	snprintf(name, sizeof name, "%s%s%s%s%s", libgomp ? "libgomp: " : "", plain, kind ? " (" : "", kind ? kind : "",
		kind ? ")" : "");
	return gt_sum_add(s, call->end_ns - call->start_ns, name, "", "");
}

const struct gt_report gt_reports_openmp[] = {
	{ .name = "openmp_sum",
		.title = "OpenMP Summary",
		.headings = GT_TIMES("Count") "Name<",
		.recorded_by = "-t openmp",
		.domain = REC_DOMAIN_OPENMP,
		.begin = gt_sum_begin,
		.call = gt_sum_call,
		.join = gt_sum_join,
		.end = gt_sum_end,
		.detail = &(const struct gt_sum_detail){ .call = each_region, .texts = 1 } },
	{ 0 },
};
