/*
 * cli/metrics/sections.c - the section files that a command was asked to read
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/metrics/sections.h"

#include <limits.h>
#include <stdio.h>

#include "common/counted.h"
#include "common/harmless.h"
#include "trace/format/counters.h"

static void print_note(void *ctx, const char *path, uint32_t line, uint32_t column, const char *what)
{
	(void)ctx;
	fprintf(stderr, "gputap: %s:%u:%u: %s\n", gt_harmless(path), line, column, what);
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

void gt_cli_as_it_was_run(struct gt_options *o, const struct gt_model *m)
{
	static const char *const names[] = { "set", "section", "metrics", "section-folder",
		"section-folder-recursive" };
	static char kept[sizeof names / sizeof *names][PATH_MAX];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*gt_option(o, names[i]))
			return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = gt_model_run_option(m, names[i]);

		if (value && snprintf(kept[i], PATH_MAX, "%s", value) < PATH_MAX)
			gt_option_set(o, names[i], kept[i]);
	}
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
