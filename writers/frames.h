/*
 * writers/frames.h - the functions of the host on the way to a call
 *
 * The one place where call stacks enter a profile. A call without a stack gives no frames, and stands directly under
 * its thread and ranges then.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_FRAMES_H
#define GPUTAP_WRITERS_FRAMES_H

#include <string.h>

#include "model/symbols/symbols.h"
#include "model/timeline.h"

/* Empty texts, line 0: not known. address: of the call, in the object's file, its load offset subtracted. */
struct gt_cost_frame {
	struct gt_string function, file, object;
	uint32_t line;                    /* where it called on */
	uint64_t address;
};
struct gt_cost_frames { const struct gt_frame *frame; uint32_t left, inner; };

/* The stack of a call: outermost first, up to the program's function that made it. Texts live as long as the model. */
static inline void gt_cost_frames_of(struct gt_cost_frames *f, struct gt_model *m, const struct gt_item *item)
{
	const struct gt_call *call = item->call;

	*f = (struct gt_cost_frames){ 0 };
	if (!call)
		return;
	f->frame = gt_stack_frames(m, gt_call_stack(call), &f->left);
	f->inner = gt_stack_caller(f->frame, f->left, call->fn->name);
}

static inline bool gt_cost_frames_next(struct gt_cost_frames *f, struct gt_cost_frame *frame)
{
	const struct gt_frame *at;

	if (!f->frame || f->left <= f->inner)
		return false;
	at = &f->frame[--f->left];
	*frame = (struct gt_cost_frame){ .function = at->group, .line = at->line, .address = at->file_address };
	if (at->file)
		frame->file = (struct gt_string){ at->file, strlen(at->file) };
	if (at->module && at->module->path)
		frame->object = (struct gt_string){ at->module->path, strlen(at->module->path) };
	return true;
}

#endif
