/*
 * trace/read/live.c - whether what records a trace is still running
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/live.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/error.h"
#include "common/plain/without.h"
#include "trace/read/facts.h"
#include "trace/read/store.h"

#define META_LIMIT (16u << 20)            /* bytes of a text file */

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

/* Whether these bytes stand in the environment that a process was started with. A zombie has none. */
static bool was_started_with(int pid, const char *text, size_t bytes)
{
	char path[64], piece[8192];
	size_t have = 0;
	ssize_t n;
	bool found = false;

	snprintf(path, sizeof path, "/proc/%d/environ", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && !found && (n = read(fd, piece + have, sizeof piece - have)) > 0) {
		have += (size_t)n;
		found = memmem(piece, have, text, bytes) != NULL;
		if (have > bytes) {             /* the end of this piece may begin it */
			memmove(piece, piece + have - bytes, bytes);
			have = bytes;
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

int gt_live_in_run(const char *run_id)
{
	char text[64];
	size_t bytes = (size_t)snprintf(text, sizeof text, "GPUTAP_RUN_ID=%.16s", run_id) + 1;
	DIR *dir = opendir("/proc");
	int pid = 0;

	for (struct dirent *e; dir && !pid && (e = readdir(dir));) {
		int one = atoi(e->d_name);

		if (one > 0 && one != getpid() && was_started_with(one, text, bytes))
			pid = one;
	}
	if (dir)
		closedir(dir);
	return pid;
}

static int writer_of(struct gt_store *s, uint32_t file, const char *pid_key, const char *start_key)
{
	struct gt_err ignored = { 0 };
	struct gt_facts facts = { 0 };
	size_t bytes;
	char *text;
	int pid = 0;

	if (gt_store_slurp(s, file, META_LIMIT, &text, &bytes, &ignored) || gt_facts_parse(text, bytes, &facts))
		return 0;
	if (gt_live_by_facts(&facts, pid_key, start_key) == GT_LIVE_YES)
		pid = atoi(gt_facts_find(&facts, pid_key, 0));
	gt_facts_free(&facts);
	return pid;
}

int gt_live_writer_but(const char *trace, int but)
{
	struct gt_err ignored = { 0 };
	struct gt_store_name name;
	struct gt_store *s;
	int pid = 0;

	if (gt_store_open(trace, &s, &ignored))
		return 0;
	for (size_t i = 0; i < s->n_files && !pid; i++) {
		if (!strcmp(s->files[i].name, "run"))
			pid = writer_of(s, (uint32_t)i, "launcher_pid", "launcher_start");
		else if (gt_store_name_parse(s->files[i].name, &name) && name.in_image && !name.is_stream)
			pid = writer_of(s, (uint32_t)i, "pid", "start_time");
		pid = pid == but ? 0 : pid;
	}
	gt_store_close(s);
	return pid;
}
