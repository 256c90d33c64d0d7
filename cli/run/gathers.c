/*
 * cli/run/gathers.c - TRACE/run says what the launcher gathers beside the program, and when each of it is whole
 *
 * A launcher that is killed leaves the first line of the two, and readers count what it names as lost
 * (trace/read/gathered.c). The lines stand before the program starts.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/perf/perf.h"
#include "cli/run/run.h"
#include "trace/read/live.h"

static const char *const of_perf[] = { "samples", "switches", "tracepoints" };

void gt_run_gathers(const struct gt_run *run, const char *word, pid_t by)
{
	char line[96];

	snprintf(line, sizeof line, "%s %d %llu", word, (int)by, gt_live_start(by));
	gt_run_log(run, "gathers", line);
}

void gt_run_gathered(const struct gt_run *run, const char *word) { gt_run_log(run, "gathered", word); }

void gt_run_gathered_by_perf(const struct gt_run *run, unsigned kinds)
{
	for (unsigned i = 0; i < sizeof of_perf / sizeof *of_perf; i++)
		if (kinds >> i & 1)
			gt_run_gathered(run, of_perf[i]);
}

void gt_run_log_gathers(const struct gt_run *run)
{
	unsigned kinds = gt_perf_kinds(run->perf);

	for (unsigned i = 0; i < sizeof of_perf / sizeof *of_perf; i++)
		if (kinds >> i & 1)
			gt_run_gathers(run, of_perf[i], getpid());
	if (gt_run_is_again(run))
		gt_run_gathers(run, "reruns", getpid());
	if (gt_option_true(run->options, "measure-peak"))
		gt_run_gathers(run, "peaks", getpid());
}
