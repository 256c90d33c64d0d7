/*
 * analysis/sections/choice.c - the section files and sections that a command line asks for
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/choice.h"

#include <stdio.h>
#include <string.h>

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

/* The words of a list, one after another; false behind the last. */
static bool next_word(const char **at, char word[200])
{
	size_t n = strcspn(*at, ",");

	if (!n)
		return false;
	snprintf(word, 200, "%.*s", (int)n, *at);
	*at += n + ((*at)[n] == ',');
	return true;
}

static bool named(const char *list, const struct gt_section *section)
{
	char word[200];

	while (next_word(&list, word))
		if (strlen(word) == section->id.bytes && !memcmp(word, section->id.text, section->id.bytes))
			return true;
	return false;
}

static bool in_sets(const char *list, const struct gt_section *section)
{
	char word[200];

	while (next_word(&list, word))
		if (gt_section_in_set(section, word))
			return true;
	return false;
}

bool gt_section_chosen(const struct gt_options *o, const struct gt_section *section, bool opencl)
{
	const char *sets = gt_option(o, "set"), *ids = gt_option(o, "section");

	if (*sets || *ids)
		return in_sets(sets, section) || named(ids, section);
	if (*gt_option(o, "metrics"))
		return false;
	if (*gt_option(o, "section-folder") || *gt_option(o, "section-folder-recursive"))
		return true;
	return gt_section_in_set(section, opencl ? "opencl" : "basic");
}

int gt_sections_check(const struct gt_sections *s, const struct gt_options *o, struct gt_err *err)
{
	static const struct {
		const char *option;
		bool (*has)(const char *list, const struct gt_section *section);
	} asked[] = { { "set", in_sets }, { "section", named } };

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		const char *at = gt_option_of_trace(o, asked[i].option) ? "" : gt_option(o, asked[i].option);
		char word[200];

		while (next_word(&at, word)) {
			bool found = false;

			for (uint32_t k = 0; k < s->n && !found; k++)
				found = s->v[k].message && asked[i].has(word, &s->v[k]);
			if (!found)
				return gt_fail(err, GT_EXIT_USAGE, NULL, "gputap metrics --list-sections",
					"there is no %s %s", asked[i].option, word);
		}
	}
	return 0;
}
