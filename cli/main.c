/*
 * cli/main.c - gputap: choose the subcommand
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/harmless.h"
#include "cli/cli.h"
#include "cli/version.h"

static const struct command {
	const char *name;
	unsigned scope;
	const char *args, *help;
	int (*run)(struct gt_cli *cli);
} commands[] = {
#define X(name, scope, args, help) { #name, scope, args, help, gt_cmd_##name },
	GT_COMMANDS(X)
#undef X
};
#define COMMANDS (sizeof commands / sizeof *commands)

static void help(FILE *out)
{
	fprintf(out,
		"Usage: gputap COMMAND ...\n\nTraces GPU programs and turns the trace into files that other tools "
	        "read.\n\nCommands:\n");
	for (unsigned i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].help);
	fprintf(out, "\n'gputap help COMMAND' and 'gputap COMMAND --help' list a command's options. ");
	fprintf(out, "'gputap --version' prints the version.\n");
}

static void command_help(const struct command *c)
{
	printf("Usage: gputap %s %s\n\n%s\n", c->name, c->args, c->help);
	if (strstr(c->args, "[OPTION]"))
		printf("\nOptions, with environment name and default in brackets.\n");
	gt_options_help(stdout, c->scope);
	if (c->run == gt_cmd_stats)
		gt_stats_help(stdout);
	if (c->run == gt_cmd_run)
		gt_run_help(stdout);
}

static const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* Fewest single-letter edits between two short words: for "did you mean". */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[32], n = (unsigned)strlen(b);

	if (n >= 31)
		return 99;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned before = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			unsigned change = before + (a[i - 1] != b[j - 1]),
				 least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

			before = row[j];
			row[j] = change < least ? change : least;
		}
	}
	return row[n];
}

static int unknown(const char *name)
{
	const struct command *near = &commands[0];

	for (unsigned i = 1; i < COMMANDS; i++)
		if (distance(name, commands[i].name) < distance(name, near->name))
			near = &commands[i];
	fprintf(stderr, "gputap: unknown command '%s'\n  try: gputap %s\n", gt_harmless(name),
		distance(name, near->name) <= 2 ? near->name : "--help");
	return GT_EXIT_USAGE;
}

/* Options of the command itself only: what stands behind the name of the program that `run` starts is the program's. */
static bool wants_help(const struct command *c, int argc, char **argv)
{
	for (int i = 2; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
		if (argv[i][0] != '-' && c->run == gt_cmd_run)
			return false;
	}
	return false;
}

/* "run1" for "run1.gputap", as -o takes it: a program may stand beside its trace under the shorter name. */
static char *trace_of(char *said)
{
	static char whole[PATH_MAX];
	size_t n = strlen(said);

	if ((n > 7 && !strcmp(said + n - 7, ".gputap")) ||
		(size_t)snprintf(whole, sizeof whole, "%s.gputap", said) >= sizeof whole || access(whole, F_OK))
		return said;
	return whole;
}

int main(int argc, char **argv)
{
	struct gt_cli cli = { 0 };
	struct gt_err err = { 0 };
	const struct command *c = NULL;
	int rest, status;

	if (argc > 2 && !strcmp(argv[1], "help")) {
		c = find_command(argv[2]);
		if (!c)
			return unknown(argv[2]);
		command_help(c);
		return GT_EXIT_OK;
	}
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help(argc < 2 ? stderr : stdout);
		return argc < 2 ? GT_EXIT_USAGE : GT_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("gputap %s\n", GPUTAP_VERSION);
		return GT_EXIT_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return unknown(argv[1]);
	if (wants_help(c, argc, argv)) {
		command_help(c);
		return GT_EXIT_OK;
	}
	cli.command = c->name;
	if (gt_options_parse(&cli.options, c->scope, argc - 1, argv + 1, &rest, &err)) {
		snprintf(err.try, sizeof err.try, "gputap %s --help", c->name);
		gt_cli_fail(&err);
		/* `run` fails as env(1) does: other values are the program's */
		return c->run == gt_cmd_run ? 125 : (int)err.kind;
	}
	cli.n_args = argc - 1 - rest;
	cli.args = argv + 1 + rest;
	if (c->run != gt_cmd_run && cli.n_args)
		cli.args[0] = trace_of(cli.args[0]);
	status = c->run(&cli);
	gt_options_free(&cli.options);
	return status;
}
