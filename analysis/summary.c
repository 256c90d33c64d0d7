/*
 * analysis/summary.c - the short answer at the end of a run
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/summary.h"

#include "analysis/reports/report.h"

int gt_summary_print(struct gt_model *model, const char *format, FILE *out, struct gt_err *err)
{
	struct gt_report_request reports[GT_REPORT_SUMMARY];
	struct gt_report_run run = { .model = model,
		.reports = reports,
		.out = out,
		.skip_empty = true,
		.from_ns = GT_NO_TIME,
		.to_ns = GT_NO_TIME };

	if (!gt_table_format_of(format, &run.format))
		return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap run --help", "unknown summary format '%s'", format);
	run.most = run.format == GT_TABLE_TEXT ? 15 : 0;        /* programs get all rows */
	for (; run.n_reports < GT_REPORT_SUMMARY; run.n_reports++)
		if (gt_report_parse(gt_report_default(run.n_reports), &reports[run.n_reports], err))
			return -1;
	return gt_reports_run(&run, err);
}

bool gt_summary_stand_in(struct gt_model *model)
{
	struct gt_err err;
	struct gt_cuda *c = gt_model_cuda(model, &err);

	for (uint32_t i = 0; c && i < gt_cuda_device_count(c); i++)
		if (gt_cuda_device(c, i)->stand_in)
			return true;
	return false;
}
