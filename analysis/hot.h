/*
 * analysis/hot.h - which function most of some samples are in
 *
 * Runs in the tool. Stacks are counted as samples come; their functions are looked for only when somebody asks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_HOT_H
#define GPUTAP_ANALYSIS_HOT_H

#include "common/map.h"
#include "common/text.h"
#include "model/model.h"

struct gt_hot { struct gt_map stacks; uint64_t n; };  /* all zero: no samples */

/* A sample with this stack (model/stacks/stacks.h; 0: none). False: no memory. */
bool gt_hot_add(struct gt_hot *h, uint32_t stack);
void gt_hot_free(struct gt_hot *h);

/*
 * The function with the most samples, as "inner (busy.c:27)"; what has no line of its own also says who called it:
 * "sin (libm.so.6), called from step (sim.c:40)". Nothing where no sample has a stack.
 */
void gt_hot_text(const struct gt_hot *h, struct gt_model *m, struct gt_text *out);

/* "step (sim.c:40)": who of the program made the call of this stack. Nothing without a stack. */
void gt_hot_caller(struct gt_model *m, uint32_t stack, const char *api, struct gt_text *out);

#endif
