/*
 * analysis/timeline_feed.c - tell the timeline to the reports that want it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/reports/report.h"
#include "model/timeline.h"

int gt_reports_feed_timeline(const struct gt_report_run *run, const struct gt_report_request *reports, void **states,
	unsigned n, struct gt_err *err)
{
	const struct gt_timeline_options options = { .process = -1,
		.from_ns = run->from_ns,
		.to_ns = run->to_ns,
		.progress = run->progress,
		.ctx = run->ctx };
	const struct gt_item *item;
	struct gt_timeline *t;
	int more, rc = 0;

	if (gt_timeline_open(run->model, &options, &t, err))
		return -1;
	while (!rc && (more = gt_timeline_next(t, &item, err)) == 1)
		for (unsigned i = 0; i < n && !rc; i++)
			if (reports[i].report->item && reports[i].report->item(states[i], t, item))
				rc = gt_fail(err, GT_EXIT_MISSING, "a temporary file could not be made either", NULL,
					"no memory for %s", reports[i].report->name);
	gt_timeline_close(t);
	return rc || more < 0 ? -1 : 0;
}
