/*
 * analysis/exec.c - call, queue and kernel times of launches
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/exec.h"

void gt_delays_of(int64_t call_start, int64_t call_end, int64_t start, int64_t end, struct gt_delays *d)
{
	d->api = call_end - call_start;
	d->queue = start - call_end;
	d->queued = d->queue >= 0;
	d->kernel = end - start;
	d->total = (end > call_end ? end : call_end) - call_start;
}

int gt_exec_add(
	struct gt_groups *groups, const struct gt_delays *d, const char *api, const char *kernel, const int64_t who[3])
{
	struct gt_group *g = gt_groups_get(groups, (const char *const[3]){ api, kernel, "" }, who);
	struct gt_pool *a = groups->arena;

	if (!g || gt_samples_add(&g->samples[0], a, d->total) || gt_samples_add(&g->samples[1], a, d->api) ||
		gt_samples_add(&g->samples[3], a, d->kernel))
		return -1;
	return d->queued ? gt_samples_add(&g->samples[2], a, d->queue) : 0;
}

int gt_exec_put(struct gt_groups *groups, struct gt_table *t)
{
	struct gt_group **g = gt_groups_sorted(groups);

	for (uint64_t i = 0; g && i < groups->n; i++) {
		struct gt_cell cell[32];
		unsigned n = 0;

		cell[n++] = gt_integer((int64_t)g[i]->samples[0].n);
		cell[n++] = gt_integer((int64_t)g[i]->samples[2].n);
		for (int k = 0; k < 3; k++)
			cell[n++] = g[i]->number[k] >= 0 ? gt_integer(g[i]->number[k]) : gt_none();
		for (int k = 0; k < 4; k++) {
			const struct gt_samples *v = &g[i]->samples[k];

			cell[n++] = v->n ? gt_number(gt_samples_mean(v), 1) : gt_none();
			cell[n++] = v->n ? gt_number(gt_samples_median(v), 1) : gt_none();
			cell[n++] = v->n ? gt_integer(v->min) : gt_none();
			cell[n++] = v->n ? gt_integer(v->max) : gt_none();
			cell[n++] = v->n ? gt_number(gt_samples_deviation(v), 1) : gt_none();
		}
		cell[n++] = gt_text(g[i]->text[0]);
		cell[n++] = gt_text(g[i]->text[1]);
		if (gt_table_row(t, cell))
			return -1;
	}
	return g ? 0 : -1;
}
