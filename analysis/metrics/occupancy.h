/*
 * analysis/metrics/occupancy.h - how many blocks of a CUDA launch fit on a multiprocessor, and what keeps more away
 *
 * Plain arithmetic on what a launch asks for and what a multiprocessor has; no counters, no device. The rules are those
 * of the vendor's calculator (cuda_occupancy.h), with which tests/unit/test_occupancy.py compares every result.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_OCCUPANCY_H
#define GPUTAP_ANALYSIS_METRICS_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes and counts of one device. gt_occupancy_device fills in what its compute capability fixes. */
struct gt_occupancy_device {
	uint32_t major, minor;                    /* compute capability */
	uint32_t warp;                            /* threads */
	uint32_t threads_per_block, threads_per_sm;
	uint32_t registers_per_block, registers_per_sm;
	uint64_t shared_per_block, shared_per_sm; /* bytes */
	uint64_t shared_per_block_optin;          /* what a kernel may ask for beyond shared_per_block */
	uint64_t shared_reserved;                 /* what the driver takes of each block */
};

/* How a multiprocessor's memory is divided between cache and shared memory. */
enum gt_occupancy_cache { GT_CACHE_NONE, GT_CACHE_SHARED, GT_CACHE_L1, GT_CACHE_EQUAL };

/* 5.2, 5.3, 6.1, 6.2: blocks keep to one half of a multiprocessor when global loads are cached there. */
enum gt_occupancy_halves { GT_HALVES_OFF, GT_HALVES_ON, GT_HALVES_STRICT };

struct gt_occupancy_launch {
	uint32_t block_threads;
	uint32_t registers;                       /* of one thread */
	uint64_t static_shared, dynamic_shared;   /* bytes of one block */
	bool optin;                               /* it may have more than shared_per_block: up to max_dynamic */
	uint64_t max_dynamic;
	uint32_t barriers;                        /* of one block */
	uint32_t virtual_resources;               /* of one block; 0: none */
	enum gt_occupancy_cache cache;
	int carveout;                             /* share of shared memory, percent; -1: no preference */
	enum gt_occupancy_halves halves;
};

enum gt_occupancy_limit {
	GT_LIMIT_WARPS, GT_LIMIT_REGISTERS, GT_LIMIT_SHARED, GT_LIMIT_BLOCKS, GT_LIMIT_BARRIERS, GT_LIMIT_VIRTUAL,
	GT_LIMITS
};

#define GT_OCCUPANCY_UNLIMITED 0x7fffffffu

struct gt_occupancy {
	uint32_t blocks;                          /* that fit on a multiprocessor; 0: the launch cannot run there */
	uint32_t limit[GT_LIMITS];                /* blocks that each would let in; GT_OCCUPANCY_UNLIMITED */
	unsigned limiters;                        /* bit i: limit[i] is the smallest */
	uint32_t warps_per_block, warps_per_sm;   /* the latter: that a multiprocessor can hold */
	uint32_t registers_per_block;             /* as they are handed out */
	uint64_t shared_per_block;
	double share;                             /* of the warps that a multiprocessor can hold, 0 to 1 */
};

/*
 * What a device of this compute capability has, where the fields of *d are 0; what is given stays. False: the
 * capability is not known (newer than this program, or older than 3.0).
 */
bool gt_occupancy_device(struct gt_occupancy_device *d);

/* Blocks and threads that its multiprocessors hold at once; 0: not known. */
uint32_t gt_occupancy_max_blocks(uint32_t major, uint32_t minor);
/* Parts of a multiprocessor, each with its own scheduler; 0: not known. */
uint32_t gt_occupancy_parts(uint32_t major, uint32_t minor);
/* Registers that one thread can have; 0: not known. */
uint32_t gt_occupancy_max_registers(uint32_t major, uint32_t minor);

/* False: the capability is not known, a value is 0 that cannot be, or no such amount of shared memory exists there. */
bool gt_occupancy(const struct gt_occupancy_device *d, const struct gt_occupancy_launch *l, struct gt_occupancy *out);

#endif
