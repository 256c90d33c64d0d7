/*
 * cli/fail.c - the one place that prints an error
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>
#include <stdio.h>

#include "cli/cli.h"

int gt_cli_fail(const struct gt_err *err)
{
	fprintf(stderr, "gputap: %s\n", err->what);
	if (err->why[0])
		fprintf(stderr, "  why: %s\n", err->why);
	if (err->try[0])
		fprintf(stderr, "  try: %s\n", err->try);
	return err->kind;
}

int gt_cli_usage(const struct gt_cli *cli, const char *what, ...)
{
	va_list args;

	fprintf(stderr, "gputap: ");
	va_start(args, what);
	vfprintf(stderr, what, args);
	va_end(args);
	fprintf(stderr, "\n  try: gputap %s --help\n", cli->command);
	return GT_EXIT_USAGE;
}
