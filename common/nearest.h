/*
 * common/nearest.h - which known word was meant by one that is not known: "did you mean"
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_NEAREST_H
#define GPUTAP_COMMON_NEAREST_H

#include "common/plain/words.h"

/* Begin with { .said = the unknown word }, offer each known one, then ask. Words stay with their owners. */
struct gt_nearest {
	struct gc_word said;
	struct gc_word best;
	unsigned halves;                /* of edits between said and best; undefined without best */
};

void gt_nearest_offer(struct gt_nearest *n, struct gc_word known);
void gt_nearest_offer_text(struct gt_nearest *n, const char *known);
/* " (nearest: WORD)" with `before` in front of the word, or "" where none is near enough to be meant. */
struct gt_nearest_text { char text[96]; } gt_nearest_text(const struct gt_nearest *n, const char *before);

#endif
