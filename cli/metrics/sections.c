/*
 * cli/metrics/sections.c - the section files that a command was asked to read
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/metrics/sections.h"

#include <stdio.h>

#include "common/counted.h"
#include "common/harmless.h"
#include "trace/format/counters.h"

static void print_note(void *ctx, const char *path, uint32_t line, uint32_t column, const char *what)
{
	(void)ctx;
	fprintf(stderr, "gputap: %s:%u:%u: %s\n", gt_harmless(path), line, column, gt_harmless(what));
}

int gt_cli_section_errors(const struct gt_sections *s)
{
	int status = GT_EXIT_OK;

	for (uint32_t i = 0; i < s->n; i++)
		if (!s->v[i].message) {
			fprintf(stderr, "gputap: %s\n", gt_harmless(s->v[i].error));
			status = GT_EXIT_INPUT;
		}
	return status;
}

int gt_cli_sections(const struct gt_cli *cli, struct gt_sections *s, struct gt_err *err)
{
	const struct gt_text_notes notes = { print_note, NULL };
	int rc = gt_sections_open(s, &cli->options, GT_DEPLOY_WRITE, &notes, err);

	if (rc > 0)
		gt_cli_fail(err);
	return rc < 0 ? -1 : 0;
}

/* The folder is not read: whoever made the trace named it (trace/format/taken.def). */
static void say_folder(const struct gt_model *m, const char *option)
{
	const char *folder = gt_model_shown_option(m, -1, option);

	if (folder && *folder)
		fprintf(stderr, "gputap: the run read the section files of %s; a trace does not choose what is read "
			"here: --%s FOLDER does\n", gt_harmless(folder), option);
}

int gt_cli_as_it_was_run(struct gt_options *o, const struct gt_model *m, bool say, struct gt_err *err)
{
	static const enum gt_taken taken[] = { GT_TAKEN_SET, GT_TAKEN_SECTION, GT_TAKEN_METRICS };
	static const char *const folders[] = { "section-folder", "section-folder-recursive" };
	const char *value;

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (*gt_option(o, gt_taken_name(taken[i])))
			return 0;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (*gt_option(o, folders[i]))
			return 0;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if ((value = gt_model_option(m, -1, taken[i])) &&
			gt_option_take(o, gt_taken_name(taken[i]), value, err))
			return -1;
	for (size_t i = 0; say && i < sizeof folders / sizeof *folders; i++)
		say_folder(m, folders[i]);
	return 0;
}

void gt_cli_counters_note(struct gt_model *m)
{
	const struct gt_counters *all;
	uint32_t n = gt_model_counters(m, &all);

	if (n && !gt_model_counters_plan(m))
		fprintf(stderr,
			"gputap: %s: the file " REC_COUNTERS_FILE " is missing or damaged: the counters of %s have "
			"no values\n",
			gt_harmless(gt_model_session(m)->path), gt_counted(n, "launches").text);
}
