/*
 * cli/wait.c - gputap wait: until nothing writes to a trace any more or may come to, and a conversion that a program
 * started at its own exit (GPUTAP_EXPORT without gputap run) has ended
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/harmless.h"
#include "common/trusted.h"
#include "trace/read/holders.h"

enum { LOG_MOST = 1 << 24 };            /* bytes of export.log */

static void until_nobody_holds(const char *trace)
{
	struct gt_holders all;

	for (gt_holders_of_trace(trace, &all); all.n; gt_holders_of_trace(trace, &all))
		gt_holders_await(&all);
}

/* The converter holds the lock from before the program's end until its files are there. */
static void until_converted(const char *trace)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof path, "%s/export.lock", trace) >= sizeof path)
		return;
	struct stat st;
	int fd = gt_open_regular(path, UINT64_MAX, &st);

	if (fd < 0)
		return;                 /* no conversion, or a packed trace */
	while (flock(fd, LOCK_SH) && errno == EINTR)
		;
	close(fd);
}

/* What the converter had to say, notes apart, is its failure: it is started with -q. */
static int told(const char *trace)
{
	char path[PATH_MAX], line[1024];
	bool any = false, begins = true;        /* a failure; a line, and not the rest of one */
	struct stat st;
	FILE *f = NULL;
	int fd = -1;

	if ((size_t)snprintf(path, sizeof path, "%s/export.log", trace) < sizeof path)
		fd = gt_open_regular(path, LOG_MOST, &st);
	if (fd >= 0 && !(f = fdopen(fd, "r")))
		close(fd);
	while (f && fgets(line, sizeof line, f)) {
		size_t n = strcspn(line, "\n");
		bool ends = line[n];

		line[n] = 0;
		fprintf(stderr, "%s%s", gt_harmless(line), ends ? "\n" : "");
		any |= begins && strncmp(line, GT_CLI_NOTE, sizeof GT_CLI_NOTE - 1) != 0;
		begins = ends;
	}
	if (f)
		fclose(f);
	return any ? GT_EXIT_OUTPUT : GT_EXIT_OK;
}

int gt_cmd_wait(struct gt_cli *cli)
{
	struct gt_err err = { 0 };
	struct stat st;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "wait takes one trace" : "which trace?");
	if (stat(cli->args[0], &st)) {
		gt_fail(&err, GT_EXIT_INPUT, strerror(errno), NULL, "%s: cannot be opened", cli->args[0]);
		return gt_cli_fail(&err);
	}
	until_nobody_holds(cli->args[0]);
	until_converted(cli->args[0]);
	gt_cli_close_door(cli->args[0]);
	return told(cli->args[0]);
}
