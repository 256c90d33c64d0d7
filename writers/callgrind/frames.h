/*
 * writers/callgrind/frames.h - the functions of the host on the way to a call
 *
 * The one place where call stacks enter a profile. A trace without them gives no frames, and a call stands directly
 * under its thread and ranges then.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_CALLGRIND_FRAMES_H
#define GPUTAP_WRITERS_CALLGRIND_FRAMES_H

#include "model/timeline.h"

/* Empty texts, line 0 and address 0: not known. address: in the object's file, its load offset subtracted. */
struct cg_frame {
	struct gt_string function, file, object;
	uint32_t line;                    /* where it called on */
	uint64_t address;
};
struct cg_frames { const struct gt_item *item; uint32_t at; };

/* The stack of a call: outermost first. The texts live as long as the model. */
static inline void cg_frames_of(struct cg_frames *f, const struct gt_item *call)
{
	*f = (struct cg_frames){ .item = call };
}

static inline bool cg_frames_next(struct cg_frames *f, struct cg_frame *frame)
{
	(void)f;
	(void)frame;
	return false;
}

#endif
