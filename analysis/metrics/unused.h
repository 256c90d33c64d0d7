/*
 * analysis/metrics/unused.h - OpenCL buffers that were made and that no kernel and no command ever used
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_UNUSED_H
#define GPUTAP_ANALYSIS_METRICS_UNUSED_H

#include "analysis/metrics/arguments.h"

struct gt_unused {
	const struct gt_model *model;
	struct gt_arguments arguments;
	struct gt_map used;               /* memory objects that something used */
	bool *doubt;                      /* by process: something may use memory that is not seen */
	struct gt_unused_sum { uint64_t buffers, bytes; } *sums; /* by process */
	bool failed;                      /* out of memory: nothing is told */
};

void gt_unused_open(struct gt_unused *u, const struct gt_model *m);
/* Each call of a walk over everything, in its order. */
void gt_unused_follow(struct gt_unused *u, const struct gt_call *call);
/* Behind the last call; then gt_unused_of. */
void gt_unused_end(struct gt_unused *u);
/* False: what the process used is not known for sure. */
bool gt_unused_of(const struct gt_unused *u, uint32_t process, struct gt_unused_sum *out);
void gt_unused_close(struct gt_unused *u);

#endif
