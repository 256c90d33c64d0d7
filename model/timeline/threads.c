/*
 * model/timeline/threads.c - samples, events of tracepoints, states of threads (recorded or estimated): sorted already
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model/timeline/internal.h"

/* Of what stands at one moment: is it wanted? Then the source gives it next. */
static bool gives(const struct gt_timeline *t, struct gt_tl_source *s, uint32_t process, int64_t at_ns)
{
	s->ready = gt_tl_wants(t, process) && gt_tl_overlaps(t, at_ns, at_ns);
	if (s->ready)
		s->key = (struct gt_tl_key){ at_ns, at_ns, GT_TL_HOST };
	return s->ready;
}

static int step_samples(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	(void)err;
	for (s->at += s->ready, s->ready = false; s->at < s->n; s->at++) {
		const struct gt_sample *v = gt_model_sample(t->m, s->at);

		if (gives(t, s, v->process, v->time_ns))
			break;
	}
	return 0;
}

static int take_sample(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_sample *v = gt_model_sample(t->m, s->at);

	(void)err;
	item->kind = GT_ITEM_SAMPLE;
	item->process = v->process;
	item->thread = v->thread;
	item->track = gt_tl_track_thread(t, v->process, v->thread, -1);
	item->end_ns = item->start_ns;
	item->name = gt_tl_text("sample");
	item->sample = v;
	return 0;
}

static int step_tracepoints(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	(void)err;
	for (s->at += s->ready, s->ready = false; s->at < s->n; s->at++) {
		const struct gt_tracepoint *v = gt_model_tracepoint(t->m, s->at);

		if (gives(t, s, v->process, v->time_ns))
			break;
	}
	return 0;
}

static int take_tracepoint(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_tracepoint *v = gt_model_tracepoint(t->m, s->at);

	(void)err;
	item->kind = GT_ITEM_TRACEPOINT;
	item->process = v->process;
	item->thread = v->thread;
	item->track = gt_tl_track_tracepoints(t, v->process, v->thread);
	item->end_ns = item->start_ns;
	item->name = gt_model_tracepoint_type(t->m, v->type)->name;
	item->tracepoint = v;
	return 0;
}

/* Recorded by switches, or else estimated. */
static const struct gt_thread_state *state_at(const struct gt_timeline *t, uint64_t i)
{
	return t->estimates.n ? (const struct gt_thread_state *)t->estimates.data + i : gt_model_state(t->m, i);
}

static int step_states(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	const struct gt_thread_state *v = NULL;

	(void)err;
	for (s->at += s->ready; s->at < s->n; s->at++) {
		v = state_at(t, s->at);
		if (gt_tl_wants(t, v->process) && v->end_ns != GT_NO_TIME &&
			gt_tl_overlaps(t, v->start_ns, v->end_ns))
			break;
	}
	s->ready = s->at < s->n;
	if (s->ready)
		s->key = (struct gt_tl_key){ v->start_ns, v->end_ns, GT_TL_HOST };
	return 0;
}

static int take_state(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_thread_state *v = state_at(t, s->at);

	(void)err;
	item->kind = GT_ITEM_STATE;
	item->process = v->process;
	item->thread = v->thread;
	item->track = gt_tl_track_states(t, v->process, v->thread);
	item->end_ns = v->end_ns;
	item->name = gt_tl_text(gt_state_text((enum gt_state)v->state));
	item->state = v;
	return 0;
}

void gt_tl_open_threads(struct gt_timeline *t)
{
	uint64_t states = t->estimates.n ? t->estimates.n : gt_model_state_count(t->m);

	if (states)
		gt_tl_add(t, step_states, take_state)->n = states;
	if (gt_model_sample_count(t->m))
		gt_tl_add(t, step_samples, take_sample)->n = gt_model_sample_count(t->m);
	if (gt_model_tracepoint_count(t->m))
		gt_tl_add(t, step_tracepoints, take_tracepoint)->n = gt_model_tracepoint_count(t->m);
}
