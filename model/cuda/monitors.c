/*
 * model/cuda/monitors.c - when a launch ran whose performance monitors were sampled
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/cuda/internal.h"
#include "trace/format/pm_samples.h"

enum { WORK_MOST = 256 };                 /* of a graph */

/* From the first piece of work to the end of the last. */
static bool span_of(struct gt_cuda *c, uint32_t process, uint32_t correlation, int64_t *start, int64_t *end)
{
	struct gt_cuda_place all[WORK_MOST];
	uint32_t n = gt_cuda_work_of(c, process, correlation, GT_NO_TIME, all, WORK_MOST);
	bool found = false;

	for (uint32_t i = 0; i < n && i < WORK_MOST; i++) {
		int64_t from, to;

		if (!gt_cuda_span(c, all[i].kind, all[i].index, &from, &to) || from == GT_NO_TIME ||
			to == GT_NO_TIME)
			continue;
		*start = found && *start < from ? *start : from;
		*end = found && *end > to ? *end : to;
		found = true;
	}
	return found;
}

/*
 * What CUPTI's clock showed at a moment of the session's. They go nearly at one pace, so each step leaves a small part
 * of what the one before was off; the first one, from where sampling began, may leave many nanoseconds.
 */
static uint64_t clock_at(struct gt_cuda *c, uint32_t process, uint64_t began_ns, int64_t at)
{
	enum { STEPS = 4 };
	uint64_t clock = began_ns;

	for (int i = 0; i < STEPS; i++) {
		int64_t then = gt_cuda_ns(c, process, clock);

		if (then == GT_NO_TIME)
			break;
		clock += (uint64_t)(at - then);
	}
	return clock;
}

bool gt_cuda_sampled_span(struct gt_cuda *c, const struct gt_counters *of, const struct rec_pm *samples, bool own_run,
	uint64_t *begin_ns, uint64_t *end_ns)
{
	int64_t start, end;

	*begin_ns = samples->kernel_begin_ns;
	*end_ns = samples->kernel_end_ns;
	if (!own_run || *begin_ns)
		return *begin_ns;
	if (gt_cuda_ns(c, of->process, samples->begin_ns) == GT_NO_TIME ||
		!span_of(c, of->process, of->correlation, &start, &end))
		return false;
	*begin_ns = clock_at(c, of->process, samples->begin_ns, start);
	*end_ns = clock_at(c, of->process, samples->begin_ns, end);
	return true;
}

int64_t gt_cuda_sample_ns(
	struct gt_cuda *c, const struct gt_counters *of, const struct rec_pm *samples, bool own_run, uint64_t at_ns)
{
	int64_t start, end;

	if (own_run)
		return gt_cuda_ns(c, of->process, at_ns);
	if (!samples->kernel_begin_ns || !span_of(c, of->process, of->correlation, &start, &end))
		return GT_NO_TIME;
	return start + (int64_t)(at_ns - samples->kernel_begin_ns);
}
