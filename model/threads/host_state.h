/*
 * model/threads/host_state.h - what an item of the timeline says about a thread of the host
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_HOST_STATE_H
#define GPUTAP_MODEL_HOST_STATE_H

#include <string.h>

#include "model/timeline.h"

enum gt_host_state { GT_HOST_CODE, GT_HOST_OS, GT_HOST_WAIT, GT_HOST_API };

/* OpenCL's calls that may make the host wait for the device; of CUDA's the waits are items of their own. */
static inline bool gt_call_waits(const struct gt_call *call)
{
	if (!call || call->cuda || call->is_callback)
		return false;
	if (!strcmp(call->fn->kind, "sync"))
		return strcmp(call->fn->name, "clFlush") != 0; /* it hands over and returns */
	return call->command && call->command->blocking;
}

/* In 2 a stream waits, and not the host (CUPTI's numbers). */
static inline bool gt_sync_waits(const struct gt_item *item)
{
	return item->kind == GT_ITEM_SYNC && item->timed && item->cuda && item->cuda->sync.type != 2;
}

/* Calls of the C library: -t osrt. */
static inline bool gt_is_os_runtime(const struct gt_fn *fn) { return fn && fn->domain == REC_DOMAIN_OSRT; }

/* Regions of OpenMP (-t openmp) are the program's own code, but those in which a thread waits for others. */
static inline bool gt_is_openmp(const struct gt_fn *fn) { return fn && fn->domain == REC_DOMAIN_OPENMP; }
static inline bool gt_openmp_waits(const struct gt_fn *fn)
{
	size_t n = gt_is_openmp(fn) ? strlen(fn->name) : 0;

	return n > 5 && !strcmp(fn->name + n - 5, "_wait");
}

/* Of a call, not of a callback. */
static inline enum gt_host_state gt_host_state_of(const struct gt_item *item)
{
	if (gt_is_openmp(item->fn))
		return gt_openmp_waits(item->fn) ? GT_HOST_OS : GT_HOST_CODE;
	return gt_is_os_runtime(item->fn) ? GT_HOST_OS : gt_call_waits(item->call) ? GT_HOST_WAIT : GT_HOST_API;
}

/* Kernels, copies, fills, graphs: what keeps a device busy. */
static inline bool gt_is_busy(const struct gt_item *item)
{
	return item->timed && (item->kind == GT_ITEM_KERNEL || item->kind == GT_ITEM_COPY ||
				      item->kind == GT_ITEM_FILL || item->kind == GT_ITEM_GRAPH);
}

#endif
