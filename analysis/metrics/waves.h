/*
 * analysis/metrics/waves.h - what a compute unit can hold of a dispatch: the values of the .occupancy file
 *
 * A multiprocessor of CUDA is a compute unit, a warp a wavefront, shared memory the local data share, a register one of
 * the vector registers. What a runtime does not tell is GT_WAVES_UNKNOWN in a number and 0 in a size: nothing is
 * guessed.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_WAVES_H
#define GPUTAP_ANALYSIS_METRICS_WAVES_H

#include "analysis/metrics/dispatch.h"
#include "analysis/metrics/occupancy.h"

#define GT_WAVES_UNKNOWN (-1)

struct gt_waves {
	/* of the device */
	int64_t units;                    /* compute units */
	int64_t max_waves, max_groups;    /* of one */
	int64_t max_vector_registers, max_scalar_registers; /* of one work-item */
	int64_t max_local;                /* bytes of one compute unit */
	int64_t wave, simds;              /* work-items of a wavefront; SIMD units of a compute unit */
	uint64_t max_group_size, max_global_size;           /* work-items, all dimensions multiplied; 0: not known */
	int64_t generation;               /* AMD: of the graphics IP; NVIDIA: of the compute capability */
	/* of the dispatch */
	int64_t vector_registers, scalar_registers;         /* that one work-item uses */
	int64_t local;                    /* bytes that a group uses */
	uint64_t group_size, global_size; /* work-items, all dimensions multiplied; 0: not known */
	int64_t waves_per_group, max_waves_per_group;
	/* wavefronts of a compute unit that each lets in */
	int64_t vector_limit, scalar_limit, local_limit, group_limit;
	double share;                     /* percent of max_waves that run at once; < 0: not known */
};

void gt_waves(const struct gt_dispatch *d, struct gt_waves *out);

/* The same launch for the CUDA calculation: what the device has and what the kernel asks for. False: the device or its
 * compute capability is not known. */
bool gt_cuda_occupancy(const struct gt_dispatch *d, struct gt_occupancy *out);

#endif
