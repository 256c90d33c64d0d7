/*
 * cli/stats/profile.c - gputap stats of a profile in callgrind's format: valgrind's, gputap's own, any tool's
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/stats/profile.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/callgrind/report.h"
#include "common/harmless.h"
#include "common/nearest.h"
#include "common/written.h"

bool gt_stats_is_profile(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && gt_profile_is(path);
}

/* A word of -r: a name, a pattern, "all". */
static bool matches(const char *list, const char *name, bool *any)
{
	struct gc_word word;
	char pattern[256];
	bool found = false;

	while (gc_list_next(&list, &word)) {
		snprintf(pattern, sizeof pattern, "%.*s", (int)word.bytes, word.at);
		if (!strcmp(pattern, "all") || !fnmatch(pattern, name, 0))
			found = *any = true;
	}
	return found;
}

/* Each word is one of the reports: a wrong one is said, not left out. */
static int check_words(const char *list, struct gt_err *err)
{
	struct gc_word word;
	char one[256];

	while (gc_list_next(&list, &word)) {
		struct gt_nearest nearest = { .said = word };
		bool any = false;

		snprintf(one, sizeof one, "%.*s", (int)word.bytes, word.at);
		for (unsigned i = 0; gt_profile_report_at(i); i++) {
			matches(one, gt_profile_report_at(i)->name, &any);
			gt_nearest_offer_text(&nearest, gt_profile_report_at(i)->name);
		}
		if (!any)
			return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap stats --help",
				"'%s' is no report of a callgrind profile%s", one, gt_nearest_text(&nearest, "").text);
	}
	return 0;
}

static int print(const struct gt_profile *p, const char *list, enum gt_table_format format, FILE *out,
	struct gt_err *err)
{
	struct gt_tables of = { false, false };
	unsigned chosen = 0;
	bool any;

	for (unsigned i = 0; gt_profile_report_at(i); i++)
		chosen += !*list || matches(list, gt_profile_report_at(i)->name, &any);
	of.several = chosen > 1;
	for (unsigned i = 0; gt_profile_report_at(i); i++)
		if ((!*list || matches(list, gt_profile_report_at(i)->name, &any)) &&
			gt_profile_print(p, i, format, out, &of, err))
			return -1;
	if (gt_written(out, "the reports", err))
		return -1;
	return gt_tables_end(&of, format, out) ? gt_no_memory(err) : gt_written(out, "the reports", err);
}

/* Whether nothing is wrong with it. */
static bool look(const struct gt_profile *p, bool quiet)
{
	bool sound = true;
	char text[512];

	for (uint32_t i = 0; i < p->parts.n; i++)
		if (gt_profile_doubt(p, i, text, sizeof text)) {
			sound = false;
			if (!quiet)
				fprintf(stderr, "gputap: %s\n", gt_harmless(text));
		}
	return sound;
}

static int print_to(const struct gt_profile *p, struct gt_cli *cli, enum gt_table_format format, struct gt_err *err)
{
	const struct gt_options *o = &cli->options;
	struct gt_printout to;

	if (gt_stats_open(&to, o, err))
		return -1;
	return gt_printout_close(&to, print(p, gt_option(o, "report"), format, to.out, err), err);
}

int gt_stats_profile(struct gt_cli *cli, const char *path, enum gt_table_format format)
{
	const struct gt_options *o = &cli->options;
	struct gt_profile *p = NULL;
	struct gt_err err = { 0 };
	int rc;

	if (*gt_option(o, "from") || *gt_option(o, "to"))
		return gt_cli_usage(cli, "a profile has no times: --from and --to are for traces");
	if (check_words(gt_option(o, "report"), &err) || gt_profile_read(path, &p, &err))
		return gt_cli_fail(&err);
	rc = print_to(p, cli, format, &err);
	if (!rc && !look(p, gt_option_true(o, "quiet")) && gt_option_true(o, "require-complete"))
		rc = gt_fail(&err, GT_EXIT_NO, "--require-complete was given", NULL,
			"%s is not whole: its parts do not add up to what they say", path);
	gt_profile_free(p);
	return rc ? gt_cli_fail(&err) : GT_EXIT_OK;
}

void gt_stats_profile_help(FILE *out)
{
	fprintf(out, "\nReports of a callgrind profile instead of a trace (all when none is named):\n");
	for (unsigned i = 0; gt_profile_report_at(i); i++)
		fprintf(out, "  %-24s  %s\n", gt_profile_report_at(i)->name, gt_profile_report_at(i)->title);
}
