/*
 * analysis/sections/nvtx_choice.h - launches of a trace by the NVTX ranges that they were made in
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_NVTX_CHOICE_H
#define GPUTAP_ANALYSIS_SECTIONS_NVTX_CHOICE_H

#include "analysis/sections/section.h"
#include "common/options.h"
#include "common/plain/nvtx_filter.h"

/* The expressions of --nvtx-include and --nvtx-exclude. */
struct gt_nvtx_choice;
/* *out: NULL where neither was given. 0, or -1 with *err: one is none. */
int gt_nvtx_choice_open(const struct gt_options *o, struct gt_nvtx_choice **out, struct gt_err *err);
void gt_nvtx_choice_close(struct gt_nvtx_choice *c);
/* Whether a launch with that state (gt_type_NvtxState; NULL: no range was open) is one of those asked for. */
bool gt_nvtx_choice_fits(const struct gt_nvtx_choice *c, const struct gt_message *state);

/* Why a line is no expression, as a clause; NULL: it is one. */
const char *gt_nvtx_choice_wrong(struct gc_word line);

#endif
