/*
 * model/checks/opencl.c - times of OpenCL's commands against the calls that made them and waited for them
 *
 * The two clocks may be apart by what the trace states (gt_object.clock_error_ns of the device, the process' own).
 * Where that is not known, nothing can be refuted.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/checks/checks.h"

#include "opencl_values.h"

#include "model/internal.h"

#define SLACK_NS 1000                     /* a driver may read its clock just outside of the call's own stamps */

/* What two times may be apart that one device's clock and the host's tell; -1: nobody knows. */
static int64_t stated_error(const struct gt_model *m, uint32_t process, const struct gt_object *device)
{
	int64_t host = m->processes[process].pub.clock_error_ns, own = device ? device->clock_error_ns : -1;

	return own < 0 ? -1 : own + (host < 0 ? 0 : host) + SLACK_NS;
}

static struct gt_check_case case_of(const struct gt_call *call, int64_t by_ns)
{
	return (struct gt_check_case){ call->process, call->fn->name, call->start_ns, by_ns };
}

/* by_ns > 0: it failed. */
static void judge(struct gt_model *m, enum gt_check check, const struct gt_call *call, int64_t by_ns)
{
	const struct gt_check_case one = case_of(call, by_ns);

	gt_check_looked(m, check, 1);
	if (by_ns > 0)
		gt_check_failed(m, check, 1, &one);
}

/* ------------------------------------------------------------------ in order */

/* As far as the device can tell two times apart. */
static int64_t resolution(const struct gt_object *device)
{
	const struct gt_attr *a = device ? gt_object_attr(device, CL_DEVICE_PROFILING_TIMER_RESOLUTION) : NULL;
	uint64_t ns = a && a->bytes == 8 ? *(const uint64_t *)a->value : 0;

	return ns < SLACK_NS || ns > INT32_MAX ? SLACK_NS : (int64_t)ns;
}

static bool is_in_order(const struct gt_object *queue)
{
	return !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* The data are there when the call returns. A write may have been copied aside, and end later (Intel's). */
static bool waits(const struct gt_command *c)
{
	switch (c->type) {
	case CL_COMMAND_READ_BUFFER: case CL_COMMAND_READ_BUFFER_RECT: case CL_COMMAND_READ_IMAGE:
		return c->blocking;
	}
	return false;
}

/* Moves or computes something: markers, barriers and maps are timed loosely. */
static bool takes_time(const struct gt_command *c)
{
	return c->is_kernel || (c->has_bytes && c->bytes && c->type != CL_COMMAND_MAP_BUFFER &&
		c->type != CL_COMMAND_MAP_IMAGE && c->type != CL_COMMAND_UNMAP_MEM_OBJECT);
}

static void look_at_order(
	struct gt_model *m, const struct gt_call *call, const struct gt_command *c, struct gt_queue_line *line)
{
	if (!takes_time(c))
		return;
	if (line->any && is_in_order(c->queue)) {
		int64_t from = c->start_ns > line->start_ns ? c->start_ns : line->start_ns,
			to = c->end_ns < line->end_ns ? c->end_ns : line->end_ns;

		judge(m, GT_CHECK_ORDER, call, to - from - resolution(c->device));
	}
	line->any = true;
	line->start_ns = c->start_ns;
	line->end_ns = c->end_ns;
}

/* -------------------------------------------------------------------- waiting */

static struct gt_queue_line *line_of(struct gt_model *m, struct gt_object *queue)
{
	struct gt_entity *e = (struct gt_entity *)queue;

	if (!e->line)
		e->line = gt_arena_alloc(&m->objects_arena, sizeof *e->line);
	return e->line;
}

/* Of those that no call has waited for yet: the one that ends last, and the call behind whose end all were there. */
static void keep_for_finish(const struct gt_call *call, const struct gt_command *c, struct gt_queue_line *line)
{
	if (!line->waiting++ || c->end_ns > line->last_ns)
		line->last_ns = c->end_ns;
	if (call->end_ns > line->made_ns)
		line->made_ns = call->end_ns;
}

void gt_checks_finish(struct gt_model *m, const struct gt_call *call, const struct gt_fn_info *f)
{
	struct gt_entity *q;
	int64_t error;

	if (call->result || call->unfinished)
		return;
	q = gt_objects_at(m, call->process, REC_OBJECT_QUEUE, gt_role_value(call, f, GT_ROLE_QUEUE), call->start_ns);
	error = q && q->line ? stated_error(m, call->process, q->pub.device) : -1;
	/* A thread beside may have enqueued behind it: the next one tells. */
	if (error < 0 || !q->line->waiting || q->line->made_ns > call->start_ns)
		return;
	q->line->waiting = 0;
	judge(m, GT_CHECK_WAITS, call, q->line->last_ns - error - call->end_ns);
}

/* ------------------------------------------------------------------- commands */

void gt_checks_command(struct gt_model *m, const struct gt_call *call, const struct gt_command *c)
{
	const struct gt_process_state *p = &m->processes[call->process];
	int64_t error = c->timed ? stated_error(m, call->process, c->device) : -1;
	struct gt_queue_line *line;

	if (c->reason == REC_LOSS_UNMATCHED_CALL) {
		const struct gt_check_case one = case_of(call, 0);

		gt_check_show(m, GT_CHECK_WORK, &one);
	}
	if (error < 0)
		return;
	judge(m, GT_CHECK_BEGINS, call, call->start_ns - error - c->start_ns);
	if (p->exit_tick)
		judge(m, GT_CHECK_ENDS, call, c->end_ns - error - p->exit_ns);
	if (waits(c) && !call->unfinished)
		judge(m, GT_CHECK_WAITS, call, c->end_ns - error - call->end_ns);
	line = c->queue ? line_of(m, c->queue) : NULL;
	if (!line)
		return;
	look_at_order(m, call, c, line);
	if (!waits(c))
		keep_for_finish(call, c, line);
}
