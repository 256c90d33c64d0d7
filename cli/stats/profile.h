/*
 * cli/stats/profile.h - gputap stats of a profile in callgrind's format
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_STATS_PROFILE_H
#define GPUTAP_CLI_STATS_PROFILE_H

#include "analysis/table.h"
#include "cli/cli.h"
#include "cli/printout.h"

/* Is it a file in callgrind's format, and no trace? */
bool gt_stats_is_profile(const char *path);
/* The exit status. */
int gt_stats_profile(struct gt_cli *cli, const char *path, enum gt_table_format format);
void gt_stats_profile_help(FILE *out);
/*
 * stats.c: the file of -o. The environment's GPUTAP_OUTPUT is the trace's name and no file for reports. 0, or -1 with
 * *err.
 */
int gt_stats_open(struct gt_printout *to, const struct gt_options *o, struct gt_err *err);

#endif
