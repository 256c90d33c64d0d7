/*
 * analysis/sum.c - add up by name, print the largest first
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sum.h"

#include <stdlib.h>
#include <string.h>

void *gt_sum_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a)
{
	struct gt_sum *s = gt_pool_take(a, sizeof *s);

	if (s)
		*s = (struct gt_sum){ .report = r->report,
			.options = r->options,
			.by = r->by,
			.model = m,
			.groups = { .arena = a, .n_samples = 1 },
			.from_ns = GT_NO_TIME,
			.to_ns = GT_NO_TIME,
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
		s->by->of_cuda(s->model, s->cuda, e, s->key);
	return ((const struct gt_sum_detail *)s->report->detail)->cuda(s, e);
}

void gt_sum_window(void *state, int64_t from_ns, int64_t to_ns)
{
	struct gt_sum *s = state;

	s->from_ns = from_ns;
	s->to_ns = to_ns;
}

int gt_sum_join(void *state, void *from)
{
	struct gt_sum *s = state, *other = from;

	s->total += other->total;
	s->missing += other->missing;
	return gt_groups_join(&s->groups, &other->groups);
}

/* ---------------------------------------------------- keys that mean the same */

struct labelled { const char *label; struct gt_group *group; };

static int by_label(const void *a, const void *b)
{
	const struct labelled *x = a, *y = b;

	return strcmp(x->label, y->label);
}

/* NULL: no memory. */
static const char *label_of(struct gt_sum *s, const struct gt_group *g, struct gt_text *text)
{
	char *kept;

	text->used = 0;
	s->by->text(s->model, g->number, text);
	gt_text_char(text, 0);
	kept = text->failed ? NULL : gt_pool_take(s->groups.arena, text->used);
	return kept ? memcpy(kept, text->data, text->used) : NULL;
}

/* Groups whose keys have the same text become one; from here on the key is the text's number in s->labels. */
static int merge_keys(struct gt_sum *s)
{
	struct gt_groups merged = { .arena = s->groups.arena, .n_samples = s->groups.n_samples };
	struct gt_group **all = gt_groups_sorted(&s->groups);
	struct labelled *v = gt_pool_take(s->groups.arena, (s->groups.n + 1) * sizeof *v);
	struct gt_text text = { 0 };
	uint64_t n = 0, label = 0;

	s->labels = gt_pool_take(s->groups.arena, (s->groups.n + 1) * sizeof *s->labels);
	for (; all && v && s->labels && n < s->groups.n; n++) {
		v[n] = (struct labelled){ label_of(s, all[n], &text), all[n] };
		if (!v[n].label)
			break;
	}
	gt_text_free(&text);
	if (!all || !v || !s->labels || n < s->groups.n)
		return -1;
	qsort(v, n, sizeof *v, by_label);
	for (uint64_t i = 0; i < n; i++) {
		if (i && strcmp(v[i].label, v[i - 1].label) != 0)
			label++;
		s->labels[label] = v[i].label;
		struct gt_group *to = gt_groups_get(&merged, v[i].group->text, (const int64_t[3]){ (int64_t)label });

		if (!to)
			return -1;
		gt_samples_join(to->samples, v[i].group->samples);
	}
	s->groups = merged;
	return 0;
}

static void key_cells(const struct gt_sum *s, const struct gt_group *g, struct gt_cell *cell)
{
	if (s->by->text)
		cell[0] = gt_text(s->labels[g->number[0]]);
	else
		s->by->cells(s->model, g->number, cell);
}

int gt_sum_end(void *state, struct gt_table *t)
{
	struct gt_sum *s = state;
	const struct gt_sum_detail *d = s->report->detail;
	int failed = d->rest && d->rest(s) ? -1 : s->by && s->by->text ? merge_keys(s) : 0;
	struct gt_group **g = failed ? NULL : gt_groups_sorted(&s->groups);
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
			key_cells(s, g[i], &cell[n]);
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
