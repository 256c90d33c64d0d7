/*
 * analysis/metrics/dispatch.h - every launch of a kernel, OpenCL's and CUDA's alike
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_METRICS_DISPATCH_H
#define GPUTAP_ANALYSIS_METRICS_DISPATCH_H

#include "analysis/metrics/arguments.h"
#include "analysis/metrics/peak.h"
#include "model/cuda/cuda.h"
#include "model/model.h"

#define GT_NO_CALL UINT64_MAX

struct gt_dispatch {
	uint32_t process;
	int tid;                          /* of the thread that launched it; -1: not known */
	uint32_t thread;                  /* the same as gt_thread index; GT_CUDA_NONE */
	int64_t call_ns;                  /* when the call began; GT_NO_TIME */
	/* of the call in its thread, from 0, as readers of CodeXL's files count: without clGetEventInfo; GT_NO_CALL */
	uint64_t call_index;
	struct gt_string kernel, device;  /* "" when not known */
	/* tell kernels of one name and devices of one name apart in their process; 0: nothing is known of it */
	uint64_t kernel_key, device_key;
	uint32_t dims;
	uint64_t global[3], group[3];     /* threads (work-items); 1 beyond dims */
	bool has_global, has_group;
	bool timed;
	int64_t start_ns, end_ns;         /* on the device; GT_NO_TIME unless timed */
	/* one of both, until the next dispatch */
	const struct gt_command *opencl;
	const struct gt_cuda_event *cuda;
	const struct gt_cuda_device *cuda_device; /* NULL: nothing is known of it */
	struct gt_argument_sum arguments; /* OpenCL's */
	struct gt_peak peak;              /* of OpenCL's device */
};

/*
 * Gives each dispatch of the walk's processes and window to `take`, in order of the calls that made them; kernels whose
 * call is not in the trace come last. A launch that failed is none. take returns 0, or -1 with *err, which ends it.
 */
int gt_dispatches(struct gt_model *m, const struct gt_walk_options *walk,
	int (*take)(void *ctx, const struct gt_dispatch *d, struct gt_err *err), void *ctx, struct gt_err *err);

/* Does it run on the host's processors? */
bool gt_dispatch_on_cpu(const struct gt_dispatch *d);

/* Threads or groups in all dimensions; UINT64_MAX where they are more than a number holds. */
static inline uint64_t gt_dispatch_in_all(const uint64_t size[3])
{
	uint64_t n;

	return __builtin_mul_overflow(size[0], size[1], &n) || __builtin_mul_overflow(n, size[2], &n) ? UINT64_MAX : n;
}

/* What the runtime said of the device, or of the kernel on the device that it ran on; false: it was not asked, or gave
 * no number. */
bool gt_dispatch_device_number(const struct gt_dispatch *d, uint32_t key, uint64_t *out);
bool gt_dispatch_kernel_number(const struct gt_dispatch *d, uint32_t key, uint64_t *out);

#endif
