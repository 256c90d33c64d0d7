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

/* Is it a file in callgrind's format, and no trace? */
bool gt_stats_is_profile(const char *path);
/* The exit status. */
int gt_stats_profile(struct gt_cli *cli, const char *path, enum gt_table_format format);
void gt_stats_profile_help(FILE *out);

#endif
