/*
 * cli/fail.c - the one place that prints an error
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "common/harmless.h"

int gt_cli_fail(const struct gt_err *err)
{
	fprintf(stderr, "gputap: %s\n", gt_harmless(err->what));
	if (err->why[0])
		fprintf(stderr, "  why: %s\n", gt_harmless(err->why));
	if (err->try[0])
		fprintf(stderr, "  try: %s\n", gt_harmless(err->try));
	return err->kind;
}

int gt_cli_usage(const struct gt_cli *cli, const char *what, ...)
{
	va_list args;

	char *text = NULL;

	va_start(args, what);
	if (vasprintf(&text, what, args) < 0)
		text = NULL;
	va_end(args);
	fprintf(stderr, "gputap: %s", gt_harmless(text ? text : "out of memory"));
	free(text);
	fprintf(stderr, "\n  try: gputap %s --help\n", cli->command);
	return GT_EXIT_USAGE;
}
