/*
 * analysis/sections/surroundings.c - what stood around a launch: its queue's work before it, NVTX ranges that were open
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/surroundings.h"

#include <stdlib.h>
#include <string.h>

#include "model/nvtx/ranges.h"

enum { DOINGS_MOST = 8 };                  /* told of a shape; the others are one */

int gt_surroundings_open(struct gt_surroundings *s, struct gt_arena *arena, struct gt_model *m, struct gt_err *err)
{
	*s = (struct gt_surroundings){ .arena = arena, .model = m };
	return gt_places_open(&s->places, m, err);
}

void gt_surroundings_close(struct gt_surroundings *s)
{
	gt_places_close(&s->places);
	free(s->unused_told.v);
}

/* ------------------------------------------------------------------ its place in time */

static void number(struct gt_surroundings *s, struct gt_message *m, const char *field, int64_t v)
{
	if (v != GT_NO_TIME && v >= 0)
		s->failed |= !gt_message_add_integer(s->arena, m, field, (uint64_t)v);
}

static void text(struct gt_surroundings *s, struct gt_message *m, const char *field, struct gt_string v)
{
	if (v.bytes)
		s->failed |= !gt_message_add_text(s->arena, m, field, v.text, v.bytes);
}

/* What its queue did right before it, back to the kernel before. */
static void add_waits(struct gt_surroundings *s, struct gt_message *trace, const struct gt_work *own)
{
	const struct gt_work *w = own;

	for (int i = 0; i < GT_WAITS_MOST && w > s->places.v.v; i++) {
		struct gt_message *m;

		w--;
		if (w->process != own->process || w->queue != own->queue || w->kernel)
			break;
		m = gt_message_add_part(s->arena, trace, "Waits");
		s->failed |= !m;
		if (!m)
			return;
		text(s, m, "Kind", gt_string_of(w->kind));
		if (w->has_bytes)
			number(s, m, "Bytes", (int64_t)w->bytes);
		number(s, m, "StartNs", w->start_ns);
		number(s, m, "EndNs", w->end_ns);
		text(s, m, "Direction", gt_string_of(w->direction));
		text(s, m, "Memory", gt_string_of(w->memory));
	}
}

/* Of the whole process: with its first kernel alone. */
static void add_unused(struct gt_surroundings *s, struct gt_message *trace, uint32_t process)
{
	struct gt_unused_sum sum;
	uint32_t *last;

	for (uint32_t i = 0; i < s->unused_told.n; i++)
		if (s->unused_told.v[i] == process)
			return;
	last = GT_LIST_ADD(&s->unused_told);
	s->failed |= !last;
	if (!last)
		return;
	*last = process;
	if (gt_unused_of(&s->places.unused, process, &sum)) {
		number(s, trace, "UnusedBuffers", (int64_t)sum.buffers);
		number(s, trace, "UnusedBytes", (int64_t)sum.bytes);
	}
}

const struct gt_message *gt_surroundings_place(
	struct gt_surroundings *s, const struct gt_action *a, const struct gt_dispatch *d)
{
	struct gt_message *m = gt_message_new(s->arena, &gt_type_GputapTrace);
	const struct gt_work *own = gt_place_of(&s->places, d);

	s->failed |= !m;
	if (!m)
		return NULL;
	if (d->timed) {
		number(s, m, "StartNs", d->start_ns);
		number(s, m, "EndNs", d->end_ns);
	}
	if (own && own->before_ns != GT_NO_TIME)
		number(s, m, "GapBeforeNs", own->start_ns > own->before_ns ? own->start_ns - own->before_ns : 0);
	number(s, m, "QueuedNs", d->cuda ? d->cuda->kernel.queued_ns : d->opencl->queued_ns);
	number(s, m, "SubmitNs", d->cuda ? d->cuda->kernel.submitted_ns : d->opencl->submit_ns);
	if (own)
		add_waits(s, m, own);
	text(s, m, "Queue", a->stream_name);
	if (d->opencl)
		add_unused(s, m, d->process);
	return m;
}

/* ------------------------------------------------------------------ all launches of its shape */

static void add_doing(struct gt_surroundings *s, struct gt_message *m, const char *kind, const char *name, int64_t ns)
{
	struct gt_message *one = ns > 0 ? gt_message_add_part(s->arena, m, "Doings") : NULL;

	s->failed |= ns > 0 && !one;
	if (!one)
		return;
	text(s, one, "Kind", gt_string_of(kind));
	text(s, one, "Name", gt_string_of(name));
	number(s, one, "Ns", ns);
}

/* What the launching threads did while the device was idle; what no call says is their own code. */
static void add_doings(struct gt_surroundings *s, struct gt_message *m, const struct gt_shape *shape)
{
	static const char *const kinds[] = { [GT_DOING_API] = "api", [GT_DOING_WAIT] = "wait", [GT_DOING_OS] = "os" };
	int64_t own = shape->known_ns, other = 0;

	for (uint32_t i = 0; i < shape->doings.n; i++) {
		const struct gt_doing *d = &shape->doings.v[i];

		own -= d->ns;
		if (i < DOINGS_MOST)
			add_doing(s, m, kinds[d->kind], d->name, d->ns);
		else
			other += d->ns;
	}
	add_doing(s, m, "other", "", other);
	add_doing(s, m, "code", "", own);
}

void gt_surroundings_add_shape(struct gt_surroundings *s, struct gt_message *trace, const struct gt_shapes *shapes,
	const struct gt_shape *shape, bool judged)
{
	struct gt_message *m = gt_message_add_part(s->arena, trace, "Shape");
	const struct { const char *field; int64_t value; } numbers[] = {
		{ "Launches", (int64_t)shape->launches }, { "TotalNs", (int64_t)shape->total_ns },
		{ "TypicalNs", shape->typical_ns }, { "RunNs", shapes->run_ns[shape->process] },
		{ "Judged", judged }, { "OnCpu", shape->on_cpu }, { "BesideNs", shape->beside_ns },
		{ "IdleNs", shape->idle_ns }, { "Idles", (int64_t)shape->idles }, { "KnownNs", shape->known_ns },
		{ "LateNs", shape->late_ns }, { "Lates", (int64_t)shape->lates },
		{ "ShortNs", shape->short_ns }, { "Shorts", (int64_t)shape->shorts },
		{ "CopyNs", shape->copy_ns }, { "Copies", (int64_t)shape->copies },
		{ "CopiedBytes", (int64_t)shape->copied_bytes }, { "HideableNs", shape->hideable_ns },
		{ "PageableNs", shape->pageable_ns }, { "Pageable", (int64_t)shape->pageable },
		{ "PageableBytes", (int64_t)shape->pageable_bytes }, { "RanNs", shape->ran_ns },
	};

	s->failed |= !m;
	for (size_t i = 0; m && i < sizeof numbers / sizeof *numbers; i++)
		number(s, m, numbers[i].field, numbers[i].value);
	if (m)
		add_doings(s, m, shape);
}

/* ------------------------------------------------------------------ NVTX */

static struct gt_message *part_with_id(
	struct gt_surroundings *s, struct gt_message *m, const char *field, const char *id, uint64_t value)
{
	const struct gt_message_value *v = NULL;
	struct gt_message *part;

	while ((v = gt_message_next(v ? NULL : m, field, v)))
		if (gt_message_integer(v->part, id, UINT64_MAX) == value)
			return v->part;
	part = gt_message_add_part(s->arena, m, field);
	s->failed |= !part || !gt_message_add_integer(s->arena, part, id, value);
	return part;
}

static void add_range(
	struct gt_surroundings *s, struct gt_message *state, const struct gt_range *g, const struct gt_dispatch *d)
{
	bool push = g->kind == REC_NVTX_PUSH;
	struct gt_message *domain = part_with_id(s, state, "Domains", "Id", g->domain), *holder, *range = NULL;

	if (!domain)
		return;
	if (!gt_message_next(domain, "Name", NULL)) {
		struct gt_string name = g->domain_name.bytes ? g->domain_name : gt_string_of("<default domain>");

		s->failed |= !gt_message_add_text(s->arena, domain, "Name", name.text, name.bytes);
	}
	holder = push ? part_with_id(s, state, "Threads", "TID", (uint32_t)d->tid) : state;
	if (holder)
		holder = part_with_id(s, holder, push ? "PushPopDomains" : "StartEndDomains", "Id", g->domain);
	if (holder)
		range = gt_message_add_part(s->arena, holder, push ? "Stack" : "Ranges");
	s->failed |= !range;
	if (!range)
		return;
	if (!push)
		s->failed |= !gt_message_add_integer(s->arena, range, "Id", g->id);
	s->failed |= !gt_message_add_text(s->arena, range, "Name", g->text.text ? g->text.text : "",
		g->text.text ? g->text.bytes : 0);
}

const struct gt_message *gt_surroundings_nvtx(struct gt_surroundings *s, const struct gt_dispatch *d)
{
	struct gt_message *state = NULL;

	for (uint64_t i = 0; d->call_ns != GT_NO_TIME && i < gt_model_range_count(s->model); i++) {
		const struct gt_range *g = gt_model_range(s->model, i);

		if (g->start_ns > d->call_ns)
			break;
		if (g->process != d->process || (g->end_ns != GT_NO_TIME && g->end_ns <= d->call_ns) ||
			!(g->kind == REC_NVTX_START || (g->kind == REC_NVTX_PUSH && g->thread == d->thread)))
			continue;
		if (!state) {
			state = gt_message_new(s->arena, &gt_type_NvtxState);
			s->failed |= !state;
		}
		if (state)
			add_range(s, state, g, d);
	}
	if (state)
		s->failed |= !gt_message_add_integer(s->arena, state, "DefaultDomain", 0);
	return state;
}
