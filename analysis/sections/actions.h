/*
 * analysis/sections/actions.h - the kernels of a trace as a report's actions
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_ACTIONS_H
#define GPUTAP_ANALYSIS_SECTIONS_ACTIONS_H

#include "analysis/sections/action.h"
#include "analysis/sections/choice.h"

/*
 * Launches of the walk's processes and window, each with the chosen sections (choice.h), in order of their calls: the
 * first --launch-count of each kernel on each device (0: all), without that option the typical one of each shape
 * (shapes.h) and all that were counted. 0, or -1 with *err. The model may be closed
 * afterwards; the sections have to stay.
 */
int gt_actions_of_trace(struct gt_actions *as, struct gt_model *m, const struct gt_walk_options *walk,
	const struct gt_sections *sections, const struct gt_options *options, struct gt_err *err);

#endif
