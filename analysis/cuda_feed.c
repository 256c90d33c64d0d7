/*
 * analysis/cuda_feed.c - tell CUDA activities to the reports, several kinds merged in order of start
 *
 * What belongs to a window is WINDOW1's; what has neither times nor a call is told only when there is no window.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/reports/report.h"

#include "model/window.h"

struct feed {
	uint64_t next, count;
	struct gt_cuda_event event;     /* the one before `next` */
	bool has;
};

/* The next activity of one kind that belongs to the window. */
static int advance(
	const struct gt_report_run *run, struct gt_cuda *c, enum gt_cuda_kind kind, struct feed *f, struct gt_err *err)
{
	f->has = false;
	while (f->next < f->count) {
		if (gt_cuda_get(c, kind, f->next++, &f->event, err))
			return -1;
		if (gt_cuda_inside(c, &f->event, run->from_ns, run->to_ns)) {
			f->has = true;
			break;
		}
		if (run->to_ns != GT_NO_TIME && f->event.start_ns > run->to_ns && !gt_cuda_may_follow(&f->event))
			f->next = f->count;     /* in order of start: the rest is later still */
	}
	return 0;
}

static int tell(const struct gt_report_request *reports, void **states, struct gt_table **tables, unsigned n,
	const struct gt_cuda_event *e, enum gt_cuda_kind kind, struct gt_err *err)
{
	for (unsigned i = 0; i < n; i++)
		if (reports[i].report->kinds & 1u << kind && reports[i].report->cuda(states[i], e, tables[i]))
			return gt_fail(err, GT_EXIT_MISSING, "a temporary file could not be made either", NULL,
				"no memory for %s", reports[i].report->name);
	return 0;
}

int gt_reports_feed_cuda(const struct gt_report_run *run, const struct gt_report_request *reports, void **states,
	struct gt_table **tables, unsigned n, struct gt_err *err)
{
	struct gt_cuda *c = gt_model_cuda(run->model, err);
	struct feed feeds[GT_CUDA_KINDS];
	enum gt_cuda_kind wanted[GT_CUDA_KINDS];
	uint64_t total = 0, done = 0;
	uint32_t kinds = 0;
	unsigned n_wanted = 0;

	if (!c)
		return -1;
	for (unsigned i = 0; i < n; i++)
		kinds |= reports[i].report->kinds;
	for (unsigned k = 0; k < GT_CUDA_KINDS; k++) {
		if (!(kinds & 1u << k) || !gt_cuda_count(c, k))
			continue;
		feeds[k].next = 0;
		feeds[k].count = gt_cuda_count(c, k);
		total += feeds[k].count;
		wanted[n_wanted++] = k;
		if (advance(run, c, k, &feeds[k], err))
			return -1;
	}
	for (;;) {
		int first = -1;

		for (unsigned i = 0; i < n_wanted; i++)
			if (feeds[wanted[i]].has &&
				(first < 0 || feeds[wanted[i]].event.start_ns < feeds[first].event.start_ns))
				first = (int)wanted[i];
		if (first < 0)
			return 0;
		if (tell(reports, states, tables, n, &feeds[first].event, (enum gt_cuda_kind)first, err) ||
		    advance(run, c, (enum gt_cuda_kind)first, &feeds[first], err))
			return -1;
		if (!(++done & 0xffff) && run->progress && !run->progress(run->ctx, (double)done / (double)total))
			return 0;
	}
}
