/*
 * analysis/metrics/arguments.h - what the arguments of OpenCL's kernels are at each launch
 *
 * Follows the calls that set them; a buffer is known by the handle that an argument of a handle's size holds.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_ARGUMENTS_H
#define GPUTAP_ANALYSIS_METRICS_ARGUMENTS_H

#include "common/map.h"
#include "model/model.h"

struct gt_arguments {
	const struct gt_model *model;
	struct gt_map kernels;
	struct gt_argument_list *lists;   /* all of them, to free */
	bool failed;                      /* out of memory: what is told from here on may lack some */
};

struct gt_argument_sum {
	uint32_t set, buffers;            /* arguments that were set; those that name memory objects or pointers */
	uint64_t buffer_bytes;            /* of the distinct ones */
	bool bytes_known;                 /* of all of them */
};

void gt_arguments_open(struct gt_arguments *a, const struct gt_model *m);
/* Each call of the walk, in its order. */
void gt_arguments_follow(struct gt_arguments *a, const struct gt_call *call);
struct gt_argument_sum gt_arguments_of(const struct gt_arguments *a, const struct gt_object *kernel);
/* Each memory object that an argument of the kernel names. */
void gt_arguments_each(const struct gt_arguments *a, const struct gt_object *kernel,
	void (*take)(void *ctx, const struct gt_object *memory), void *ctx);
void gt_arguments_close(struct gt_arguments *a);

#endif
