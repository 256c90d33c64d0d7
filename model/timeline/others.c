/*
 * model/timeline/others.c - NVTX ranges and marks, HSA kernels, notes, and records of kinds that nobody knows
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "model/timeline/internal.h"

/* ---- NVTX: sorted already ---- */

static int step_ranges(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	const struct gt_range *r = NULL;

	(void)err;
	for (s->at += s->ready; s->at < s->n; s->at++) {
		r = gt_model_range(t->m, s->at);
		if (gt_tl_wants(t, r->process) &&
			gt_tl_overlaps(t, r->start_ns, r->kind == REC_NVTX_MARK ? r->start_ns : r->end_ns))
			break;
	}
	s->ready = s->at < s->n;
	if (s->ready)
		s->key = (struct gt_tl_key){ r->start_ns,
			r->kind == REC_NVTX_MARK          ? r->start_ns
				: r->end_ns == GT_NO_TIME ? INT64_MAX
							  : r->end_ns,
			GT_TL_HOST };
	return 0;
}

static int take_range(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_range *r = gt_model_range(t->m, s->at);

	(void)err;
	item->kind = r->kind == REC_NVTX_MARK ? GT_ITEM_MARK : GT_ITEM_RANGE;
	item->process = r->process;
	item->thread = r->thread;
	item->track = gt_tl_track_range(t, r);
	item->end_ns = r->kind == REC_NVTX_MARK ? r->start_ns : r->end_ns;
	item->never_ended = item->end_ns == GT_NO_TIME;
	if (!item->never_ended && item->end_ns < item->start_ns) {
		item->timed = false; /* of a damaged trace */
		item->end_ns = GT_NO_TIME;
	}
	if (r->text.text)
		item->name = r->text;
	item->range = r;
	return 0;
}

/* ---- HSA kernels and notes: in the order of their times ---- */

static int64_t start_of(const struct gt_timeline *t, uint32_t i, bool hsa)
{
	return hsa ? gt_model_hsa_kernel(t->m, i)->start_ns : gt_model_note(t->m, i)->time_ns;
}

struct start {
	int64_t ns;
	uint32_t index;
};

static int by_start(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Indices of `n` of them, sorted; NULL: out of memory. */
static uint32_t *sorted(const struct gt_timeline *t, uint32_t n, bool hsa)
{
	struct start *starts = malloc((n + 1ull) * sizeof *starts);
	uint32_t *order = malloc((n + 1ull) * sizeof *order);

	if (!starts || !order) {
		free(starts);
		free(order);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		starts[i] = (struct start){ start_of(t, i, hsa), i };
	qsort(starts, n, sizeof *starts, by_start);
	for (uint32_t i = 0; i < n; i++)
		order[i] = starts[i].index;
	free(starts);
	return order;
}

static int64_t hsa_end(const struct gt_hsa_kernel *k) { return k->end_ns > k->start_ns ? k->end_ns : k->start_ns; }

static int step_hsa(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	const struct gt_hsa_kernel *k = NULL;

	(void)err;
	for (s->at += s->ready; s->at < s->n; s->at++) {
		k = gt_model_hsa_kernel(t->m, t->hsa[s->at]);
		if (gt_tl_wants(t, k->process) && gt_tl_overlaps(t, k->start_ns, hsa_end(k)))
			break;
	}
	s->ready = s->at < s->n;
	if (s->ready)
		s->key = (struct gt_tl_key){ k->start_ns, hsa_end(k), GT_TL_DEVICE };
	return 0;
}

static int take_hsa(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_hsa_kernel *k = gt_model_hsa_kernel(t->m, t->hsa[s->at]);

	(void)err;
	item->kind = GT_ITEM_KERNEL;
	item->process = k->process;
	item->track = gt_tl_track_hsa(t, k);
	item->timed = k->end_ns >= k->start_ns;
	item->end_ns = item->timed ? k->end_ns : GT_NO_TIME;
	if (k->name.text)
		item->name = k->name;
	item->hsa = k;
	return 0;
}

static int step_notes(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	const struct gt_note *n = NULL;

	(void)err;
	for (s->at += s->ready; s->at < s->n; s->at++) {
		n = gt_model_note(t->m, t->notes[s->at]);
		if (gt_tl_wants(t, n->process) && gt_tl_overlaps(t, n->time_ns, n->time_ns))
			break;
	}
	s->ready = s->at < s->n;
	if (s->ready)
		s->key = (struct gt_tl_key){ n->time_ns, n->time_ns, GT_TL_HOST };
	return 0;
}

static int take_note(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_note *n = gt_model_note(t->m, t->notes[s->at]);

	(void)err;
	item->kind = GT_ITEM_NOTE;
	item->process = n->process;
	item->track = gt_tl_track_events(t, n->process, "notes");
	item->end_ns = item->start_ns;
	item->name = gt_tl_text("note");
	item->note = n;
	return 0;
}

/* ---- unknown ones ---- */

static int step_unknown(struct gt_timeline *t, struct gt_tl_source *s, struct gt_err *err)
{
	const struct gt_unknown *u = NULL;

	(void)err;
	for (s->at += s->ready; s->at < s->n; s->at++) {
		u = gt_model_unknown(t->m, s->at);
		if (gt_tl_wants(t, u->process) &&
			(u->start_ns == GT_NO_TIME || gt_tl_overlaps(t, u->start_ns, u->end_ns)))
			break;
	}
	s->ready = s->at < s->n;
	if (s->ready)
		s->key = (struct gt_tl_key){ u->start_ns, u->end_ns, GT_TL_HOST };
	return 0;
}

static int take_unknown(struct gt_timeline *t, struct gt_tl_source *s, struct gt_item *item, struct gt_err *err)
{
	const struct gt_unknown *u = gt_model_unknown(t->m, s->at);

	(void)err;
	item->kind = GT_ITEM_OTHER;
	item->process = u->process;
	item->thread = u->thread;
	item->track = gt_tl_track_other(t, u->process, u->type);
	item->timed = u->start_ns != GT_NO_TIME;
	item->end_ns = u->end_ns;
	item->name = gt_tl_text("unknown record");
	item->type = u->type;
	return 0;
}

int gt_tl_open_others(struct gt_timeline *t, struct gt_err *err)
{
	uint32_t hsa = gt_model_hsa_kernel_count(t->m), notes = gt_model_note_count(t->m);

	t->hsa = sorted(t, hsa, true);
	t->notes = sorted(t, notes, false);
	if (!t->hsa || !t->notes)
		return gt_tl_no_memory(t, err);
	if (gt_model_range_count(t->m))
		gt_tl_add(t, step_ranges, take_range)->n = gt_model_range_count(t->m);
	if (hsa)
		gt_tl_add(t, step_hsa, take_hsa)->n = hsa;
	if (notes)
		gt_tl_add(t, step_notes, take_note)->n = notes;
	if (gt_model_unknown_count(t->m))
		gt_tl_add(t, step_unknown, take_unknown)->n = gt_model_unknown_count(t->m);
	return 0;
}
