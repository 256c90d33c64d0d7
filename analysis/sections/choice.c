/*
 * analysis/sections/choice.c - the section files and sections that a command line asks for
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/choice.h"

int gt_sections_open(struct gt_sections *s, const struct gt_options *o, enum gt_deploy how,
	const struct gt_text_notes *notes, struct gt_err *err)
{
	const char *const folders[] = { gt_option(o, "section-folder"), gt_option(o, "section-folder-recursive") };
	struct gt_sections_options options = { .strict = gt_option_true(o, "strict") };
	char stock[PATH_MAX];
	struct gt_err ignored;
	int rc = 0;

	if (notes)
		options.notes = *notes;
	if (!*folders[0] && !*folders[1]) {
		rc = gt_stock_folder(gt_option_true(o, "deploy") ? how : GT_DEPLOY_OFF, stock, err);
		if (rc >= 0 && gt_sections_load(s, stock, &options, rc ? &ignored : err))
			rc = -1;
	}
	for (int i = 0; i < 2 && !rc; i++) {
		options.recursive = i;
		if (*folders[i])
			rc = gt_sections_load(s, folders[i], &options, err);
	}
	gt_sections_sort(s);
	return rc;
}
