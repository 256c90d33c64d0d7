/*
 * collectors/opencl/query.c - answers that would show the profiling we switched on or the references we hold
 *
 * Runs      in application threads, inside wrappers, instead of the real query.
 * Must not  malloc, lock, change what an untraced program would read, error codes included.
 *
 * Reference counts: what is complete is harvested first, which frees all that its events pin in the driver; then the
 * one reference that we still hold is subtracted from an event's own count. What a pending command pins, it pins
 * untraced too.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/opencl/internal.h"

/* ------------------------------------------------------------------ queues */

/* The list that the application gave, as the specification says it is returned. */
static cl_int own_list(const struct tap_cl_queue *q, size_t size, void *value, size_t *size_ret)
{
	size_t bytes = q->list_words * sizeof *q->list;

	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value)
		for (uint32_t i = 0; i < q->list_words; i++)
			((cl_queue_properties *)value)[i] = q->list[i];
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}

/* A runtime that does not know the query says so itself. */
static cl_int properties_array(const struct tap_opencl_api *real, const struct tap_cl_queue *q, cl_command_queue queue,
	size_t size, void *value, size_t *size_ret)
{
	size_t bytes = 0;

	if (real->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 0, NULL, &bytes) != CL_SUCCESS)
		return real->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, size, value, size_ret);
	return own_list(q, size, value, size_ret);
}

cl_int tap_cl_do_clGetCommandQueueInfo(const struct tap_opencl_api *real, cl_command_queue command_queue,
	cl_command_queue_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	struct tap_cl_queue *q = tap_cl_queue_find(command_queue);
	cl_int ret;

	if (q && param_name == CL_QUEUE_REFERENCE_COUNT)
		tap_cl_settle(q);
	if (q && param_name == CL_QUEUE_PROPERTIES_ARRAY && q->profiled == 1 && q->list_known)
		return properties_array(real, q, command_queue, param_value_size, param_value, param_value_size_ret);
	ret = real->clGetCommandQueueInfo(
		command_queue, param_name, param_value_size, param_value, param_value_size_ret);
	if (q && ret == CL_SUCCESS && param_name == CL_QUEUE_PROPERTIES && !q->app_profiles && param_value &&
		param_value_size >= sizeof(cl_command_queue_properties))
		*(cl_command_queue_properties *)param_value &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
	return ret;
}

/* ------------------------------------------------------------------ events */

static bool polled_complete(cl_event_info name, const void *value, size_t size)
{
	return name == CL_EVENT_COMMAND_EXECUTION_STATUS && value && size >= sizeof(cl_int) &&
		*(const cl_int *)value <= CL_COMPLETE;
}

/*
 * The driver's count less ours. Another thread may give ours back while this one asks: what was held behind the
 * question, or neither before nor behind it, is certain; everything else is asked again.
 */
static bool is_certain(enum tap_cl_slot_state before, enum tap_cl_slot_state behind)
{
	return behind == TAP_CL_FULL || (!before && !behind);
}

/* A function of its own: what it asks is a question of ours, and not the application's. */
static __attribute__((cold, noinline)) cl_uint references_again(
	const struct tap_opencl_api *real, struct tap_cl_queue *q, cl_event event)
{
	enum tap_cl_slot_state before, behind;
	cl_uint n = 0;

	tap_own_calls_begin();
	do {
		before = tap_cl_holds(q, event);
		real->clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, NULL);
		behind = tap_cl_holds(q, event);
	} while (!is_certain(before, behind) && tap_cl_patient());
	tap_own_calls_end();
	return behind ? n - 1 : n;
}

cl_int tap_cl_do_clGetEventInfo(const struct tap_opencl_api *real, cl_event event, cl_event_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	struct tap_cl_queue *q = param_name == CL_EVENT_REFERENCE_COUNT ? tap_cl_queue_of(real, event) : NULL;
	enum tap_cl_slot_state before = TAP_CL_FREE, behind;
	cl_int ret;

	if (q) {
		tap_cl_settle(q);
		before = tap_cl_holds(q, event);
	}
	ret = real->clGetEventInfo(event, param_name, param_value_size, param_value, param_value_size_ret);
	if (!q || ret != CL_SUCCESS || !param_value || param_value_size < sizeof(cl_uint))
		return ret;
	behind = tap_cl_holds(q, event);
	if (unlikely(!is_certain(before, behind)))
		*(cl_uint *)param_value = references_again(real, q, event);
	else if (behind)
		--*(cl_uint *)param_value;
	return ret;
}

/* A polling program never waits: what it has just seen complete is read now. */
void tap_cl_post_clGetEventInfo(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
	size_t *param_value_size_ret)
{
	struct tap_cl_queue *q;

	(void)call, (void)param_value_size_ret;
	if (ret != CL_SUCCESS || !polled_complete(param_name, param_value, param_value_size))
		return;
	q = tap_cl_queue_of(real, event);
	if (q)
		tap_cl_harvest_until(q, event);
}

/* The queue does not profile as far as the application knows. An invalid event is the runtime's to refuse. */
cl_int tap_cl_do_clGetEventProfilingInfo(const struct tap_opencl_api *real, cl_event event,
	cl_profiling_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	struct tap_cl_queue *q = event ? tap_cl_queue_of(real, event) : NULL;

	if (q && q->profiled == 1 && !q->app_profiles)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	return real->clGetEventProfilingInfo(event, param_name, param_value_size, param_value, param_value_size_ret);
}

/* ------------------------------------------------------------------ the same where the call is not recorded */

cl_int tap_cl_unseen_clGetCommandQueueInfo(const struct tap_opencl_api *real, cl_command_queue command_queue,
	cl_command_queue_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	return tap_cl_do_clGetCommandQueueInfo(
		real, command_queue, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int tap_cl_unseen_clGetEventInfo(const struct tap_opencl_api *real, cl_event event, cl_event_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	return tap_cl_do_clGetEventInfo(real, event, param_name, param_value_size, param_value, param_value_size_ret);
}

cl_int tap_cl_unseen_clGetEventProfilingInfo(const struct tap_opencl_api *real, cl_event event,
	cl_profiling_info param_name, size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	return tap_cl_do_clGetEventProfilingInfo(
		real, event, param_name, param_value_size, param_value, param_value_size_ret);
}

/* ------------------------------------------------------------ what events pin: contexts, memory, kernels, programs */

void tap_cl_pre_clGetContextInfo(const struct tap_opencl_api *real, cl_context context, cl_context_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	(void)real, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	if (param_name == CL_CONTEXT_REFERENCE_COUNT)
		tap_cl_settle_context(context);
}

void tap_cl_pre_clGetMemObjectInfo(const struct tap_opencl_api *real, cl_mem memobj, cl_mem_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	(void)real, (void)memobj, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	if (param_name == CL_MEM_REFERENCE_COUNT)
		tap_cl_settle_context(NULL);
}

void tap_cl_pre_clGetKernelInfo(const struct tap_opencl_api *real, cl_kernel kernel, cl_kernel_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	(void)real, (void)kernel, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	if (param_name == CL_KERNEL_REFERENCE_COUNT)
		tap_cl_settle_context(NULL);
}

void tap_cl_pre_clGetProgramInfo(const struct tap_opencl_api *real, cl_program program, cl_program_info param_name,
	size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
	(void)real, (void)program, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
	if (param_name == CL_PROGRAM_REFERENCE_COUNT)
		tap_cl_settle_context(NULL);
}
