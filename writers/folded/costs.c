/*
 * writers/folded/costs.c - device time, bytes, host time and calls, by the path that led to them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/paged.h"
#include "writers/costs.h"
#include "writers/folded/internal.h"

static uint64_t weight_of(const struct gt_cost *cost, uint32_t events)
{
	uint64_t sum = 0;

	for (int i = 0; i < GT_COST_EVENT_COUNT; i++)
		sum += events >> i & 1 ? cost->v[i] : 0;
	return sum;
}

/* From the context's root: the root's function is the thread's name. */
static void put_path(struct gt_folded *f, const struct gt_cost_contexts *c, uint32_t at)
{
	const struct gt_cost_context *context = gt_cost_context_at(c, at);
	struct gt_string name = gt_cost_text_at(c, gt_cost_function_at(c, context->function)->name);

	if (context->parent == GT_COST_NONE)
		gt_folded_begin(f, c->parts.v[context->part].process, -1, (struct gt_string){ 0 });
	else
		put_path(f, c, context->parent);
	gt_folded_frame(f, name.text, name.bytes);
}

int gt_folded_read_costs(struct gt_folded *f, uint32_t events, struct gt_err *err)
{
	struct gt_costs costs = { 0 };
	int rc = gt_costs_read(&costs, f->x, (struct gt_cost_options){ .parts = GT_COST_PARTS_PROCESS }, err);
	uint32_t n = rc ? 0 : (uint32_t)costs.contexts.contexts.n;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t weight = weight_of(&gt_cost_context_at(&costs.contexts, i)->self, events);

		gt_paged_tick();
		if (!weight)
			continue;
		put_path(f, &costs.contexts, i);
		gt_folded_end(f, weight);
	}
	gt_costs_free(&costs);
	return rc;
}
