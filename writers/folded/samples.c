/*
 * writers/folded/samples.c - samples of the processors by the stack that they were in
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "model/symbols/symbols.h"
#include "model/threads/threads.h"
#include "model/window.h"
#include "writers/folded/internal.h"

int gt_folded_read_samples(struct gt_folded *f, uint32_t events, struct gt_err *err)
{
	struct gt_model *m = f->x->model;

	(void)events;
	(void)err;
	for (uint64_t i = 0; i < gt_model_sample_count(m); i++) {
		const struct gt_sample *s = gt_model_sample(m, i);
		const struct gt_thread *t = gt_model_thread(m, s->thread);
		const struct gt_frame *frames;
		uint32_t n;

		if (!gt_overlaps(f->x->from_ns, f->x->to_ns, s->time_ns, s->time_ns))
			continue;
		frames = gt_stack_frames(m, (uint32_t)s->stack, &n);
		gt_folded_begin(f, s->process, t->tid, (struct gt_string){ t->name, strlen(t->name) });
		for (uint32_t k = n; k-- > 0;)
			gt_folded_frame(f, frames[k].group.text, frames[k].group.bytes);
		gt_folded_end(f, 1);
	}
	return 0;
}
