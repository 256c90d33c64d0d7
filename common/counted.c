/*
 * common/counted.c - a number with what it counts
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/counted.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What adding an s does not make. */
static const struct { const char *many, *one; } irregular[] = {
	{ "activities", "activity" }, { "children", "child" }, { "copies", "copy" }, { "entries", "entry" },
	{ "flushes", "flush" }, { "launches", "launch" }, { "passes", "pass" }, { "processes", "process" },
};
/* End with one s and are no plural. */
static const char *const singulars[] = { "always", "bias", "bus", "does", "plus", "this" };

/* Puts the singular of the word of n characters into one[]. False: it is no plural. */
static bool singular(const char *word, size_t n, char one[32])
{
	for (size_t i = 0; i < sizeof irregular / sizeof irregular[0]; i++)
		if (!strncmp(irregular[i].many, word, n) && !irregular[i].many[n]) {
			snprintf(one, 32, "%s", irregular[i].one);
			return true;
		}
	for (size_t i = 0; i < sizeof singulars / sizeof singulars[0]; i++)
		if (!strncmp(singulars[i], word, n) && !singulars[i][n])
			return false;
	if (n < 4 || n > 32 || word[n - 1] != 's' || word[n - 2] == 's')
		return false;
	snprintf(one, 32, "%.*s", (int)(n - 1), word);
	return true;
}

struct gt_counted gt_counted_things(uint64_t n, const char *things)
{
	struct gt_counted out;
	size_t length;

	snprintf(out.text, sizeof out.text, "%s", things);
	for (const char *at = things; n == 1 && *at; at += length + (at[length] != 0)) {
		char one[32];

		for (length = 0; isalpha((unsigned char)at[length]); length++)
			;
		if (!singular(at, length, one))
			continue;
		snprintf(out.text, sizeof out.text, "%.*s%s%s", (int)(at - things), things, one, at + length);
		break;
	}
	return out;
}

struct gt_counted gt_counted(uint64_t n, const char *things)
{
	struct gt_counted what = gt_counted_things(n, things), out;

	snprintf(out.text, sizeof out.text, "%" PRIu64 " %.220s", n, what.text);
	return out;
}
