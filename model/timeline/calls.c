/*
 * model/timeline/calls.c - API calls, and the OpenCL commands that they set going
 *
 * A command is known when its call is reached, and begins later: it waits in a heap until the front is there. What a
 * command is made of is copied, because the model's own is gone at the walk's next step.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/opencl/operation.h"
#include "model/timeline/internal.h"

/* ---- commands that wait ---- */

/* With times that can be shown: a device that gave them in the wrong order gave none. */
static bool has_times(const struct gt_command *c) { return c->timed && c->end_ns >= c->start_ns; }

static void update_pending(struct gt_timeline *t)
{
	t->pending_source->ready = t->pending.n > 0;
	if (t->pending.n)
		t->pending_source->key = (struct gt_tl_key){ t->pending.v[0].at, t->pending.v[0].end, GT_TL_DEVICE };
}

static struct gt_tl_pending *slot_at(struct gt_timeline *t, uint32_t slot)
{
	return (struct gt_tl_pending *)t->slots.data + slot;
}

static uint32_t take_slot(struct gt_timeline *t)
{
	uint32_t slot = t->free_slot;

	if (slot != UINT32_MAX) {
		t->free_slot = slot_at(t, slot)->next_free;
		return slot;
	}
	return gt_bulk_add(&t->slots, sizeof(struct gt_tl_pending), &t->budget) ? (uint32_t)(t->slots.n - 1)
										    : UINT32_MAX;
}

/* What lies in the call's record goes with the command. */
static bool keep_extra(struct gt_tl_pending *p)
{
	struct gt_command *c = &p->command;
	size_t waits = (size_t)c->n_waits * sizeof *c->waits, bytes = waits + c->pattern_bytes;

	p->extra = NULL;
	if (!bytes)
		return true;
	p->extra = malloc(bytes);
	if (!p->extra)
		return false;
	if (waits)
		c->waits = memcpy(p->extra, c->waits, waits);
	if (c->pattern_bytes)
		c->pattern = memcpy((char *)p->extra + waits, c->pattern, c->pattern_bytes);
	return true;
}

static bool keep_command(struct gt_timeline *t, const struct gt_call *call, uint32_t track)
{
	const struct gt_command *c = call->command;
	struct gt_tl_entry e = { .at = call->start_ns, .end = call->start_ns, .slot = take_slot(t) };
	struct gt_tl_pending *p;

	if (e.slot == UINT32_MAX)
		return false;
	p = slot_at(t, e.slot);
	*p = (struct gt_tl_pending){ .command = *c,
		.start_ns = call->start_ns,
		.id = call->id,
		.process = call->process,
		.thread = call->thread,
		.track = track };
	if (has_times(c)) {
		e.at = c->start_ns > call->start_ns ? c->start_ns : call->start_ns; /* TIMELINE1 */
		e.end = c->end_ns;
	}
	if (!keep_extra(p) || !gt_tl_heap_push(&t->pending, e)) {
		free(p->extra);
		return false;
	}
	if (t->pending.n > t->most_pending)
		t->most_pending = t->pending.n;
	update_pending(t);
	return true;
}

/* Of many that waited those that are done need not stay in this process. */
static void forget_slots(struct gt_timeline *t)
{
	if (t->slots.fd && ++t->uses % (GT_BULK_FORGET / 4 / sizeof(struct gt_tl_pending)) == 0)
		gt_bulk_forget(&t->slots, 0, t->slots.capacity);
}

static void give_slot_back(struct gt_timeline *t)
{
	struct gt_tl_pending *p;

	if (t->taken == UINT32_MAX)
		return;
	p = slot_at(t, t->taken);
	free(p->extra);
	p->extra = NULL;
	p->next_free = t->free_slot;
	t->free_slot = t->taken;
	t->taken = UINT32_MAX;
	forget_slots(t);
}

static int step_pending(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	(void)s;
	(void)err;
	give_slot_back(t);
	update_pending(t);
	return 0;
}

static enum gt_item_kind kind_of(const struct gt_command *c)
{
	struct gt_operation operation;

	gt_command_operation(c, &operation);
	switch (operation.kind) {
	case GT_OPERATION_KERNEL:
		return GT_ITEM_KERNEL;
	case GT_OPERATION_COPY:
		return GT_ITEM_COPY;
	case GT_OPERATION_FILL:
		return GT_ITEM_FILL;
	default:
		return GT_ITEM_COMMAND;
	}
}

static int take_pending(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	struct gt_tl_entry e = gt_tl_heap_pop(&t->pending);
	struct gt_tl_pending *p = slot_at(t, e.slot);
	const struct gt_command *c = &p->command;

	(void)s;
	(void)err;
	t->taken = e.slot;
	item->kind = kind_of(c);
	item->track = p->track;
	item->process = p->process;
	item->thread = p->thread;
	item->timed = has_times(c);
	item->start_ns = item->timed ? c->start_ns : p->start_ns;
	item->end_ns = item->timed ? c->end_ns : GT_NO_TIME;
	item->name = c->demangled;
	item->correlation = p->id;
	item->link = gt_tl_link(GT_FAMILY_OPENCL, p->process, p->id);
	item->command = c;
	return 0;
}

/* ---- calls ---- */

/* A command that the runtime took: waits for its time, and counts from its call on. */
static bool take_command(struct gt_timeline *t, const struct gt_call *call)
{
	const struct gt_command *c = call->command;
	uint32_t track;

	if (call->result)
		return true; /* refused: nothing on the device */
	if (!has_times(c) && call->outside)
		return true;
	track = gt_tl_track_queue(t, call->process, c);
	if (track == GT_NO_TRACK)
		return false;
	if (has_times(c) && !gt_tl_count(t, track, call->start_ns, c->end_ns, c->has_bytes ? c->bytes : 0))
		return false;
	if (call->outside)                /* WINDOW1: neither it nor its call */
		return true;
	return keep_command(t, call, track);
}

/* What the walk's present call left behind. */
static int follow_call(struct gt_timeline *t, const struct gt_call *call, struct gt_err *err)
{
	t->call_has_work = call->command && has_times(call->command) && !call->result;
	t->call_works = t->call_has_work && gt_tl_overlaps(t, call->command->start_ns, call->command->end_ns);
	if (call->command && !take_command(t, call))
		return gt_tl_no_memory(t, err);
	return call->cuda ? gt_tl_cuda_call(t, call, err) : 0;
}

static int step_calls(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	int more;

	s->ready = false;
	do {
		more = gt_walk_next(t->walk, &t->call, err);
		if (more <= 0)
			return more;
		if (follow_call(t, t->call, err))
			return -1;
	} while (t->call->outside);
	s->key = (struct gt_tl_key){ t->call->start_ns, t->call->end_ns, GT_TL_HOST };
	s->ready = true;
	return 0;
}

static int take_call(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_call *call = t->call;
	enum gt_family family = call->cuda ? GT_FAMILY_CUDA : GT_FAMILY_OPENCL;

	(void)s;
	(void)err;
	item->kind = call->is_callback ? GT_ITEM_CALLBACK : GT_ITEM_CALL;
	item->process = call->process;
	item->thread = call->thread;
	item->track = gt_tl_track_thread(
		t, call->process, call->thread, call->thread == GT_NO_THREAD ? gt_call_tid(call) : -1);
	item->end_ns = call->end_ns;
	item->fn = call->fn;
	item->name = gt_tl_text(call->fn->name);
	item->correlation = !call->cuda                   ? call->id
		: call->cuda->correlation == GT_CUDA_NONE ? 0
							  : call->cuda->correlation;
	item->link = gt_tl_link(family, call->process, item->correlation);
	item->has_work = t->call_has_work;
	item->works = t->call_works;
	item->call = call;
	item->cuda = call->cuda;
	return 0;
}

/* ---- calls that never ended ---- */

static int by_start(const void *a, const void *b)
{
	const struct gt_tl_inside *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->depth < y->depth) - (x->depth > y->depth); /* innermost first in gt_thread.inside */
}

static int list_inside(struct gt_timeline *t, struct gt_err *err)
{
	uint32_t n_threads = gt_model_thread_count(t->m), n = 0;

	for (uint32_t i = 0; i < n_threads; i++)
		n += gt_model_thread(t->m, i)->n_inside;
	t->inside = calloc(n + 1ull, sizeof *t->inside);
	if (!t->inside)
		return gt_tl_no_memory(t, err);
	for (uint32_t i = 0; i < n_threads; i++) {
		const struct gt_thread *thread = gt_model_thread(t->m, i);

		for (uint32_t k = 0; gt_tl_wants(t, thread->process) && k < thread->n_inside; k++)
			if (thread->inside[k].fn && gt_tl_overlaps(t, thread->inside[k].start_ns, GT_NO_TIME))
				t->inside[t->n_inside++] = (struct gt_tl_inside){ thread->inside[k].start_ns, i, k };
	}
	qsort(t->inside, t->n_inside, sizeof *t->inside, by_start);
	return 0;
}

static int step_inside(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	(void)err;
	s->at += s->ready;
	s->ready = s->at < t->n_inside;
	if (s->ready)
		s->key = (struct gt_tl_key){ t->inside[s->at].start_ns, INT64_MAX, GT_TL_HOST };
	return 0;
}

static int take_inside(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_tl_inside *in = &t->inside[s->at];
	const struct gt_thread *thread = gt_model_thread(t->m, in->thread);

	(void)err;
	item->kind = thread->inside[in->depth].fn->is_callback ? GT_ITEM_CALLBACK : GT_ITEM_CALL;
	item->process = thread->process;
	item->thread = in->thread;
	item->track = gt_tl_track_thread(t, thread->process, in->thread, -1);
	item->never_ended = true;
	item->fn = thread->inside[in->depth].fn;
	item->name = gt_tl_text(item->fn->name);
	return 0;
}

int gt_tl_open_calls(struct gt_timeline *t, struct gt_err *err)
{
	const struct gt_walk_options options = { .process = t->options.process,
		.from_ns = t->options.from_ns,
		.to_ns = t->options.to_ns,
		.progress = t->options.progress,
		.ctx = t->options.ctx,
		.cuda = true,
		.cuda_nested = t->options.cuda_nested,
		.outside = t->options.counters }; /* what they left pending when the window opens */

	if (list_inside(t, err) || gt_walk_open(t->m, &options, &t->walk, err))
		return -1;
	t->cuda = gt_model_cuda(t->m, err);
	if (!t->cuda)
		return -1;
	gt_tl_add(t, step_inside, take_inside);
	gt_tl_add(t, step_calls, take_call);
	t->pending_source = gt_tl_add(t, step_pending, take_pending);
	t->pending_source->grows = true;
	return 0;
}
