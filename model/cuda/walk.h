/*
 * model/cuda/walk.h - the walk's side of CUDA: its calls, one at a time
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_WALK_H
#define GPUTAP_MODEL_CUDA_WALK_H

#include "model/cuda/cuda.h"

struct gt_cuda_feed {
	struct gt_model *model;
	struct gt_cuda *cuda;             /* NULL: the walk does not want CUDA calls */
	uint64_t at, n;                   /* GT_CUDA_CALL */
	int process;                      /* -1 all */
	bool nested, loaded;
	struct gt_cuda_event event;       /* the next one when loaded, else the one taken last */
};

int gt_cuda_feed_open(
	struct gt_cuda_feed *f, struct gt_model *m, const struct gt_walk_options *opt, struct gt_err *err);
/* The next call of the walk's process; 1, 0 at the end, -1 with *err. */
int gt_cuda_feed_peek(struct gt_cuda_feed *f, const struct gt_cuda_event **e, struct gt_err *err);
/* Fills *call with what was peeked at, with the next numbers, and goes on. */
void gt_cuda_feed_take(struct gt_cuda_feed *f, struct gt_call *call);
/* Does work of the call run in the window? */
bool gt_cuda_call_overlaps(struct gt_cuda *c, const struct gt_cuda_event *call, int64_t from_ns, int64_t to_ns);

#endif
