/*
 * cli/cli.h - what every subcommand gets, and the registry of subcommands
 *
 * A subcommand is one file with one `int gt_cmd_NAME(struct gt_cli *)` and one line in GT_COMMANDS. It returns its exit
 * status (enum gt_exit) and reports failures through gt_cli_fail; nobody else prints errors or exits.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_CLI_H
#define GPUTAP_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/options.h"
#include "common/error.h"

struct gt_cli {
	const char *command;            /* "export" */
	struct gt_options options;      /* resolved: command line, then environment, then default */
	int n_args;                     /* what is left: the trace, or the program and its arguments */
	char **args;                    /* NULL terminated */
};

/* scope letters as in trace/format/options.def */
#define GT_COMMANDS(X) \
	X(run, REC_SCOPE_R, "[OPTION]... [--] COMMAND [ARG]...", \
		"run a program and record its GPU calls and commands") \
	X(export, REC_SCOPE_E, "-e FORMATS [OPTION]... TRACE", "write a trace in formats that other tools read") \
	X(stats, REC_SCOPE_T, "[OPTION]... TRACE|PROFILE", \
		"print statistics of a trace, or of a profile in callgrind's format") \
	X(info, REC_SCOPE_I, "[OPTION]... TRACE", "say what is in a trace, and what is missing") \
	X(metrics, REC_SCOPE_M, "[OPTION]... [TRACE]", \
		"list the metrics of kernel launches, or print those of a trace; list section files") \
	X(report, REC_SCOPE_P, "[OPTION]... TRACE|REPORT", \
		"print the sections of each kernel of a trace, or of a report (.ncu-rep)") \
	X(plan, REC_SCOPE_L, "--chip CHIP [OPTION]...", "say how many passes and runs sections take on a chip") \
	X(dump, REC_SCOPE_D, "[OPTION]... TRACE", "print every record of a trace") \
	X(wait, 0, "TRACE", "wait until no process records a trace any more and GPUTAP_EXPORT's files are there")

#define X(name, scope, args, help) int gt_cmd_##name(struct gt_cli *cli);
GT_COMMANDS(X)
#undef X

/* The reports that `gputap stats` knows, for its --help. cli/stats/stats.c */
void gt_stats_help(FILE *out);
/* The words of -t, for the --help of run. cli/run/run.c */
void gt_run_help(FILE *out);

/* Prints "gputap: what", "  why: ...", "  try: ..." on stderr; returns err->kind as the exit status. */
int gt_cli_fail(const struct gt_err *err);
/* No other user may add processes to the trace any more, if nothing of its run runs; else the pid of what does. */
int gt_cli_close_door(const char *trace);
/* The notes of a trace, each text once, however many processes and threads said it. */
struct gt_model;
void gt_cli_notes(const struct gt_model *model);
/* What call stacks lack, as far as they were looked at: objects without file, stacks that are not whole. */
void gt_cli_stack_notes(const struct gt_model *model);
/* Behind what is missing: what to do so that it is there the next time, where an option does it. */
void gt_cli_remedies(const struct gt_model *model, FILE *out);
/* The same in the log of a conversion that nobody looks on: marked, so that `gputap wait` tells them from a failure. */
#define GT_CLI_NOTE "gputap: note: "
void gt_cli_notes_marked(const struct gt_model *model);
/* Says that nothing lies between --from and --to, where one was given, and how long the trace is; whether it did. */
bool gt_cli_empty_window(const struct gt_model *model, const struct gt_options *options);
/*
 * --require-complete: 0, or -1 with *err (status 1) where the trace lacks something, holds nothing or is still written.
 * Behind the work, which may find more that is missing. told: what is missing was said.
 */
#define GT_CLI_REPORT_IS_SILENT "--require-complete is for traces: a report does not say what it lacks"
int gt_cli_require_complete(
	const struct gt_options *options, const struct gt_model *model, bool told, struct gt_err *err);
/* A usage error of this command: what from a format, with `try: gputap COMMAND --help`; returns GT_EXIT_USAGE. */
int gt_cli_usage(const struct gt_cli *cli, const char *what, ...) __attribute__((format(printf, 2, 3)));

/* Progress for work that may take over two seconds: one line on a terminal, nothing elsewhere. cli/progress.c */
struct gt_progress { const char *what; double started, last; bool shown, quiet; };
void gt_progress_begin(struct gt_progress *p, const char *what, bool quiet);
bool gt_progress_step(void *progress, double done);     /* fits the callbacks of model and writers; always true */
void gt_progress_end(struct gt_progress *p);

/* What an export says on stderr: nothing, the files and whether anything is missing, the trace's notes too. */
enum gt_say { GT_SAY_NOTHING, GT_SAY_FILES, GT_SAY_NOTES };
/* Takes the ending of one of the formats off: "x.sqlite" is the name of that file, not of x.sqlite.sqlite. */
void gt_export_cut_suffix(char *base, const char *formats);
/* What the files of the next format of a list end with; moves behind it. NULL: the list ends. */
const char *gt_export_suffix(const char **formats);
/*
 * Writes the formats of `formats` (comma separated) of one trace; names as docs say. With --require-complete -1 and
 * status 1 (GT_EXIT_NO) when all is written and the trace is not complete. cli/export.c
 */
int gt_export_trace(const char *trace, const char *formats, const char *base, const struct gt_options *options,
	enum gt_say say, struct gt_err *err);

#endif
