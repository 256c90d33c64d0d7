/*
 * model/window.h - what --from and --to take: the one rule, for reports and for every format
 *
 * WINDOW1  A call is taken when it overlaps the window, or any work that it set going does. Work is taken when it
 *          overlaps, or its call does: so a launch has its kernel, and a kernel its launch. What belongs to no call
 *          (ranges, migrations, what CUPTI tells of itself) is taken when it overlaps. A call that never returned has
 *          no end: it overlaps every window that ends behind its start.
 *
 * For calls gt_walk_wanted (model/walk.c) holds it, for work of CUDA gt_cuda_inside.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_WINDOW_H
#define GPUTAP_MODEL_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/read/reader.h"

struct gt_cuda;
struct gt_cuda_event;

/* from_ns, to_ns: GT_NO_TIME where the window is open. */
static inline bool gt_overlaps(int64_t from_ns, int64_t to_ns, int64_t start_ns, int64_t end_ns)
{
	return (from_ns == GT_NO_TIME || end_ns >= from_ns) && (to_ns == GT_NO_TIME || start_ns <= to_ns);
}

/* WINDOW1, of anything that CUPTI tells. What has no times is taken with its call. */
bool gt_cuda_inside(struct gt_cuda *c, const struct gt_cuda_event *e, int64_t from_ns, int64_t to_ns);
/* Can what starts behind the window be inside: is it work, whose call may lie before? */
bool gt_cuda_may_follow(const struct gt_cuda_event *e);

#endif
