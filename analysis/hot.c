/*
 * analysis/hot.c - stacks of samples, counted: see hot.h
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/hot.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/memory.h"
#include "model/symbols/symbols.h"

struct counted { uint32_t stack; uint64_t n; };

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct counted *)element)->stack == *(const uint32_t *)key;
}

bool gt_hot_add(struct gt_hot *h, uint32_t stack)
{
	bool fresh;
	struct counted *at =
		gt_map_add(&h->stacks, sizeof *at, gt_hash(GT_HASH, stack), &stack, same, NULL, &fresh);

	if (!at)
		return false;
	at->stack = stack;
	at->n++;
	h->n++;
	return true;
}

void gt_hot_free(struct gt_hot *h)
{
	gt_map_free(&h->stacks, sizeof(struct counted));
	h->n = 0;
}

/* ---- the function with the most samples ---- */

/* best: of its stacks the one with the most samples, whose line is shown. */
struct function { const struct gt_frame *frame; uint64_t n, best; uint32_t stack; };

static bool same_function(const struct gt_frame *a, const struct gt_frame *b)
{
	return gt_same_text(a->group, b->group) && !strcmp(gt_frame_module(a), gt_frame_module(b));
}

/* More samples first; the order of the map must not show. */
static bool before(uint64_t n, uint32_t stack, uint64_t other, uint32_t other_stack)
{
	return n != other ? n > other : stack < other_stack;
}

typedef GT_LIST(struct function) functions;

static bool add_function(functions *list, const struct gt_frame *frame, const struct counted *c)
{
	struct function *f = NULL;

	for (uint32_t i = 0; i < list->n && !f; i++)
		if (same_function(list->v[i].frame, frame))
			f = &list->v[i];
	if (!f && !(f = GT_LIST_ADD(list)))
		return false;
	if (!f->frame || before(c->n, c->stack, f->best, f->stack)) {
		f->frame = frame;
		f->best = c->n;
		f->stack = c->stack;
	}
	f->n += c->n;
	return true;
}

static uint32_t hottest_stack(const struct gt_hot *h, struct gt_model *m)
{
	functions list = { 0 };
	uint32_t n, stack = 0;
	uint64_t most = 0;

	for (const struct counted *c = NULL; (c = gt_map_next(&h->stacks, sizeof *c, c));) {
		const struct gt_frame *frames = gt_stack_frames(m, c->stack, &n);

		if (n && !add_function(&list, &frames[0], c))
			break;
	}
	for (uint32_t i = 0; i < list.n; i++)
		if (!i || before(list.v[i].n, list.v[i].stack, most, stack)) {
			most = list.v[i].n;
			stack = list.v[i].stack;
		}
	free(list.v);
	return stack;
}

void gt_hot_text(const struct gt_hot *h, struct gt_model *m, struct gt_text *out)
{
	uint32_t n, at = 0;
	const struct gt_frame *frames = gt_stack_frames(m, hottest_stack(h, m), &n);

	if (!n)
		return;
	if (frames[0].file) {
		gt_frame_text(&frames[0], out);
		return;
	}
	gt_text_bytes(out, frames[0].group.text, frames[0].group.bytes);
	if (frames[0].resolved && frames[0].module) {
		gt_text_lit(out, " (");
		gt_text_str(out, gt_frame_module(&frames[0]));
		gt_text_char(out, ')');
	}
	while (at < n && !frames[at].file)
		at++;
	if (at == n)
		return;
	gt_text_lit(out, ", called from ");
	gt_frame_text(&frames[at], out);
}

void gt_hot_caller(struct gt_model *m, uint32_t stack, const char *api, struct gt_text *out)
{
	uint32_t n, at;
	const struct gt_frame *frames = gt_stack_frames(m, stack, &n);

	at = gt_stack_asker(frames, n, api);
	if (at < n)
		gt_frame_text(&frames[at], out);
}
