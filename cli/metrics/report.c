/*
 * cli/metrics/report.c - gputap report: the sections of each kernel of a trace, or of a report file
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/metrics/class.h"
#include "analysis/sections/actions.h"
#include "analysis/sections/page.h"
#include "analysis/sections/report_file.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/metrics/rules.h"
#include "cli/metrics/sections.h"
#include "common/harmless.h"
#include "common/text.h"
#include "common/written.h"

static struct gt_page_options page_options(const struct gt_options *o)
{
	const char *details = gt_option(o, "print-details"), *names = gt_option(o, "print-metric-name"),
		   *base = gt_option(o, "print-kernel-base");

	return (struct gt_page_options){
		.page = gt_option_is(o, "page", "raw") ? GT_PAGE_RAW : GT_PAGE_DETAILS,
		.csv = gt_option_true(o, "csv") || gt_option_is(o, "format", "csv"),
		.details = !strcmp(details, "header") ? GT_DETAILS_HEADER :
			!strcmp(details, "body") ? GT_DETAILS_BODY : GT_DETAILS_ALL,
		.names = !strcmp(names, "name") ? GT_PRINT_NAME :
			!strcmp(names, "label") ? GT_PRINT_LABEL : GT_PRINT_BOTH,
		.base = !strcmp(base, "function") ? GT_BASE_FUNCTION :
			!strcmp(base, "mangled") ? GT_BASE_MANGLED : GT_BASE_DEMANGLED,
		.metrics = gt_option(o, "metrics"),
	};
}

/*
 * Of --metrics, what no kernel has is an error: the user asked for it. *unknown: one of them is no name that any kernel
 * knows, rather than one without a value.
 */
static int check_asked(const struct gt_actions *as, const struct gt_options *o, bool *unknown)
{
	const char *at = gt_option(o, "metrics");
	int status = GT_EXIT_OK;

	while (*at) {
		const struct gt_string name = { at, strcspn(at, ",") };
		struct gt_string why = { "", 0 };
		bool have = false, known = false;

		for (uint32_t i = 0; i < as->all.n && !have; i++) {
			const struct gt_action_metric *m = gt_action_metric(&as->all.v[i], name);

			have = gt_action_available(m);
			known |= m != NULL;
			if (m && m->why.bytes)
				why = m->why;
		}
		if (!have && as->all.n) {
			fprintf(stderr, "gputap: %s is not available%s%s\n", gt_harmless_n(name.text, name.bytes),
				why.bytes ? ": " : "", gt_harmless_n(why.text, why.bytes));
			status = GT_EXIT_INPUT;
			*unknown |= !gt_option_of_trace(o, "metrics") &&
				(!known || gt_metric_class(name) == GT_CLASS_UNKNOWN);
		}
		at += name.bytes + (at[name.bytes] == ',');
	}
	return status;
}

/* Required metrics that no counters were collected for. */
static bool tell_required(void *ctx, const struct gt_section_metric *m)
{
	const struct gt_action *a = ctx;

	if (m->required && !gt_action_available(gt_action_metric(a, m->name)))
		fprintf(stderr, "gputap: section %s requires %s, which is not available\n",
			gt_harmless_n(m->section->id.text, m->section->id.bytes),
			gt_harmless_n(m->name.text, m->name.bytes));
	return true;
}

static void check_required(const struct gt_action *a, const struct gt_sections *sections, const struct gt_options *o)
{
	const struct gt_target target = gt_action_target(a);

	for (uint32_t i = 0; i < sections->n; i++)
		if (sections->v[i].message && gt_section_chosen(o, &sections->v[i], a->opencl))
			gt_section_metrics(&sections->v[i], &target, tell_required, (void *)a);
}

static int print(const struct gt_actions *as, const struct gt_options *o)
{
	const struct gt_page_options page = page_options(o);
	struct gt_text t = { 0 };
	struct gt_err err;
	int status = GT_EXIT_OK;

	gt_page_put(&t, as, &page);
	if (!t.failed && t.used)
		fwrite(t.data, 1, t.used, stdout);
	if (t.failed ? gt_no_memory(&err) : gt_written(stdout, "the report", &err))
		status = gt_cli_fail(&err);
	gt_text_free(&t);
	return status;
}

/* -1 with GT_EXIT_NO: all is there, but the trace lacks something (--require-complete). */
static int of_trace(struct gt_cli *cli, struct gt_actions *as, struct gt_sections *sections, struct gt_err *err)
{
	const struct gt_walk_options walk = { .process = -1, .cuda = true,
		.from_ns = gt_option_number(&cli->options, "from", GT_NO_TIME),
		.to_ns = gt_option_number(&cli->options, "to", GT_NO_TIME) };
	const struct gt_model_options options = { .jobs = 1,
		.peaks = gt_option(&cli->options, "peak-bandwidth") };
	struct gt_model *m;
	int rc;

	if (gt_model_open(cli->args[0], &options, &m, err))
		return -1;
	gt_cli_counters_note(m);
	if (gt_cli_as_it_was_run(&cli->options, m, true, err) || gt_cli_sections(cli, sections, err) ||
		gt_sections_check(sections, &cli->options, err)) {
		gt_model_close(m);
		return -1;
	}
	gt_cli_section_errors(sections);
	rc = gt_actions_of_trace(as, m, &walk, sections, &cli->options, err);
	if (!rc && !as->all.n)
		gt_cli_empty_window(m, &cli->options);
	if (!rc)
		rc = gt_cli_require_complete(&cli->options, m, false, err);
	gt_model_close(m);
	return rc;
}

/* Whether rules were asked for by a word of their own: then they are all that is printed. */
static bool wants_rules(const struct gt_options *o)
{
	return gt_option_true(o, "apply-rules") && (gt_option_on_command_line(o, "apply-rules") ||
		gt_option_given(o, "rule") || gt_option_on_command_line(o, "output"));
}

static int source_page(const struct gt_cli *cli, const char *report)
{
	struct gt_err err;
	int status = gt_source_page(report, cli->args[0], &cli->options, &err);

	return status < 0 ? gt_cli_fail(&err) : status;
}

static int apply_rules(const struct gt_cli *cli, const char *report)
{
	const struct gt_rules_to to = {
		.path = gt_option_on_command_line(&cli->options, "output") ? gt_option(&cli->options, "output") : NULL,
		.replace = gt_option_true(&cli->options, "force") };
	struct gt_err err;
	int status = gt_rules_apply(report, &to, &cli->options, &err);

	return status < 0 ? gt_cli_fail(&err) : status;
}

/* Of a file the sections that it holds; others only when they are asked for. */
static int of_file(struct gt_cli *cli, struct gt_actions *as, struct gt_sections *sections, struct gt_err *err)
{
	const struct gt_options *o = &cli->options;
	bool more = *gt_option(o, "set") || *gt_option(o, "section") || *gt_option(o, "section-folder") ||
		*gt_option(o, "section-folder-recursive");
	enum gt_derived_mode mode = gt_option_is(o, "derived", "ncu") ? GT_DERIVED_NCU : GT_DERIVED_GUIDE;

	if (gt_ncurep_read(as, cli->args[0], NULL, err))
		return -1;
	if (!more)
		return 0;
	if (gt_cli_sections(cli, sections, err) || gt_sections_check(sections, o, err))
		return -1;
	gt_cli_section_errors(sections);
	for (uint32_t i = 0; i < as->all.n; i++) {
		struct gt_action *a = &as->all.v[i];

		a->sections.n = 0;
		for (uint32_t k = 0; k < sections->n; k++)
			if (sections->v[k].message && gt_section_chosen(o, &sections->v[k], a->opencl) &&
				!gt_action_add_section(as, a, &sections->v[k], sections, mode))
				return gt_no_memory(err);
	}
	return 0;
}

/* A trace is made a report that nobody sees, in a folder of its own, and that is done with it. */
static int as_report(struct gt_cli *cli, int (*with)(const struct gt_cli *cli, const char *report))
{
	char folder[PATH_MAX], base[PATH_MAX + 2], report[PATH_MAX + 12];
	const char *tmp = getenv("TMPDIR");
	struct gt_err err = { 0 };
	int status, rc;

	snprintf(folder, sizeof folder, "%s/gputap.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		gt_fail(&err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be made", folder);
		return gt_cli_fail(&err);
	}
	snprintf(base, sizeof base, "%s/t", folder);
	snprintf(report, sizeof report, "%s.ncu-rep", base);
	rc = gt_export_trace(cli->args[0], "ncu-rep", base, &cli->options, GT_SAY_NOTHING, &err);
	if (rc && err.kind != GT_EXIT_NO) {
		status = gt_cli_fail(&err);
	} else {
		gt_interrupt_file(report);
		status = with(cli, report);
		gt_interrupt_file(NULL);
		if (!status && rc)
			status = gt_cli_fail(&err);     /* --require-complete */
	}
	unlink(report);
	rmdir(folder);
	return status;
}

int gt_cmd_report(struct gt_cli *cli)
{
	int (*gather)(struct gt_cli *, struct gt_actions *, struct gt_sections *, struct gt_err *) = of_trace;
	struct gt_sections sections = { 0 };
	struct gt_actions as = { 0 };
	struct gt_err err = { 0 };
	int status, rc;

	if (cli->n_args != 1)
		return gt_cli_usage(cli, cli->n_args ? "report takes one trace" : "which trace?");
	if (gt_option_true(&cli->options, "require-complete") && gt_is_ncurep(cli->args[0]))
		return gt_cli_usage(cli, GT_CLI_REPORT_IS_SILENT);
	if (gt_option_is(&cli->options, "page", "source")) {
		if (gt_option_on_command_line(&cli->options, "output"))
			return gt_cli_usage(cli, "--page source is printed; -o goes with --apply-rules");
		return gt_is_ncurep(cli->args[0]) ? source_page(cli, cli->args[0]) : as_report(cli, source_page);
	}
	if (wants_rules(&cli->options)) {
		if (gt_is_ncurep(cli->args[0]))
			return apply_rules(cli, cli->args[0]);
		gt_option_set(&cli->options, "apply-rules", "false");   /* once is enough */
		return as_report(cli, apply_rules);
	}
	if (gt_is_ncurep(cli->args[0]))
		gather = of_file;
	rc = gather(cli, &as, &sections, &err);
	if (rc && err.kind != GT_EXIT_NO) {
		status = gt_cli_fail(&err);
	} else {
		if (!as.all.n)
			fprintf(stderr, "gputap: there is no kernel in %s\n", gt_harmless(cli->args[0]));
		/* first what is wrong: a page would hide it, and a name that nobody knows gets none */
		bool unknown = false;
		int asked = check_asked(&as, &cli->options, &unknown);

		status = unknown ? asked : print(&as, &cli->options);
		status = status ? status : asked;
		if (as.all.n && !unknown)
			check_required(&as.all.v[0], &sections, &cli->options);
		if (!status && rc)
			status = gt_cli_fail(&err);     /* --require-complete */
	}
	gt_actions_close(&as);
	gt_sections_close(&sections);
	return status;
}
