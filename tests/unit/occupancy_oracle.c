/*
 * tests/unit/occupancy_oracle.c - our occupancy beside that of the vendor's header; compiled by test_occupancy.py
 *
 * occupancy_oracle compare N    the first N shapes; prints what differs, the last line counts
 * occupancy_oracle answers N    the header's answers to the first N: occupancy_shapes.txt
 *
 * HEADER is the CUDART_VERSION of the toolkit that the header is of. Devices that were new then and that a later header
 * corrects are left out, and counted: before 13.5, those of compute capability 10.3 (their barriers).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_occupancy.h>

#include "tests/unit/occupancy_shapes.h"

static bool ask_header(const struct gt_occupancy_device *d, const struct gt_occupancy_launch *l, cudaOccResult *r)
{
	static const cudaOccCacheConfig caches[] = {
		CACHE_PREFER_NONE, CACHE_PREFER_SHARED, CACHE_PREFER_L1, CACHE_PREFER_EQUAL
	};
	cudaOccDeviceProp p = { 0 };
	cudaOccFuncAttributes a = { 0 };
	cudaOccDeviceState s = { caches[l->cache], l->carveout };

	p.computeMajor = (int)d->major;
	p.computeMinor = (int)d->minor;
	p.maxThreadsPerBlock = (int)d->threads_per_block;
	p.maxThreadsPerMultiprocessor = (int)d->threads_per_sm;
	p.regsPerBlock = (int)d->registers_per_block;
	p.regsPerMultiprocessor = (int)d->registers_per_sm;
	p.warpSize = (int)d->warp;
	p.sharedMemPerBlock = d->shared_per_block;
	p.sharedMemPerMultiprocessor = d->shared_per_sm;
	p.numSms = 1;
	p.sharedMemPerBlockOptin = d->shared_per_block_optin;
	p.reservedSharedMemPerBlock = d->shared_reserved;
	a.maxThreadsPerBlock = INT_MAX;
	a.numRegs = (int)l->registers;
	a.sharedSizeBytes = l->static_shared;
	a.partitionedGCConfig = (cudaOccPartitionedGCConfig)l->halves;
	a.shmemLimitConfig = l->optin ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
	a.maxDynamicSharedSizeBytes = l->max_dynamic;
	a.numBlockBarriers = (int)l->barriers;
	a.virtualResourceCount = (int)l->virtual_resources;
	memset(r, 0, sizeof *r);
	return cudaOccMaxActiveBlocksPerMultiprocessor(r, &p, &a, &s, (int)l->block_threads, l->dynamic_shared) ==
		CUDA_OCC_SUCCESS;
}

/* The newest header is asked everything. */
static bool is_left_out(const struct gt_occupancy_device *d)
{
	return HEADER < 13050 && d->major == 10 && d->minor == 3;
}

/* blocks, limits in the order of enum gt_occupancy_limit, what is handed out; "-" where there is no answer */
static void put_header(char *out, size_t bytes, bool ok, const cudaOccResult *r)
{
	if (!ok)
		snprintf(out, bytes, "-");
	else
		snprintf(out, bytes, "%d %d %d %d %d %d %d %d %zu", r->activeBlocksPerMultiprocessor,
			r->blockLimitWarps, r->blockLimitRegs, r->blockLimitSharedMem, r->blockLimitBlocks,
			r->blockLimitBarriers, r->blockLimitVirtual, r->allocatedRegistersPerBlock,
			r->allocatedSharedMemPerBlock);
}

static void put_ours(char *out, size_t bytes, bool ok, const struct gt_occupancy *o)
{
	if (!ok)
		snprintf(out, bytes, "-");
	else
		snprintf(out, bytes, "%u %u %u %u %u %u %u %u %llu", o->blocks, o->limit[GT_LIMIT_WARPS],
			o->limit[GT_LIMIT_REGISTERS], o->limit[GT_LIMIT_SHARED], o->limit[GT_LIMIT_BLOCKS],
			o->limit[GT_LIMIT_BARRIERS], o->limit[GT_LIMIT_VIRTUAL], o->registers_per_block,
			(unsigned long long)o->shared_per_block);
}

int main(int argc, char **argv)
{
	uint32_t n = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0, differ = 0, answered = 0, left_out = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct gt_occupancy_device d;
		struct gt_occupancy_launch l;
		struct gt_occupancy o;
		cudaOccResult r;
		char theirs[200], ours[200];
		bool ok;

		shape(i, &d, &l);
		ok = ask_header(&d, &l, &r);
		answered += ok;
		left_out += is_left_out(&d);
		ok = ok && !is_left_out(&d);
		put_header(theirs, sizeof theirs, ok, &r);
		if (!strcmp(argv[1], "answers")) {
			puts(theirs);
			continue;
		}
		if (is_left_out(&d))
			continue;
		put_ours(ours, sizeof ours, gt_occupancy(&d, &l, &o), &o);
		if (strcmp(theirs, ours) && differ++ < 20)
			printf("shape %u, %u.%u: header %s, ours %s\n", i, d.major, d.minor, theirs, ours);
	}
	if (n && strcmp(argv[1], "answers"))
		printf("%u shapes, %u answered, %u left out, %u differ\n", n, answered, left_out, differ);
	return n == 0 || differ != 0;
}
