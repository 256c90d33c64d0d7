/*
 * cli/jobs.c - how many threads read a trace
 *
 * A container often sees all processors of its host and has a quota of time instead: threads beyond it only wait for
 * each other.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jobs.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

#define MOST 64u                          /* threads: beyond it the parts that are done in order decide */

static size_t read_text(const char *path, char *text, size_t room)
{
	FILE *in = fopen(path, "re");
	size_t n = in ? fread(text, 1, room - 1, in) : 0;

	if (in)
		fclose(in);
	text[n] = 0;
	return n;
}

/* Time per period, rounded up; 0 without a quota. */
static unsigned processors(long long quota, long long period)
{
	return quota > 0 && period > 0 ? (unsigned)((quota - 1) / period + 1) : 0;
}

/* v2: "max 100000" or "150000 100000" */
static unsigned quota_v2(const char *folder)
{
	char path[PATH_MAX], text[64];
	long long quota, period;

	if ((size_t)snprintf(path, sizeof path, "%s/cpu.max", folder) >= sizeof path ||
		!read_text(path, text, sizeof text) || sscanf(text, "%lld %lld", &quota, &period) != 2)
		return 0;
	return processors(quota, period);
}

/* v1: two files; -1 is no quota. */
static unsigned quota_v1(const char *folder)
{
	char path[PATH_MAX], quota[32], period[32];

	if ((size_t)snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder) >= sizeof path ||
		!read_text(path, quota, sizeof quota))
		return 0;
	if ((size_t)snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder) >= sizeof path ||
		!read_text(path, period, sizeof period))
		return 0;
	return processors(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

static unsigned lesser(unsigned a, unsigned b) { return !a || (b && b < a) ? b : a; }

/* The group and those around it, up to the hierarchy's root. A container's path may be one of its host's: then only the
 * root is there. */
static unsigned least_quota(const char *hierarchy, const char *group, unsigned (*quota)(const char *folder))
{
	char folder[PATH_MAX];
	size_t top = strlen(hierarchy);
	unsigned least = 0;
	char *slash;

	if ((size_t)snprintf(folder, sizeof folder, "%s%s", hierarchy, group) >= sizeof folder)
		return quota(hierarchy);
	do {
		least = lesser(least, quota(folder));
		slash = strrchr(folder + top, '/');
		if (slash)
			*slash = 0;
	} while (slash);
	return least;
}

/* Is "cpu" one of the names between commas? */
static bool has_cpu(const char *names)
{
	for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, "cpu", 3) && (at[3] == ',' || !at[3]))
			return true;
	return false;
}

/* "0::/user.slice/x" is v2's group, "4:cpu,cpuacct:/x" one of v1. */
unsigned gt_jobs_quota(const char *root, const char *memberships)
{
	unsigned least = 0;

	for (const char *line = memberships; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		char names[256], group[PATH_MAX] = "", hierarchy[PATH_MAX];

		if (!strncmp(line, "0::", 3)) {
			sscanf(line + 3, "%4095[^\n]", group);
			least = lesser(least, least_quota(root, group, quota_v2));
		} else if (sscanf(line, "%*d:%255[^:\n]:%4095[^\n]", names, group) == 2 && has_cpu(names) &&
			(size_t)snprintf(hierarchy, sizeof hierarchy, "%s/%s", root, names) < sizeof hierarchy) {
			least = lesser(least, least_quota(hierarchy, group, quota_v1));
		}
	}
	return least;
}

/* A mask is as large as the kernel's, which may know more processors than cpu_set_t has room for. */
static unsigned affinity(void)
{
	for (int n = 1024; n <= 1 << 20; n *= 4) {
		cpu_set_t *set = CPU_ALLOC((size_t)n);
		int found = set && !sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)n), set)
			? CPU_COUNT_S(CPU_ALLOC_SIZE((size_t)n), set)
			: 0;

		CPU_FREE(set);
		if (found > 0)
			return (unsigned)found;
	}
	return 1;
}

unsigned gt_jobs(const struct gt_options *o)
{
	unsigned long long asked = strtoull(gt_option(o, "jobs"), NULL, 10);
	char memberships[8192];
	unsigned n;

	if (asked)
		return asked < MOST ? (unsigned)asked : MOST;
	read_text("/proc/self/cgroup", memberships, sizeof memberships);
	n = lesser(affinity(), gt_jobs_quota("/sys/fs/cgroup", memberships));
	return n < MOST ? n : MOST;
}
