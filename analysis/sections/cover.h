/*
 * analysis/sections/cover.h - the times in which something ran, or several things at once
 *
 * Runs in the tool.
 *
 * COVER1  Stretches of one key follow each other in time, do not touch, and each knows how long those before it are
 *         together: how much of a time is covered takes two searches.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_COVER_H
#define GPUTAP_ANALYSIS_SECTIONS_COVER_H

#include "common/memory.h"

struct gt_span { uint64_t key; int64_t start_ns, end_ns; };
/* before_ns: of its key, all stretches before it together; taken: the user's own mark. */
struct gt_stretch { uint64_t key; int64_t start_ns, end_ns, before_ns; bool taken; };
struct gt_cover { GT_LIST(struct gt_stretch) v; };

/* Sorts the spans; *one: where at least one is, *two (may be NULL): where at least two are. False: no memory. */
bool gt_cover_make(struct gt_span *spans, uint32_t n, struct gt_cover *one, struct gt_cover *two);
/* The last stretch of a key that begins at this time or before it; NULL. */
struct gt_stretch *gt_cover_at(const struct gt_cover *c, uint64_t key, int64_t at_ns);
/* How much of a time is covered. */
int64_t gt_cover_inside(const struct gt_cover *c, uint64_t key, int64_t from_ns, int64_t to_ns);
void gt_cover_free(struct gt_cover *c);

#endif
