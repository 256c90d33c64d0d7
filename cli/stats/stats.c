/*
 * cli/stats/stats.c - gputap stats: print reports of a trace
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "analysis/reports/report.h"
#include "cli/cli.h"
#include "cli/jobs.h"
#include "cli/stats/profile.h"
#include "common/harmless.h"
#include "model/stacks/stacks.h"
#include "model/symbols/symbols.h"

enum { MOST = 64 };

static int add(const char *name, struct gt_report_request *reports, unsigned *n, struct gt_err *err)
{
	if (*n == MOST)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "more than %d reports at once", MOST);
	return gt_report_parse(name, &reports[(*n)++], err);
}

/* "all", or with wildcards: those of the matching reports that have rows are printed. */
static bool is_pattern(const char *name) { return !strcmp(name, "all") || strpbrk(name, "*?["); }

static int add_matching(const char *pattern, struct gt_report_request *reports, unsigned *n, struct gt_err *err)
{
	const unsigned before = *n;
	const struct gt_report *r;

	for (unsigned i = 0; (r = gt_report_at(i)); i++)
		if ((!strcmp(pattern, "all") || !fnmatch(pattern, r->name, 0)) && add(r->name, reports, n, err))
			return -1;
	if (*n == before)
		return gt_fail(
			err, GT_EXIT_USAGE, NULL, "gputap stats --help", "no report has a name like '%s'", pattern);
	return 0;
}

static bool has_pattern(const char *list)
{
	struct gc_word word;
	char name[256];

	while (gc_list_next(&list, &word)) {
		snprintf(name, sizeof name, "%.*s", (int)word.bytes, word.at);
		if (is_pattern(name))
			return true;
	}
	return false;
}

static int choose(const char *list, struct gt_report_request *reports, unsigned *n, struct gt_err *err)
{
	struct gc_word word;
	char name[256];

	*n = 0;
	for (unsigned i = 0; !*list && gt_report_default(i); i++)
		if (add(gt_report_default(i), reports, n, err))
			return -1;
	while (gc_list_next(&list, &word)) {
		snprintf(name, sizeof name, "%.*s", (int)word.bytes, word.at);
		if (is_pattern(name) ? add_matching(name, reports, n, err) : add(name, reports, n, err))
			return -1;
	}
	return 0;
}

/* One that is named and cannot be split is an error; of several that nobody named those are left as they are. */
static int split(const char *by, const char *list, struct gt_report_request *reports, unsigned n, struct gt_err *err)
{
	for (unsigned i = 0; *by && i < n; i++)
		if (gt_report_splits(reports[i].report))
			reports[i].by = gt_by_find(by);
		else if (*list && !has_pattern(list))
			return gt_fail(err, GT_EXIT_USAGE, "its rows are not sums over calls", "gputap stats --help",
				"%s cannot be split by %s", reports[i].report->name, by);
	return 0;
}

/* Lines and stacks are those that were recorded. */
static int check_stacks(const char *by, const struct gt_model *m, const char *path, struct gt_err *err)
{
	const struct gt_by *way = gt_by_find(by);

	if (!way || !way->text || gt_model_stack_count(m))
		return 0;
	return gt_fail(err, GT_EXIT_MISSING, "stacks are recorded when they are asked for",
		"gputap run --callstacks PROGRAM", "%s holds no call stacks: --by=%s has nothing to tell", path, by);
}

void gt_stats_help(FILE *out)
{
	const struct gt_report *r;

	fprintf(out, "\nReports (* printed when none is named; none without rows):\n");
	for (unsigned i = 0; (r = gt_report_at(i)); i++)
		fprintf(out, "  %-24s%s %s%s\n", r->name, gt_report_is_default(r->name) ? "*" : " ", r->title,
			r->options & GT_REPORT_BASE           ? " [:base|:mangled]"
				: r->options & GT_REPORT_ROWS ? " [:rows=N]"
							      : "");
	gt_stats_profile_help(out);
}

/* What is printed: the reports and their time. */
static int ask(struct gt_cli *cli, struct gt_report_request *reports, struct gt_report_run *run)
{
	const struct gt_options *o = &cli->options;
	const char *list = gt_option(o, "report");
	struct gt_err err = { 0 };

	run->skip_empty = !*list || has_pattern(list);
	run->reports = reports;
	if (choose(list, reports, &run->n_reports, &err) ||
		split(gt_option(o, "by"), list, reports, run->n_reports, &err))
		return gt_cli_fail(&err);
	run->from_ns = gt_option_number(o, "from", GT_NO_TIME);
	run->to_ns = gt_option_number(o, "to", GT_NO_TIME);
	if (run->to_ns != GT_NO_TIME && run->from_ns > run->to_ns)
		return gt_cli_usage(
			cli, "--from %s is later than --to %s", gt_option_said(o, "from"), gt_option_said(o, "to"));
	return GT_EXIT_OK;
}

int gt_stats_open(struct gt_printout *to, const struct gt_options *o, struct gt_err *err)
{
	const char *path = gt_option_on_command_line(o, "output") ? gt_option(o, "output") : NULL;

	return gt_printout_open(to, path, gt_option_true(o, "force"), err);
}

static int print_reports(const struct gt_options *o, struct gt_report_run *run, bool quiet, struct gt_err *err)
{
	struct gt_progress progress;
	struct gt_printout to;
	int rc;

	if (gt_stats_open(&to, o, err))
		return -1;
	run->out = to.out;
	gt_progress_begin(&progress, "reading", quiet);
	run->progress = gt_progress_step;
	run->ctx = &progress;
	rc = gt_reports_run(run, err);
	gt_progress_end(&progress);
	return gt_printout_close(&to, rc, err);
}

/* Which of the reports that were named have no rows; of others that none has. */
static void print_empty(const struct gt_report_run *run, const char *list, unsigned with_rows)
{
	for (unsigned i = 0; i < run->n_reports && !run->skip_empty; i++) {
		const struct gt_report *r = run->reports[i].report;

		if (!run->rows[i] && r->recorded_by)
			fprintf(stderr, "gputap: %s has no rows: what it shows is recorded with gputap run %s\n",
				r->name, r->recorded_by);
		else if (!run->rows[i])
			fprintf(stderr, "gputap: %s has no rows\n", r->name);
	}
	if (run->skip_empty && !with_rows)
		fprintf(stderr, *list ? "gputap: no report of that pattern has rows\n"
				      : "gputap: no report that is printed without -r has rows: -r all prints those "
					"that have\n");
}

static void print_notes(const struct gt_report_run *run, const struct gt_options *o)
{
	const struct gt_model *m = run->model;
	unsigned with_rows = 0;
	char text[1024];

	for (unsigned i = 0; i < run->n_reports; i++)
		with_rows += run->rows[i];
	if (with_rows || !gt_cli_empty_window(m, o))
		print_empty(run, gt_option(o, "report"), with_rows);
	gt_cli_notes(m);
	gt_cli_stack_notes(m);
	fprintf(stderr, "gputap: %s\n", gt_harmless(gt_model_complete_text(m, text, sizeof text)));
}

int gt_cmd_stats(struct gt_cli *cli)
{
	struct gt_report_request reports[MOST];
	const struct gt_options *o = &cli->options;
	bool quiet = gt_option_true(o, "quiet"), rows[MOST] = { false };
	struct gt_report_run run = { .rows = rows };
	struct gt_err err = { 0 };
	int rc;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "stats takes one trace" : "which trace?");
	gt_table_format_of(gt_option(o, "format"), &run.format);
	if (gt_stats_is_profile(cli->args[0]))
		return gt_stats_profile(cli, cli->args[0], run.format);
	rc = ask(cli, reports, &run);
	if (rc)
		return rc;
	const struct gt_model_options how = { .cuda_table = gt_option(o, "cuda-table"), .jobs = gt_jobs(o),
		.peaks = gt_option(o, "peak-bandwidth"), .cupti = gt_option(o, "cupti") };

	if (gt_model_open(cli->args[0], &how, &run.model, &err))
		return gt_cli_fail(&err);
	rc = check_stacks(gt_option(o, "by"), run.model, cli->args[0], &err);
	if (!rc)
		rc = print_reports(o, &run, quiet, &err);
	if (!rc)
		rc = gt_symbols_check(run.model, &err);
	if (!rc && !quiet)
		print_notes(&run, o);
	if (!rc)
		rc = gt_cli_require_complete(o, run.model, !quiet, &err);
	gt_model_close(run.model);
	return rc ? gt_cli_fail(&err) : GT_EXIT_OK;
}
