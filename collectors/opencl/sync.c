/*
 * collectors/opencl/sync.c - calls that synchronise or release: what they flushed, and what may be harvested there
 *
 * Runs      in application threads, inside wrappers.
 * Must not  malloc, lock, wait for anything.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"

#define EVENTS 8u                                 /* of a wait list, looked at for their queue */

/* What a flush or finish covers is what was enqueued before it began, whatever other threads add meanwhile. */
static void before_flush(cl_command_queue queue)
{
	struct tap_cl_queue *q = tap_cl_queue_find(queue);

	if (q)
		tap_cl_flush_begins(q);
}

void tap_cl_pre_clFlush(const struct tap_opencl_api *real, cl_command_queue command_queue)
{
	(void)real;
	before_flush(command_queue);
}

void tap_cl_pre_clFinish(const struct tap_opencl_api *real, cl_command_queue command_queue)
{
	(void)real;
	before_flush(command_queue);
}

void tap_cl_post_clFlush(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_command_queue command_queue)
{
	struct tap_cl_queue *q = ret == CL_SUCCESS ? tap_cl_queue_find(command_queue) : NULL;

	(void)real, (void)call;
	if (!q)
		return;
	tap_cl_flush_ended(q);
	tap_cl_harvest(q, TAP_CL_LIGHT);
}

void tap_cl_post_clFinish(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_command_queue command_queue)
{
	struct tap_cl_queue *q = ret == CL_SUCCESS ? tap_cl_queue_find(command_queue) : NULL;

	(void)real, (void)call;
	if (!q)
		return;
	tap_cl_check_fork();
	tap_cl_flush_ended(q);
	tap_cl_harvest(q, TAP_CL_ALL);
	tap_cl_clock_resample(q->device, false);
	tap_cl_harvest_some();
}

/*
 * The wait flushed the queues of its events up to these; a failed event (CL_EXEC_STATUS_ERROR_...) ends the wait as
 * well.
 */
void tap_cl_post_clWaitForEvents(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_uint num_events, const cl_event *event_list)
{
	struct tap_cl_queue *q, *last = NULL;

	(void)call;
	if (ret != CL_SUCCESS && ret != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
		return;
	for (cl_uint i = 0; i < num_events && i < EVENTS; i++) {
		q = tap_cl_queue_of(real, event_list[i]);
		if (!q || q == last)
			continue;
		last = q;
		tap_cl_mark_flushed(q);
		tap_cl_harvest_until(q, event_list[i]);
	}
}

/* Freeing its events is how a program that neither waits nor polls gives us a moment. */
void tap_cl_post_clReleaseEvent(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_event event)
{
	struct tap_cl_queue *q = tap_cl_queue_last();

	(void)real, (void)call, (void)ret, (void)event;
	if (q)
		tap_cl_harvest(q, TAP_CL_LIGHT);
}

/* Before the context or buffer goes: whatever is complete must not pin it: its destructor callbacks would be late. */
void tap_cl_pre_clReleaseContext(const struct tap_opencl_api *real, cl_context context)
{
	(void)real;
	tap_cl_harvest_context(context);
}

void tap_cl_pre_clReleaseMemObject(const struct tap_opencl_api *real, cl_mem memobj)
{
	(void)real, (void)memobj;
	tap_cl_harvest_some();
}
