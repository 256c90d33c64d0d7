/*
 * collectors/opencl/serialize.c - --serialize: a command is over when the call that enqueues it returns
 *
 * Runs      in application threads, inside wrappers of enqueue functions, behind the real call.
 * May       wait: without an end for a command that the device can reach, BEGIN_NS for one that the program holds back.
 *
 * SERIAL1  What only the program can let go (a user event, a semaphore) must stay free to happen in this very thread.
 *          What stands behind a user event is known and not waited for (held.c). While another gate may be closed, or
 *          one is, a wait for anything else polls and gives up; `held` then says that the next waits would be in vain,
 *          until the program opens a gate. gates counts those that held.c does not know, and is an upper bound: a
 *          semaphore that is signalled before the wait stays counted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <time.h>

#include "collectors/futex.h"
#include "collectors/opencl/internal.h"
#include "ids.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

#define BEGIN_NS 1000000000u
#define PAUSE_NS 20000

static _Atomic int32_t gates;
static _Atomic bool held;

int tap_cl_status_of(const struct tap_opencl_api *real, cl_event event)
{
	cl_int status = CL_QUEUED;

	if (real->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) != CL_SUCCESS)
		return CL_COMPLETE;
	return status;
}

bool tap_cl_wait_polling(
	const struct tap_opencl_api *real, cl_command_queue queue, cl_event event, uint64_t running_ns)
{
	const struct timespec pause = { 0, PAUSE_NS };
	uint64_t began = tap_now_ns();
	int status;

	real->clFlush(queue);
	while ((status = tap_cl_status_of(real, event)) > CL_COMPLETE) {
		uint64_t took = tap_now_ns() - began;

		if (took > (status == CL_RUNNING ? running_ns : BEGIN_NS))
			return false;
		TAP_SYS(nanosleep, &pause, NULL, 0, 0, 0, 0);
	}
	return true;
}

/* SERIAL1 */
static void closed_one(void) { atomic_fetch_add(&gates, 1); }

static void opened_one(void)
{
	int32_t n = atomic_load(&gates);

	while (n > 0 && !atomic_compare_exchange_weak(&gates, &n, n - 1))
		;
	atomic_store(&held, false);
}

void tap_cl_serialize_forget(void)
{
	atomic_store(&gates, 0);
	atomic_store(&held, false);
	tap_cl_held_forget();
}

static void note_held(void)
{
	tap_note(TAP_PART_OPENCL,
		"--%s: a command waits for what the program does later (a user event that is not set, say): that one "
		"is not waited for, nor what stands behind it",
		tap_options.serialize ? "serialize" : "cpu-counters");
}

bool tap_cl_held_back(const struct tap_cl_enqueue *e, const struct tap_call *call, cl_event event)
{
	static _Atomic bool told;
	bool known, is = tap_cl_note_held(call->fn, e->queue, e->state, e->n_waits, e->waits,
		event || !e->app || !*e->app ? event : *e->app, &known);

	if (!known)
		closed_one();
	if (is && !atomic_exchange(&told, true))
		note_held();
	return is;
}

bool tap_cl_serialize(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_command_queue queue, cl_event event)
{
	if (call->fn == FN_clEnqueueWaitSemaphoresKHR)
		closed_one();
	else if (call->fn == FN_clEnqueueSignalSemaphoresKHR)
		opened_one();
	if (!atomic_load(&gates) && !tap_cl_gates_closed()) {
		if (real->clFinish)
			real->clFinish(queue);
		return real->clFinish;
	}
	if (!event || !real->clGetEventInfo || !real->clFlush || atomic_load(&held))
		return false;
	if (tap_cl_wait_polling(real, queue, event, UINT64_MAX))
		return true;
	if (!atomic_exchange(&held, true))
		tap_note(TAP_PART_OPENCL,
			"--serialize: a command did not begin within a second while others wait for what the program "
			"does later: none is waited for until the program lets them go");
	return false;
}

/* ------------------------------------------------------------------ hooks: gates that the program makes and opens */

void tap_cl_post_clCreateUserEvent(const struct tap_opencl_api *real, const struct tap_call *call, cl_event ret,
	cl_context context, cl_int *errcode_ret)
{
	(void)real, (void)call, (void)context, (void)errcode_ret;
	if (ret && tap_options.one_by_one && !tap_cl_gate_close(ret))
		closed_one();
}

cl_event tap_cl_unseen_clCreateUserEvent(const struct tap_opencl_api *real, cl_context context, cl_int *errcode_ret)
{
	cl_event event = real->clCreateUserEvent(context, errcode_ret);

	tap_cl_post_clCreateUserEvent(real, NULL, event, context, errcode_ret);
	return event;
}

void tap_cl_post_clSetUserEventStatus(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_event event, cl_int status)
{
	(void)real, (void)call, (void)status;
	if (ret != CL_SUCCESS || !tap_options.one_by_one)
		return;
	if (!tap_cl_gate_open(event))
		opened_one();
	atomic_store(&held, false);
}

cl_int tap_cl_unseen_clSetUserEventStatus(const struct tap_opencl_api *real, cl_event event, cl_int status)
{
	cl_int ret = real->clSetUserEventStatus(event, status);

	tap_cl_post_clSetUserEventStatus(real, NULL, ret, event, status);
	return ret;
}

/* ------------------------------------------------------------------ hooks: what holds a queue back and has no event */

static void queue_waits(
	const struct tap_call *call, cl_int ret, cl_command_queue queue, cl_uint n, const cl_event *waits)
{
	struct tap_cl_enqueue e = { .queue = queue, .state = tap_cl_queue_find(queue), .n_waits = n, .waits = waits };

	if (ret == CL_SUCCESS && tap_options.one_by_one)
		tap_cl_held_back(&e, call, NULL);
}

void tap_cl_post_clEnqueueWaitForEvents(const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret,
	cl_command_queue queue, cl_uint n, const cl_event *list)
{
	(void)real;
	queue_waits(call, ret, queue, n, list);
}

void tap_cl_post_clEnqueueBarrier(
	const struct tap_opencl_api *real, const struct tap_call *call, cl_int ret, cl_command_queue queue)
{
	(void)real;
	queue_waits(call, ret, queue, 0, NULL);
}
