/*
 * writers/atp/device.c - lines of the Timestamp sections
 *
 * Widths are minimums that older readers print by; what they need is a blank between fields, so one always stands
 * there. Times are CLOCK_MONOTONIC. docs/atp.md has the layout.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/atp/atp.h"

#define DEVICE_TYPE_CPU 2u
#define COMMAND_TYPE_MIN 4592u            /* readers index a table from here */

/* What stands behind the device name, by command type. */
enum tail { TAIL_NONE, TAIL_KERNEL, TAIL_TASK, TAIL_NATIVE, TAIL_BYTES };
static const struct { uint32_t type; enum tail tail; } tails[] = {
	{ 4592, TAIL_KERNEL },                /* NDRANGE_KERNEL */
	{ 4593, TAIL_TASK },
	{ 4594, TAIL_NATIVE },
	{ 4595, TAIL_BYTES }, { 4596, TAIL_BYTES }, { 4597, TAIL_BYTES },  /* READ_BUFFER WRITE_BUFFER COPY_BUFFER */
	{ 4598, TAIL_BYTES }, { 4599, TAIL_BYTES }, { 4600, TAIL_BYTES },  /* READ_IMAGE WRITE_IMAGE COPY_IMAGE */
	/* COPY_IMAGE_TO_BUFFER COPY_BUFFER_TO_IMAGE */
	{ 4601, TAIL_BYTES }, { 4602, TAIL_BYTES },
	{ 4603, TAIL_BYTES }, { 4604, TAIL_BYTES },                        /* MAP_BUFFER MAP_IMAGE */
	/* UNMAP MARKER ACQUIRE RELEASE */
	{ 4605, TAIL_NONE }, { 4606, TAIL_NONE }, { 4607, TAIL_NONE }, { 4608, TAIL_NONE },
	{ 4609, TAIL_BYTES }, { 4610, TAIL_BYTES }, { 4611, TAIL_BYTES },  /* READ, WRITE, COPY of rectangles */
	{ 4613, TAIL_NONE }, { 4614, TAIL_NONE },                          /* BARRIER MIGRATE_MEM_OBJECTS */
	{ 4615, TAIL_BYTES }, { 4616, TAIL_BYTES },                        /* FILL_BUFFER FILL_IMAGE */
	{ 4617, TAIL_NONE },                                               /* SVM_FREE */
	{ 4618, TAIL_BYTES },                                              /* SVM_MEMCPY */
	{ 4619, TAIL_NONE },                                               /* SVM_MEMFILL */
	/* SVM_MAP SVM_UNMAP: readers want a size */
	{ 4620, TAIL_BYTES }, { 4621, TAIL_BYTES },
	{ 4622, TAIL_NONE },                                               /* SVM_MIGRATE_MEM */
};

/* Markers and barriers that give no event are no commands to readers of the format. */
#define API_WAIT_FOR_EVENTS 74u
#define API_BARRIER 75u

unsigned gt_atp_host_part(struct gt_text *t, const struct gt_call *call, unsigned api_id)
{
	unsigned moved = 0;
	uint64_t start = gt_atp_at_least(call->start_mono_ns, 0, &moved);
	size_t from = t->used;

	gt_text_u64(t, api_id);
	gt_text_pad(t, from, 5, 1);
	from = t->used;
	gt_text_str(t, call->fn->name);
	gt_text_pad(t, from, 45, 1);
	gt_atp_number(t, start, 21);
	gt_atp_number(t, gt_atp_at_least(call->end_mono_ns, (int64_t)start, &moved), 21);
	return moved;
}

/*
 * QUEUED <= SUBMIT <= START <= END, or readers hide the command. START and END are what is measured: the two others
 * are moved to them, and END only when it lies before START.
 */
static unsigned order_times(const struct gt_command *c, int64_t shift, uint64_t out[4])
{
	const int64_t in[4] = { c->queued_ns, c->submit_ns, c->start_ns, c->end_ns };
	unsigned moved = 0;

	out[2] = gt_atp_at_least(in[2] + shift, 0, &moved);
	out[3] = gt_atp_at_least(in[3] + shift, (int64_t)out[2], &moved);
	for (int i = 1; i >= 0; i--) {
		int64_t v = in[i] == GT_NO_TIME ? INT64_MAX : in[i] + shift;

		moved += v > (int64_t)out[i + 1] || v < 0;
		out[i] = v < 0 ? 0 : v < (int64_t)out[i + 1] ? (uint64_t)v : out[i + 1];
	}
	return moved;
}

static void put_command_name(struct gt_text *t, const struct gt_call *call)
{
	const struct gt_fn *fn = call->fn;
	size_t from = t->used;
	const struct gt_enum *e;
	const char *name = NULL;

	if (fn->command_value == call->command->type && fn->command_type[0]) {
		name = fn->command_type;
	} else if (call->model) {
		e = gt_fntable_enum(gt_model_table(call->model), "cl_command_type");
		name = e ? gt_enum_name(e, call->command->type) : NULL;
	}
	if (name)
		gt_text_str(t, name);
	else
		gt_text_u64(t, call->command->type);
	gt_text_pad(t, from, 40, 1);
}

static void put_device_name(struct gt_text *t, const struct gt_object *device)
{
	size_t from = t->used;

	if (device && device->device_type & DEVICE_TYPE_CPU)
		gt_text_lit(t, "CPU_Device");
	else if (device && device->name.bytes)
		gt_atp_word(t, device->name.text, device->name.bytes);
	else
		gt_text_lit(t, "Unknown_Device");
	gt_text_pad(t, from, 30, 1);
}

static void put_sizes(struct gt_text *t, const uint64_t *sizes, uint32_t n)
{
	gt_text_char(t, '{');
	for (uint32_t i = 0; i < n && i < 3; i++) {
		if (i)
			gt_text_char(t, ',');
		gt_text_u64(t, sizes[i]);
	}
	gt_text_char(t, '}');
}

static void put_kernel(struct gt_text *t, const struct gt_command *c, bool task)
{
	static const uint64_t one[1] = { 1 };

	gt_atp_handle(t, c->kernel ? c->kernel->handle : 0, 25);
	if (c->name.bytes)
		gt_atp_word(t, c->name.text, c->name.bytes);
	else
		gt_text_lit(t, "unknown_kernel");
	gt_text_lit(t, "      ");
	if (task || c->has_global)
		put_sizes(t, task ? one : c->global_size, task ? 1 : c->work_dim);
	else
		gt_text_lit(t, "{NULL}");
	gt_text_lit(t, "     ");
	if (task || c->local_source != REC_LOCAL_UNKNOWN)
		put_sizes(t, task ? one : c->local_size, task ? 1 : c->work_dim);
	else
		gt_text_lit(t, "{NULL}");
	gt_text_lit(t, "        ");
}

/* The function is the second parameter of the call: user_func. */
static void put_native(struct gt_text *t, const struct gt_call *call)
{
	struct gt_arg a = { 0 };

	gt_call_arg(call, 1, &a);
	gt_atp_handle(t, a.value, 25);
}

static void put_tail(struct gt_text *t, const struct gt_call *call, unsigned api_id)
{
	const struct gt_command *c = call->command;
	/* Functions without a number of their own: readers look at no tail, so true sizes can stand there. */
	enum tail tail = api_id == GT_ATP_OPENCL_UNKNOWN && c->has_bytes ? TAIL_BYTES : TAIL_NONE;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		if (tails[i].type == c->type)
			tail = tails[i].tail;
	switch (tail) {
	case TAIL_NONE: break;
	case TAIL_KERNEL: case TAIL_TASK: put_kernel(t, c, tail == TAIL_TASK); break;
	case TAIL_NATIVE: put_native(t, call); break;
	case TAIL_BYTES: gt_atp_number(t, c->has_bytes ? c->bytes : 0, 20); break;
	}
}

unsigned gt_atp_device_part(struct gt_text *t, const struct gt_render_plan *plan, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	uint64_t times[4];
	unsigned moved;
	struct gt_arg queue = { 0 };

	if (!c || !c->timed || c->start_ns == GT_NO_TIME || c->end_ns == GT_NO_TIME || c->type < COMMAND_TYPE_MIN ||
	    plan->atp_id == API_WAIT_FOR_EVENTS || plan->atp_id == API_BARRIER)
		return 0;
	moved = order_times(c, call->start_mono_ns - call->start_ns, times);
	gt_atp_number(t, c->type, 8);
	put_command_name(t, call);
	for (int i = 0; i < 4; i++)
		gt_atp_number(t, times[i], 21);
	if (!c->queue && plan->handle >= 0)
		gt_call_arg(call, (unsigned)plan->handle, &queue);
	gt_atp_number(t, c->queue ? c->queue->id : 0, 10);
	gt_atp_handle(t, c->queue ? c->queue->handle : queue.value, 25);
	gt_atp_number(t, c->context ? c->context->id : 0, 10);
	gt_atp_handle(t, c->context ? c->context->handle : 0, 25);
	put_device_name(t, c->device);
	put_tail(t, call, plan->atp_id);
	return moved;
}

unsigned gt_atp_copy_part(struct gt_text *t, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	int64_t shift = call->start_mono_ns - call->start_ns;
	unsigned moved = 0;
	uint64_t start;

	if (!c || !c->timed || c->start_ns == GT_NO_TIME || c->end_ns == GT_NO_TIME)
		return 0;
	start = gt_atp_at_least(c->start_ns + shift, 0, &moved);
	gt_atp_number(t, start, 21);
	gt_atp_number(t, gt_atp_at_least(c->end_ns + shift, (int64_t)start, &moved), 21);
	return moved;
}
