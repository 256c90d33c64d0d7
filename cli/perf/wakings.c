/*
 * cli/perf/wakings.c - where the kernel's tracepoint sched_waking is, and what its events look like
 *
 * It is there for few (cli/perf/tracepoints.c); whoever lacks it is told why, once, where somebody asks (gputap info),
 * and loses nothing else.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/perf/internal.h"
#include "cli/perf/tracepoints.h"

const char *gt_perf_wakings_find(struct gt_perf_wakings *w)
{
	struct gt_perf_tracepoint t;
	const char *why = gt_perf_tracepoint_read(&t, "sched", "sched_waking");
	const struct gt_perf_field *pid = why ? NULL : gt_perf_tracepoint_field(&t, "pid");

	if (why)
		return why;
	*w = (struct gt_perf_wakings){ .id = t.id, .place = pid ? pid->offset : 0 };
	gt_perf_tracepoint_free(&t);
	return pid ? NULL : "sched_waking does not say here who is woken";
}
