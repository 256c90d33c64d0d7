/*
 * common/nearest.c - which known word was meant by one that is not known: "did you mean"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/nearest.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 40, SHORTENED = 3 };   /* bytes of a word that is compared; of one that may stand for a longer one */

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Fewest edits of one byte each, where two neighbours that changed places are one edit. */
static unsigned edits_between(struct gc_word a, struct gc_word b)
{
	unsigned row[3][LONGEST + 1], *before = row[0], *last = row[1], *now = row[2];

	for (unsigned j = 0; j <= b.bytes; j++)
		last[j] = j;
	for (unsigned i = 1; i <= a.bytes; i++) {
		unsigned *oldest = before;

		now[0] = i;
		for (unsigned j = 1; j <= b.bytes; j++) {
			now[j] = least(last[j - 1] + (a.at[i - 1] != b.at[j - 1]), least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = oldest;
	}
	return last[b.bytes];
}

/* "sum" for summary, "force-overwrite" for force: further off than two slips, nearer than three. */
static bool begins_with_other(struct gc_word a, struct gc_word b)
{
	size_t shorter = a.bytes < b.bytes ? a.bytes : b.bytes;

	return shorter >= SHORTENED && !memcmp(a.at, b.at, shorter);
}

static size_t common_begin(struct gc_word a, struct gc_word b)
{
	size_t n = 0;

	while (n < a.bytes && n < b.bytes && a.at[n] == b.at[n])
		n++;
	return n;
}

void gt_nearest_offer(struct gt_nearest *n, struct gc_word known)
{
	unsigned edits, halves;
	bool begins;

	if (!n->said.bytes || n->said.bytes > LONGEST || !known.bytes || known.bytes > LONGEST)
		return;
	if (n->said.at[0] >= '0' && n->said.at[0] <= '9')
		return;                 /* a number is another one, not one that was misspelt */
	edits = edits_between(n->said, known);
	begins = begins_with_other(n->said, known);
	halves = begins ? least(2 * edits, 5) : 2 * edits;
	/* A third of the word may be wrong; of one letter or two, one. */
	if (!begins && (edits > least(3, (unsigned)(n->said.bytes + 2) / 3) || edits >= known.bytes))
		return;
	if (n->best.at && (halves > n->halves ||
		(halves == n->halves && common_begin(n->said, known) <= common_begin(n->said, n->best))))
		return;
	n->best = known;
	n->halves = halves;
}

void gt_nearest_offer_text(struct gt_nearest *n, const char *known)
{
	gt_nearest_offer(n, (struct gc_word){ known, strlen(known) });
}

struct gt_nearest_text gt_nearest_text(const struct gt_nearest *n, const char *before)
{
	struct gt_nearest_text t = { "" };

	if (n->best.at)
		snprintf(t.text, sizeof t.text, " (nearest: %s%.*s)", before, (int)n->best.bytes, n->best.at);
	return t;
}
