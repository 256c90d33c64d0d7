/*
 * cli/options.h - the list of options, and a command line read by it
 *
 * The list is trace/format/options.def.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_OPTIONS_H
#define GPUTAP_CLI_OPTIONS_H

#include <stdio.h>

#include "common/options.h"
#include "trace/format/options.h"

extern const struct gt_option_table gt_option_list;

/*
 * Defaults, environment, then argv[1..] up to the first word that is no option, or behind "--". *rest = index of that
 * word. 0, or -1 with *err (GT_EXIT_USAGE), or 1: --help was among the options.
 */
int gt_options_parse(struct gt_options *o, unsigned scope, int argc, char **argv, int *rest, struct gt_err *err);
void gt_options_help(FILE *out, unsigned scope);

#endif
