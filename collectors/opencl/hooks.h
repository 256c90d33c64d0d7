/*
 * collectors/opencl/hooks.h - what the generated OpenCL wrappers tell the OpenCL collector
 *
 * Runs      in the calling thread, inside a wrapper, after tap_call_begin and around the real call.
 * The collector keeps: which queues we made profile, events of pending commands (per-queue rings), what the
 * application asked for where it may look. It calls the driver only through `real`, with nothing held.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_OPENCL_HOOKS_H
#define GPUTAP_COLLECTORS_OPENCL_HOOKS_H

#include "opencl_api.h"          /* generated: struct tap_opencl_api, CL types */
#include "trace/write/call/call.h"

/* ---- enqueue functions: kind `enqueue`, event output ---- */
struct tap_cl_enqueue {
	cl_event own;            /* slot given to the driver when timed */
	cl_event *app;           /* the application's slot, may be NULL */
	cl_command_queue queue;
	struct tap_cl_queue *state;  /* the collector's, NULL for a queue it never saw */
	enum rec_loss refused;       /* why it is not to be timed; 0 = it is, or times are not wanted */
	bool timed;
	cl_uint n_waits;             /* set by the wrapper, behind the real call */
	const cl_event *waits;       /* the application's */
};
/* The event slot to pass to the driver: the application's own when the command is not to be timed. */
cl_event *tap_cl_event_slot(
	struct tap_cl_enqueue *e, const struct tap_opencl_api *real, cl_command_queue queue, cl_event *app);
/* After the call: retains, copies the event to the application, and queues it for harvest. call->link is set. */
void tap_cl_enqueued(struct tap_cl_enqueue *e, const struct tap_opencl_api *real, const struct tap_call *call,
	cl_int err, bool blocking);

/*
 * ---- hooks: `hook:pre`, `hook:post`, `hook:replace` in opencl.api; a function may have several ----
 * pre     tap_cl_pre_NAME(real, <parameters>)           before the real call, nothing recorded yet
 * post tap_cl_post_NAME(real, &call, ret, <parameters>) after the record was committed; ret as the wrapper returns it
 *         (creating functions: the object, NULL after a failure); call->link tells where the record lies
 * replace ret = tap_cl_do_NAME(real, <parameters>) instead of real->NAME(...); it calls the real one itself. In an
 * enqueue
 *         function the event parameter is the slot of tap_cl_event_slot.
 * unseen ret = tap_cl_unseen_NAME(real, <parameters>) instead of real->NAME(...) where the call is not recorded (no
 * room in the
 *         trace, window over, after exit, nested): what the application may see and what a handle means must stay right
 * The generator writes the prototypes of all hooks into build/gen/opencl_hooks.h. What is recorded is what the hook
 * left in the output parameters. A hook that is defined but not asked for in opencl.api fails the link of nothing and
 * is never called: test_api_table.py compares.
 */

/*
 * Around a dlclose: of an OpenCL library by the application; of anything. The second finds out what is gone: nothing
 * asks or releases it any more. collectors/opencl/unload.c
 */
void tap_cl_before_unload(void);
void tap_cl_drop_unloaded(void);
#endif
