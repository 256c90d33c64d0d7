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
#include "cli/run/signals.h"
#include "cli/version.h"
#include "common/nearest.h"
#include "common/written.h"

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

static int unknown(const char *name)
{
	struct gt_nearest near = { .said = { name, strlen(name) } };

	for (unsigned i = 0; i < COMMANDS; i++)
		gt_nearest_offer_text(&near, commands[i].name);
	fprintf(stderr, "gputap: unknown command '%s'\n  try: gputap %s\n", gt_harmless(name),
		near.best.at ? near.best.at : "--help");
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

static int run_command(int argc, char **argv, bool *prints)
{
	struct gt_cli cli = { 0 };
	struct gt_err err = { 0 };
	const struct command *c = NULL;
	int rest, status;

	*prints = true;
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
	status = gt_options_parse(&cli.options, c->scope, argc - 1, argv + 1, &rest, &err);
	if (status > 0) {
		command_help(c);
		return GT_EXIT_OK;
	}
	if (status) {
		snprintf(err.try, sizeof err.try, "gputap %s --help", c->name);
		gt_cli_fail(&err);
		/* `run` fails as env(1) does: other values are the program's */
		return c->run == gt_cmd_run ? 125 : (int)err.kind;
	}
	cli.n_args = argc - 1 - rest;
	cli.args = argv + 1 + rest;
	if (c->run != gt_cmd_run && cli.n_args)
		cli.args[0] = trace_of(cli.args[0]);
	*prints = c->run != gt_cmd_run;         /* the program does */
	status = c->run(&cli);
	gt_options_free(&cli.options);
	return status;
}

/* What was printed has to arrive: a full disk, or a file that may not grow, would cut it without a word. */
int main(int argc, char **argv)
{
	struct gt_err err;
	bool prints;
	int status;

	gt_signals_begin();
	status = run_command(argc, argv, &prints);
	return !status && prints && gt_written(stdout, "standard output", &err) ? gt_cli_fail(&err) : status;
}
