/*
 * cli/printout.h - where reports are printed: standard output, or a file that an option names
 *
 * A file is written beside its name, for its owner alone, and gets the name when it is whole; a link under that name is
 * replaced and not followed. A file that is there already is replaced with -f alone, as those of all commands
 * (docs/errors.md). What is no file (a terminal, a pipe with a reader) is written as it stands. "-" is standard output.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PRINTOUT_H
#define GPUTAP_CLI_PRINTOUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"

struct gt_printout {
	const char *path;               /* NULL: standard output */
	bool replace;
	char temporary[PATH_MAX];       /* "": written as it stands */
	FILE *out;
};

/* Whether the name may be taken: it is free, no file, or to be replaced. 0, or -1 with *err. */
int gt_printout_check(const char *path, bool replace, struct gt_err *err);
/* path: NULL or "-": standard output. 0, or -1 with *err. */
int gt_printout_open(struct gt_printout *f, const char *path, bool replace, struct gt_err *err);
/* rc: how the printing went; with -1 nothing is left. rc, or -1 with *err. */
int gt_printout_close(struct gt_printout *f, int rc, struct gt_err *err);

#endif
