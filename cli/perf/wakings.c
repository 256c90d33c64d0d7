/*
 * cli/perf/wakings.c - where the kernel's tracepoint sched_waking is, and what its events look like
 *
 * The number of a tracepoint stands in the kernel's tracefs, which root alone may read, and asks for CAP_PERFMON. So
 * it is there for few; whoever lacks it is told why, once, where somebody asks (gputap info), and loses nothing else.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/perf/internal.h"

static bool read_number(const char *folder, uint64_t *id)
{
	char path[128];
	unsigned long long n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/events/sched/sched_waking/id", folder);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%llu", &n) != 1)
		n = 0;
	fclose(f);
	*id = n;
	return n;
}

/* "field:pid_t pid;	offset:24;" */
static bool read_place(const char *folder, unsigned *place)
{
	char path[128], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof path, "%s/events/sched/sched_waking/format", folder);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, " pid;") && strstr(line, "offset:") &&
			sscanf(strstr(line, "offset:"), "offset:%u", place) == 1;
	if (f)
		fclose(f);
	return found;
}

const char *gt_perf_wakings_find(struct gt_perf_wakings *w)
{
	static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
		if (read_number(folders[i], &w->id) && read_place(folders[i], &w->place))
			return NULL;
	if (!access("/sys/kernel/tracing/README", F_OK) || errno == EACCES)
		return "this user may not read the kernel's tracefs (/sys/kernel/tracing)";
	return "the kernel's tracefs is not mounted at /sys/kernel/tracing";
}
