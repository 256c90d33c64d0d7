/*
 * cli/run/pack.c - gputap run --pack: the trace becomes one file, unless somebody still writes to it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "common/harmless.h"
#include "common/plain/without.h"
#include "common/temporary.h"
#include "trace/read/holders.h"
#include "trace/read/pack.h"

/* By its run's id, and by what has recorded there: the folder has another name by then. */
static bool is_held(const char *run_id, const char *trace)
{
	struct gt_holders all;

	gt_holders_of_run(run_id, &all);
	gt_holders_add_writers(trace, &all);
	return all.n;
}

/* Whether a child that the program left behind came to the trace since then, or may: no pack may replace that. */
static bool has_come(const struct gt_run *run, const struct stat *before, const char *trace)
{
	struct stat now;

	if (gc_without("packed-beside"))
		return false;
	return stat(trace, &now) || now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != before->st_mtim.tv_nsec || is_held(run->run_id, trace);
}

/*
 * Both names at one moment: a child that makes its first call meanwhile finds the trace or its packed form, and never a
 * name that is free for a trace of its own. Not every file system can do that (NFS cannot).
 */
static bool exchange(const char *a, const char *b)
{
	enum { EXCHANGE = 1 << 1 };     /* RENAME_EXCHANGE, which older headers lack as they do the function */

	return !gc_without("packed-at-once") && !syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, EXCHANGE);
}

/* As it was; under another name where a child has made a trace of its own in its place. */
static int put_back(const struct gt_run *run, const char *aside, struct gt_err *err)
{
	char name[PATH_MAX + 32];

	if (!rename(aside, run->trace))
		return gt_fail(err, GT_EXIT_OUTPUT, "a process that the program left behind went on recording", NULL,
			"%s is not packed", run->trace);
	for (unsigned n = 2; n < 1000; n++) {
		snprintf(name, sizeof name, "%s-%u.gputap", run->name, n);
		if (access(name, F_OK) && !rename(aside, name))
			return gt_fail(err, GT_EXIT_OUTPUT,
				"a process that the program left behind has made a trace of its own in its place", NULL,
				"the trace of %s is in %s, not packed", run->command[0], name);
	}
	return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s could not be put back from %s", run->trace,
		aside);
}

/* Where names cannot be exchanged: aside, where nobody finds it any more, and then the packed form in its place. */
static int replace_in_turn(const struct gt_run *run, const struct stat *before, const char *packed, struct gt_err *err)
{
	char aside[PATH_MAX + GT_TEMPORARY_MORE];

	if (!gt_temporary_name(run->trace, aside, sizeof aside) || rename(run->trace, aside)) {
		unlink(packed);
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be replaced by its packed form",
			run->trace);
	}
	if (!has_come(run, before, aside) && !rename(packed, run->trace))
		return gt_run_remove_trace(aside, err);
	unlink(packed);
	return put_back(run, aside, err);
}

/* Who came to the trace before it was out of the way is seen then, and it takes its place again. */
static int replace(const struct gt_run *run, const struct stat *before, const char *packed, struct gt_err *err)
{
	if (!exchange(packed, run->trace))
		return replace_in_turn(run, before, packed, err);
	if (!has_come(run, before, packed))
		return gt_run_remove_trace(packed, err);
	if (!exchange(packed, run->trace))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL,
			"%s lacks what a process that the program left behind records: that is in %s", run->trace,
			packed);
	unlink(packed);
	return gt_fail(err, GT_EXIT_OUTPUT, "a process that the program left behind went on recording", NULL,
		"%s is not packed", run->trace);
}

int gt_run_pack(const struct gt_run *run, struct gt_err *err)
{
	struct stat before;
	char temporary[PATH_MAX + GT_TEMPORARY_MORE], text[512];
	struct gt_holders all;

	gt_run_holders(run, &all);
	if (stat(run->trace, &before) || all.n)
		return gt_fail(err, GT_EXIT_OUTPUT, "processes that the program left behind are still there",
			"--wait=all, which packs when they have ended", "%s is not packed: process %s", run->trace,
			gt_harmless(gt_holders_text(&all, text, sizeof text)));
	if (!gt_temporary_name(run->trace, temporary, sizeof temporary))
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: its packed form would have no name of its own",
			run->trace);
	gt_interrupt_file(temporary);
	if (gt_pack(run->trace, temporary, err))
		return -1;
	gt_interrupt_file(NULL);
	return replace(run, &before, temporary, err);
}
