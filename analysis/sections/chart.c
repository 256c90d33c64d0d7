/*
 * analysis/sections/chart.c - items of a section's body as text: tables, bars, histograms, lines, rooflines, timelines
 *
 * Charts that only a window can show (the memory chart, topologies) have their metrics elsewhere and are left out.
 *
 * spec: NCU "Section Definition"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/sections/show.h"
#include "common/harmless.h"

#define INDENT 4
#define BAR 40                                    /* columns of the longest bar */
#define LINE 60                                   /* of a line of samples */
#define BINS 10

struct shown {
	struct gt_text *out;
	const struct gt_action *action;
	const struct gt_section *section;
	const struct gt_page_options *options;
};

static void put_title(const struct shown *s, struct gt_string title)
{
	if (!title.bytes)
		return;
	gt_text_blank(s->out, INDENT);
	gt_text_harmless(s->out, title.text, title.bytes);
	gt_text_char(s->out, '\n');
}

/* ------------------------------------------------------------------ bars */

struct bar { struct gt_text label, value; double number; struct gt_string why; };
struct bars { GT_LIST(struct bar) v; size_t label, value; double most; bool failed; };

static void add_bar(struct bars *b, const struct gt_row *row, const struct gt_metric_value *id,
	const struct gt_metric_value *value, const struct gt_page_options *o)
{
	struct bar *bar = GT_LIST_ADD(&b->v);

	b->failed |= !bar;
	if (!bar)
		return;
	if (id && id->type != GT_METRIC_NONE)
		gt_page_value(&bar->label, id, true);
	else
		gt_row_label(&bar->label, row, o);
	gt_page_value(&bar->value, value, false);
	bar->number = gt_value_number(value);
	bar->why = row->why;
	if (bar->label.used > b->label)
		b->label = bar->label.used;
	if (bar->value.used > b->value)
		b->value = bar->value.used;
	if (bar->number > b->most)
		b->most = bar->number;
}

static int longest_first(const void *l, const void *r)
{
	double a = ((const struct bar *)l)->number, b = ((const struct bar *)r)->number;

	return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : a > b ? -1 : a < b;
}

static void put_bars(const struct shown *s, struct bars *b)
{
	for (uint32_t i = 0; i < b->v.n; i++) {
		struct bar *bar = &b->v.v[i];
		int n = bar->number > 0 && b->most > 0 ? (int)lround(BAR * bar->number / b->most) : 0;

		gt_text_blank(s->out, INDENT);
		gt_text_bytes(s->out, bar->label.data, bar->label.used);
		gt_text_blank(s->out, b->label - bar->label.used + 1 + b->value - bar->value.used);
		gt_text_bytes(s->out, bar->value.data, bar->value.used);
		gt_text_lit(s->out, " |");
		for (int k = 0; k < n; k++)
			gt_text_char(s->out, '#');
		if (isnan(bar->number))
			gt_text_harmless(s->out, bar->why.text, bar->why.bytes);
		gt_text_char(s->out, '\n');
		s->out->failed |= bar->label.failed || bar->value.failed;
		gt_text_free(&bar->label);
		gt_text_free(&bar->value);
	}
	s->out->failed |= b->failed;
	free(b->v.v);
}

/* "Pipe Utilization [% of peak]" */
static void put_axis(const struct shown *s, struct gt_string title, struct gt_string axis)
{
	gt_text_blank(s->out, INDENT);
	gt_text_harmless(s->out, title.text, title.bytes);
	if (axis.bytes) {
		gt_text_lit(s->out, " [");
		gt_text_harmless(s->out, axis.text, axis.bytes);
		gt_text_char(s->out, ']');
	}
	gt_text_char(s->out, '\n');
}

/* A metric with instances has a bar for each of them. */
static void bar_chart(const struct shown *s, const struct gt_message *m)
{
	struct gt_rows rows = { 0 };
	struct bars bars = { 0 };
	const struct gt_message *axis = gt_message_part(m, "ValueAxis");

	gt_rows_of(&rows, s->action, s->section, m);
	gt_rows_sort(&rows, m);
	put_axis(s, rows.title, gt_message_text(axis, "Label"));
	for (uint32_t i = 0; i < rows.v.n; i++) {
		const struct gt_row *row = &rows.v.v[i];

		for (uint32_t k = 0; k < row->value.n; k++)
			add_bar(&bars, row, &row->value.instances[k].id, &row->value.instances[k].value, s->options);
		if (!row->value.n)
			add_bar(&bars, row, NULL, &row->value.regular, s->options);
	}
	if (bars.v.n && gt_message_integer(m, "SortKey", 0) && gt_message_integer(m, "SortDirection", 0))
		qsort(bars.v.v, bars.v.n, sizeof *bars.v.v, longest_first);
	put_bars(s, &bars);
	s->out->failed |= rows.failed;
	gt_rows_free(&rows);
}

/* ------------------------------------------------------------------ histogram */

static void put_bins(const struct shown *s, const struct gt_row *row, uint64_t bins)
{
	double least = INFINITY, most = -INFINITY;
	struct gt_row empty = { .label = { "", 0 }, .name = { "", 0 }, .why = { "", 0 } };
	uint64_t count[64] = { 0 };
	struct bars bars = { 0 };

	for (uint32_t i = 0; i < row->value.n; i++) {
		double v = gt_value_number(&row->value.instances[i].value);

		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	bins = bins < 1 ? BINS : bins > 64 ? 64 : bins;
	for (uint32_t i = 0; i < row->value.n && isfinite(least) && isfinite(most); i++) {
		double v = gt_value_number(&row->value.instances[i].value);
		double at = most > least ? (v - least) / (most - least) * (double)bins : 0;

		if (at >= 0)
			count[at < (double)bins ? (uint64_t)at : bins - 1]++;
	}
	for (uint64_t i = 0; i < bins && isfinite(least) && isfinite(most); i++) {
		const struct gt_metric_value from = gt_metric_double(least + (most - least) * (double)i / (double)bins),
					     n = gt_metric_integer(count[i]);

		add_bar(&bars, &empty, &from, &n, s->options);
	}
	put_bars(s, &bars);
}

static void histogram(const struct shown *s, const struct gt_message *m)
{
	const struct gt_target target = gt_action_target(s->action);
	const struct gt_message *one = gt_message_part(m, "Metric");
	const struct gt_action_metric *metric;
	struct gt_section_metric resolved;
	struct gt_row row = { 0 };

	put_title(s, gt_message_text(m, "Label"));
	if (!one || !gt_section_metric(s->section, one, &target, &resolved))
		return;
	metric = gt_action_metric(s->action, resolved.name);
	if (metric)
		row.value = metric->value;
	if (row.value.n) {
		put_bins(s, &row, gt_message_integer(gt_message_part(m, "HistogramAxis"), "BinCount", BINS));
		return;
	}
	gt_text_blank(s->out, INDENT);
	gt_text_lit(s->out, "N/A  ");
	if (metric)
		gt_text_harmless(s->out, metric->why.text, metric->why.bytes);
	gt_text_char(s->out, '\n');
}

/* ------------------------------------------------------------------ samples */

static void put_samples(const struct shown *s, const struct gt_row *row, size_t label)
{
	static const char levels[] = " .:-=+*#%@";
	uint32_t n[LINE] = { 0 }, columns = row->value.n < LINE ? row->value.n : LINE;
	double sum[LINE] = { 0 }, most = 0;
	struct gt_text name = { 0 };

	gt_row_label(&name, row, s->options);
	gt_text_blank(s->out, INDENT);
	gt_text_bytes(s->out, name.data, name.used);
	gt_text_blank(s->out, label > name.used ? label - name.used + 1 : 1);
	gt_text_free_part(&name, s->out);
	for (uint32_t i = 0; i < row->value.n; i++) {
		double v = gt_value_number(&row->value.instances[i].value);
		size_t at = (size_t)((uint64_t)i * columns / row->value.n);

		if (isfinite(v)) {
			sum[at] += v;
			n[at]++;
		}
	}
	for (int i = 0; i < LINE; i++) {
		sum[i] = n[i] ? sum[i] / n[i] : 0;
		most = sum[i] > most ? sum[i] : most;
	}
	if (row->value.n) {
		char text[60];

		gt_text_char(s->out, '|');
		for (uint32_t i = 0; i < columns; i++)
			gt_text_char(s->out, levels[most > 0 && sum[i] > 0 ? (int)ceil(9 * sum[i] / most) : 0]);
		snprintf(text, sizeof text, "| up to %.6g, %u value%s", most, row->value.n,
			row->value.n == 1 ? "" : "s");
		gt_text_str(s->out, text);
	} else {
		gt_text_lit(s->out, "N/A  ");
		gt_text_harmless(s->out, row->why.text, row->why.bytes);
	}
	gt_text_char(s->out, '\n');
}

/* Everything below m that is a list of metrics, a line of samples each. */
static void samples(const struct shown *s, const struct gt_message *m)
{
	struct gt_rows rows = { 0 };
	size_t label = 0;

	put_title(s, gt_message_text(m, "Label"));
	gt_rows_of(&rows, s->action, s->section, m);
	for (uint32_t i = 0; i < rows.v.n; i++) {
		struct gt_text name = { 0 };

		gt_row_label(&name, &rows.v.v[i], s->options);
		if (name.used > label)
			label = name.used;
		gt_text_free_part(&name, s->out);
	}
	for (uint32_t i = 0; i < rows.v.n; i++)
		put_samples(s, &rows.v.v[i], label > 28 ? label : 28);
	s->out->failed |= rows.failed;
	gt_rows_free(&rows);
}

static void timeline(const struct shown *s, const struct gt_message *m)
{
	const struct gt_message_value *group = gt_message_next(m, "MetricGroups", NULL), *row;

	samples(s, m);
	for (; group; group = gt_message_next(NULL, "MetricGroups", group)) {
		put_title(s, gt_message_text(group->part, "Label"));
		for (row = gt_message_next(group->part, "MetricRows", NULL); row;
			row = gt_message_next(NULL, "MetricRows", row)) {
			const struct gt_message_value *metric = gt_message_next(row->part, "Metrics", NULL);
			struct gt_rows rows = { 0 };

			if (!metric)
				continue;
			gt_rows_of(&rows, s->action, s->section, row->part);
			for (uint32_t i = 0; i < rows.v.n; i++)
				put_samples(s, &rows.v.v[i], 28);
			s->out->failed |= rows.failed;
			gt_rows_free(&rows);
		}
	}
}

/* ------------------------------------------------------------------ roofline */

/* NAN, with what is missing in *why. */
static double metric_number(const struct shown *s, const struct gt_message *metric, struct gt_string *why)
{
	const struct gt_target target = gt_action_target(s->action);
	const struct gt_action_metric *m;
	struct gt_section_metric one;

	if (!metric || !gt_section_metric(s->section, metric, &target, &one))
		return NAN;
	m = gt_action_metric(s->action, one.name);
	if (m && m->value.regular.type != GT_METRIC_NONE)
		return gt_value_number(&m->value.regular);
	*why = m ? m->why : (struct gt_string){ "", 0 };
	return NAN;
}

/* A constant, a metric, or values a cycle times cycles a second. */
static double roofline_value(const struct shown *s, const struct gt_message *m, struct gt_string *why)
{
	const struct gt_message_value *constant = gt_message_next(m, "Constant", NULL);
	const struct gt_message *metric = gt_message_part(m, "Metric"),
				*product = gt_message_part(m, "ValueCyclesPerSecondExpression");
	const struct gt_message_value *v = gt_message_next(product, "ValuePerCycleMetrics", NULL);
	double sum = 0;

	if (constant)
		return constant->real;
	if (metric)
		return metric_number(s, metric, why);
	for (; v; v = gt_message_next(NULL, "ValuePerCycleMetrics", v))
		sum += metric_number(s, v->part, why);
	return product ? sum * metric_number(s, gt_message_part(product, "CyclesPerSecondMetric"), why) : NAN;
}

static void put_point(const struct shown *s, const struct gt_message *m, const char *work, const char *traffic,
	const char *otherwise)
{
	struct gt_string label = gt_message_text(gt_message_part(m, "Options"), "Label"), why = { "", 0 };
	double w = roofline_value(s, gt_message_part(m, work), &why),
	       t = roofline_value(s, gt_message_part(m, traffic), &why);
	char text[200];

	gt_text_blank(s->out, INDENT);
	if (label.bytes)
		gt_text_harmless(s->out, label.text, label.bytes);
	else
		gt_text_str(s->out, otherwise);
	if (isnan(w) || isnan(t)) {
		gt_text_lit(s->out, ": N/A  ");
		gt_text_harmless(s->out, why.text, why.bytes);
	} else {
		snprintf(text, sizeof text, ": %.4g operations/s, %.4g bytes/s, %.4g operations/byte", w, t,
			t > 0 ? w / t : 0);
		gt_text_str(s->out, text);
	}
	gt_text_char(s->out, '\n');
}

/* Roofs and what was achieved, as numbers. */
static void roofline(const struct shown *s, const struct gt_message *m)
{
	const struct gt_message_value *v;

	put_title(s, gt_message_text(m, "Label"));
	for (v = gt_message_next(m, "Rooflines", NULL); v; v = gt_message_next(NULL, "Rooflines", v))
		put_point(s, v->part, "PeakWork", "PeakTraffic", "Roof");
	for (v = gt_message_next(m, "AchievedValues", NULL); v; v = gt_message_next(NULL, "AchievedValues", v))
		put_point(s, v->part, "AchievedWork", "AchievedTraffic", "Achieved");
}

/* ------------------------------------------------------------------ tables */

static void table(const struct shown *s, const struct gt_message *m)
{
	struct gt_rows rows = { 0 };

	gt_rows_of(&rows, s->action, s->section, m);
	gt_rows_sort(&rows, m);
	gt_rows_table(s->out, &rows, s->options);
	gt_rows_free(&rows);
}

/* Base names with each of the suffixes. */
static void suffix_table(const struct shown *s, const struct gt_message *m)
{
	const struct gt_message_value *base =
		gt_message_next(gt_message_part(m, "BaseNames"), "BaseName", NULL), *suffix;
	struct gt_rows rows = { .title = gt_message_text(m, "Label") };

	for (; base; base = gt_message_next(NULL, "BaseName", base))
		for (suffix = gt_message_next(gt_message_part(m, "Suffixes"), "Suffix", NULL); suffix;
			suffix = gt_message_next(NULL, "Suffix", suffix)) {
			struct gt_string b = gt_message_text(base->part, "Name"),
					 x = gt_message_text(suffix->part, "Name");
			const struct gt_action_metric *found = NULL;
			struct gt_row *row;

			for (uint32_t i = 0; i < s->action->metrics.n && !found; i++) {
				const struct gt_action_metric *one = &s->action->metrics.v[i];

				if (one->name.bytes == b.bytes + x.bytes && !memcmp(one->name.text, b.text, b.bytes) &&
					!memcmp(one->name.text + b.bytes, x.text, x.bytes))
					found = one;
			}
			if (!found || !(row = GT_LIST_ADD(&rows.v)))
				continue;
			*row = (struct gt_row){ .label = { "", 0 }, .name = found->name, .unit = found->unit,
				.why = found->why, .value = found->value };
		}
	gt_rows_sort(&rows, m);
	gt_rows_table(s->out, &rows, s->options);
	gt_rows_free(&rows);
}

static int greatest_first(const void *l, const void *r)
{
	double a = gt_value_number(&((const struct gt_instance *)l)->value),
	       b = gt_value_number(&((const struct gt_instance *)r)->value);

	return isnan(a) || isnan(b) ? isnan(a) - isnan(b) : a > b ? -1 : a < b;
}

/* The greatest instances of one metric. */
static void put_top(const struct shown *s, const struct gt_row *row, uint64_t most)
{
	struct gt_instance *sorted = malloc((row->value.n + 1ull) * sizeof *sorted);

	s->out->failed |= !sorted;
	if (!sorted)
		return;
	memcpy(sorted, row->value.instances, row->value.n * sizeof *sorted);
	qsort(sorted, row->value.n, sizeof *sorted, greatest_first);
	for (uint32_t i = 0; i < row->value.n && i < most; i++) {
		gt_text_blank(s->out, INDENT);
		if (sorted[i].id.type == GT_METRIC_INTEGER) {
			gt_text_lit(s->out, "0x");
			gt_text_hex(s->out, sorted[i].id.integer, 1, false);
		} else {
			gt_page_value(s->out, &sorted[i].id, true);
		}
		gt_text_lit(s->out, "  ");
		gt_page_value(s->out, &sorted[i].value, false);
		gt_text_char(s->out, '\n');
	}
	free(sorted);
}

static void source_table(const struct shown *s, const struct gt_message *m)
{
	struct gt_rows rows = { 0 };

	gt_rows_of(&rows, s->action, s->section, m);
	put_title(s, rows.title);
	for (uint32_t i = 0; i < rows.v.n; i++)
		if (rows.v.v[i].value.n) {
			put_top(s, &rows.v.v[i], gt_message_integer(m, "Rows", 5));
		} else {
			gt_text_blank(s->out, INDENT);
			gt_row_label(s->out, &rows.v.v[i], s->options);
			gt_text_lit(s->out, ": N/A  ");
			gt_text_harmless(s->out, rows.v.v[i].why.text, rows.v.v[i].why.bytes);
			gt_text_char(s->out, '\n');
		}
	s->out->failed |= rows.failed;
	gt_rows_free(&rows);
}

/* ------------------------------------------------------------------ any of them */

static const struct { const char *field; void (*show)(const struct shown *s, const struct gt_message *m); } kinds[] = {
	{ "Table", table }, { "BarChart", bar_chart }, { "HistogramChart", histogram }, { "LineChart", samples },
	{ "RooflineChart", roofline }, { "SourceMetricTable", source_table }, { "SuffixTable", suffix_table },
	{ "Timeline", timeline },
};

void gt_show_item(struct gt_text *out, const struct gt_action *a, const struct gt_section *section,
	const struct gt_message *item, const struct gt_page_options *o)
{
	const struct shown s = { out, a, section, o };
	const struct gt_target target = gt_action_target(a);
	const struct gt_message_value *inner;
	bool required;

	if (!gt_filter_passes(gt_message_part(item, "Filter"), gt_message_part(section->message, "Filter"), &target,
		    &required))
		return;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct gt_message *m = gt_message_part(item, kinds[i].field);

		if (!m)
			continue;
		kinds[i].show(&s, m);
		gt_text_char(out, '\n');
	}
	inner = gt_message_next(gt_message_part(item, "HorizontalContainer"), "Items", NULL);
	for (; inner; inner = gt_message_next(NULL, "Items", inner))
		gt_show_item(out, a, section, inner->part, o);
}
