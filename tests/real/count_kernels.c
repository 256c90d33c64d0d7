/*
 * tests/real/count_kernels.c - an OpenCL layer that counts kernels, as a witness that shares no code with the tracer
 *
 * Named in OPENCL_LAYERS, it stands between the loader and the driver, so it sees the commands of programs that link
 * the loader, open it or bring their own. At exit it writes one line "kernels API_CALLS_THAT_ENQUEUED_ONE" for each
 * process that enqueued any to $COUNT_KERNELS.PID.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../opencl_layer.h"

static struct _cl_icd_dispatch layer;
static const struct _cl_icd_dispatch *next;
static _Atomic unsigned kernels;

static void write_count(void)
{
	const char *base = getenv("COUNT_KERNELS");
	char path[4096];
	FILE *f;

	if (!base || !kernels || snprintf(path, sizeof path, "%s.%d", base, (int)getpid()) >= (int)sizeof path)
		return;
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "kernels %u\n", kernels);
	fclose(f);
}

static cl_int CL_API_CALL ndrange(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
	const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	cl_int err = next->clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, waits, wait_list, event);

	kernels += err == CL_SUCCESS;
	return err;
}

static cl_int CL_API_CALL task(
	cl_command_queue queue, cl_kernel kernel, cl_uint waits, const cl_event *wait_list, cl_event *event)
{
	cl_int err = next->clEnqueueTask(queue, kernel, waits, wait_list, event);

	kernels += err == CL_SUCCESS;
	return err;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
	cl_uint *entries_out, const struct _cl_icd_dispatch **layer_out)
{
	if (entries < sizeof layer / sizeof(void *))
		return CL_INVALID_VALUE;
	next = target;
	layer.clEnqueueNDRangeKernel = ndrange;
	layer.clEnqueueTask = task;
	atexit(write_count);
	*entries_out = sizeof layer / sizeof(void *);
	*layer_out = &layer;
	return CL_SUCCESS;
}
