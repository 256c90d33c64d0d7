/*
 * analysis/sum.c - add up by name, print the largest first
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sum.h"

void *gt_sum_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct gt_sum *s = gt_pool_take(a, sizeof *s);

	if (s)
		*s = (struct gt_sum){ .report = r->report,
			.options = r->options,
			.by = r->by,
			.model = m,
			.groups = { .arena = a, .n_samples = 1 },
			.cuda = r->report->kinds ? gt_model_cuda(m, &(struct gt_err){ 0 }) : NULL };
	return s;
}

int gt_sum_add_group(struct gt_sum *s, int64_t value, struct gt_group *g)
{
	s->total += value;
	return g ? gt_samples_add(g->samples, s->groups.arena, value) : -1;
}

int gt_sum_add(struct gt_sum *s, int64_t value, const char *a, const char *b, const char *c)
{
	return gt_sum_add_group(s, value, gt_groups_get(&s->groups, (const char *const[3]){ a, b, c }, s->key));
}

int gt_sum_add_fixed(struct gt_sum *s, int64_t value, const char *a, const char *b)
{
	if (s->by)
		return gt_sum_add(s, value, a, b, "");
	return gt_sum_add_group(s, value, gt_groups_get_fixed(&s->groups, a, b));
}

int gt_sum_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	struct gt_sum *s = state;

	(void)t;
	if (s->by)
		s->by->of_call(call, s->key);
	return call->is_callback ? 0 : ((const struct gt_sum_detail *)s->report->detail)->call(s, call);
}

int gt_sum_cuda(void *state, const struct gt_cuda_event *e, struct gt_table *t)
{
	struct gt_sum *s = state;

	(void)t;
	if (s->by)
		s->by->of_cuda(s->cuda, e, s->key);
	return ((const struct gt_sum_detail *)s->report->detail)->cuda(s, e);
}

int gt_sum_join(void *state, void *from)
{
	struct gt_sum *s = state, *other = from;

	s->total += other->total;
	s->missing += other->missing;
	return gt_groups_join(&s->groups, &other->groups);
}

int gt_sum_end(void *state, struct gt_table *t)
{
	struct gt_sum *s = state;
	const struct gt_sum_detail *d = s->report->detail;
	struct gt_group **g = gt_groups_sorted(&s->groups);
	double unit = d->sizes ? 1e6 : 1;
	int digits = d->sizes ? 3 : 1, whole = d->sizes ? 3 : 0;

	for (uint64_t i = 0; g && i < s->groups.n; i++) {
		const struct gt_samples *v = g[i]->samples;
		struct gt_cell cell[12 + GT_BY_COLUMNS];
		unsigned n = 0;

		if (!d->sizes)
			cell[n++] = gt_number(s->total ? 100.0 * (double)v->sum / (double)s->total : 0, 1);
		cell[n++] = gt_number((double)v->sum / unit, whole);
		cell[n++] = gt_integer((int64_t)v->n);
		cell[n++] = gt_number(gt_samples_mean(v) / unit, digits);
		cell[n++] = gt_number(gt_samples_median(v) / unit, digits);
		cell[n++] = gt_number((double)v->min / unit, whole);
		cell[n++] = gt_number((double)v->max / unit, whole);
		cell[n++] = gt_number(gt_samples_deviation(v) / unit, digits);
		if (s->by)
			s->by->cells(s->model, g[i]->number, &cell[n]);
		for (const char *h = s->by ? s->by->headings : ""; *h; h++)
			n += *h == '|';
		for (unsigned k = 0; k < d->texts; k++)
			cell[n++] = gt_text(g[i]->text[k]);
		if (gt_table_row(t, cell))
			return -1;
	}
	gt_table_missing(t, s->missing, d->missing);
	return g ? 0 : -1;
}
