/*
 * cli/stats/file.h - where `gputap stats` prints: standard output, or the file of -o
 *
 * A file is written beside its name, for its owner alone, and gets the name when it is whole; a link under that name is
 * replaced and not followed. What is no file (a terminal, a pipe with a reader) is written as it stands. "-" is
 * standard output.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_STATS_FILE_H
#define GPUTAP_CLI_STATS_FILE_H

#include <limits.h>
#include <stdio.h>

#include "common/error.h"
#include "common/options.h"

struct gt_stats_file {
	const char *path;               /* NULL: standard output */
	char temporary[PATH_MAX];       /* "": written as it stands */
	FILE *out;
};

/* 0, or -1 with *err. The environment's GPUTAP_OUTPUT is the trace's name and no file for reports. */
int gt_stats_file_open(struct gt_stats_file *f, const struct gt_options *o, struct gt_err *err);
/* rc: how the printing went; with -1 nothing is left. rc, or -1 with *err. */
int gt_stats_file_close(struct gt_stats_file *f, int rc, struct gt_err *err);

#endif
