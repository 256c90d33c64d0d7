/*
 * trace/read/live.c - whether what records a trace is still running
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plain/without.h"
#include "trace/read/facts.h"

unsigned long long gt_live_start(int pid)
{
	char path[64], line[1024] = "", state, *at;
	unsigned long long start;
	long threads;
	FILE *f;

	/* The first thread's, which has the same: user-mode emulators make up a process' own file. */
	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(line, sizeof line, f))
		line[0] = 0;
	fclose(f);
	at = strrchr(line, ')');        /* the name before it may hold anything */
	/* fields 3, 20 and 22: state, number of threads, start */
	if (!at || sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
			   &state, &threads, &start) != 3)
		return 0;
	/* The first thread may be gone while others go on. */
	return strchr("ZXx", state) && threads <= 1 ? 0 : start;
}

static bool same_boot(const char *boot)
{
	char mine[64] = "";
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

	if (f && !fgets(mine, sizeof mine, f))
		mine[0] = 0;
	if (f)
		fclose(f);
	mine[strcspn(mine, "\n")] = 0;
	return *mine && !strcmp(mine, boot);
}

static bool same_namespace(const char *name)
{
	char mine[64];
	ssize_t n = readlink("/proc/self/ns/pid", mine, sizeof mine - 1);

	mine[n > 0 ? n : 0] = 0;
	return !strcmp(mine, name);
}

static bool same_host(const char *name)
{
	char mine[256] = "";

	return !gethostname(mine, sizeof mine - 1) && !strcmp(mine, name);
}

bool gt_live_is_here(const struct gt_facts *f)
{
	const char *boot = gt_facts_find(f, "boot_id", 0);

	return boot && same_boot(boot) && !gc_without("still-running");
}

enum gt_live gt_live_process(const struct gt_facts *f, const char *pid, const char *start)
{
	const char *boot = gt_facts_find(f, "boot_id", 0), *ns = gt_facts_find(f, "ns_pid", 0),
		   *host = gt_facts_find(f, "host", 0);

	if (!pid || !start || !boot || !ns || gc_without("still-running"))
		return GT_LIVE_NO;
	if (!same_boot(boot))           /* this machine was started again, or it is another one */
		return host && same_host(host) ? GT_LIVE_NO : GT_LIVE_UNSEEN;
	if (!same_namespace(ns))
		return GT_LIVE_UNSEEN;
	return gt_live_start(atoi(pid)) == strtoull(start, NULL, 10) ? GT_LIVE_YES : GT_LIVE_NO;
}

enum gt_live gt_live_by_facts(const struct gt_facts *f, const char *pid_key, const char *start_key)
{
	return gt_live_process(f, gt_facts_find(f, pid_key, 0), gt_facts_find(f, start_key, 0));
}
