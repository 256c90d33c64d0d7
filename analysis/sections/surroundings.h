/*
 * analysis/sections/surroundings.h - what stood around a launch, as messages of a report
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_SURROUNDINGS_H
#define GPUTAP_ANALYSIS_SECTIONS_SURROUNDINGS_H

#include "analysis/sections/action.h"
#include "analysis/sections/place.h"
#include "analysis/sections/shapes.h"

struct gt_surroundings {
	struct gt_arena *arena;           /* of the messages, not owned */
	struct gt_model *model;           /* not owned */
	struct gt_places places;
	GT_LIST(uint32_t) unused_told;    /* processes whose buffers that nothing uses were told */
	bool failed;                      /* no memory: a message lacks something */
};

/* Reads the whole trace: a walk of its own. 0, or -1 with *err; to be closed either way. */
int gt_surroundings_open(struct gt_surroundings *s, struct gt_arena *arena, struct gt_model *m, struct gt_err *err);
/* Its place in time, a GputapTrace; NULL: no memory. */
const struct gt_message *gt_surroundings_place(
	struct gt_surroundings *s, const struct gt_action *a, const struct gt_dispatch *d);
/* What all launches of its shape came to, into its GputapTrace. judged: it is the one that rules look at. */
void gt_surroundings_add_shape(struct gt_surroundings *s, struct gt_message *trace, const struct gt_shapes *shapes,
	const struct gt_shape *shape, bool judged);
/*
 * An NvtxState with the pushes of its thread and the starts of its process that were open when the call began; NULL:
 * none.
 */
const struct gt_message *gt_surroundings_nvtx(struct gt_surroundings *s, const struct gt_dispatch *d);
void gt_surroundings_close(struct gt_surroundings *s);

#endif
