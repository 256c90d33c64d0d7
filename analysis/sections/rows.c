/*
 * analysis/sections/rows.c - the rows of a table: which metrics, in which order, printed
 *
 * spec: NCU "Section Files"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics/class.h"
#include "analysis/sections/show.h"
#include "common/harmless.h"

#define BREAKDOWN "breakdown:"
#define INDENT 4
#define COLUMNS 110

/* ------------------------------------------------------------------ which */

static bool begins(struct gt_string s, const char *with)
{
	return s.bytes >= strlen(with) && !memcmp(s.text, with, strlen(with));
}

static struct gt_row *add(struct gt_rows *rows, struct gt_string label, struct gt_string name)
{
	struct gt_row *r = GT_LIST_ADD(&rows->v);

	rows->failed |= !r;
	if (r)
		*r = (struct gt_row){ .label = label, .name = name, .unit = { "", 0 }, .why = { "", 0 } };
	return r;
}

static void add_metric(struct gt_rows *rows, const struct gt_action *a, struct gt_string label, struct gt_string name,
	struct gt_string unit)
{
	const struct gt_action_metric *m = gt_action_metric(a, name);
	struct gt_row *r = add(rows, label, name);

	if (!r)
		return;
	r->unit = unit.bytes ? unit : m ? m->unit : r->unit;
	if (m)
		r->value = m->value;
	if (gt_action_available(m))
		return;
	if (m && m->why.bytes) {
		r->why = m->why;
		return;
	}
	r->why = gt_action_why(a, name);
}

void gt_rows_add_matching(struct gt_rows *rows, const struct gt_action *a, struct gt_string said)
{
	struct gt_pattern pattern;

	gt_pattern_open(&pattern, said);
	for (uint32_t i = 0; i < a->metrics.n; i++)
		if (gt_pattern_fits(&pattern, a->metrics.v[i].name))
			add_metric(rows, a, (struct gt_string){ "", 0 }, a->metrics.v[i].name, a->metrics.v[i].unit);
	gt_pattern_close(&pattern);
}

/* A breakdown's value is a list of names. */
static void add_breakdown(
	struct gt_rows *rows, const struct gt_action *a, struct gt_string label, struct gt_string name)
{
	const struct gt_string none = { "", 0 };
	const struct gt_action_metric *m = gt_action_metric(a, name);
	const char *at = m && m->value.regular.type == GT_METRIC_TEXT ? m->value.regular.text : "";

	if (!*at)
		add_metric(rows, a, label, name, none);
	while (*at) {
		size_t n = strcspn(at, ",");

		add_metric(rows, a, none, (struct gt_string){ at, n }, none);
		at += n + (at[n] == ',');
	}
}

void gt_rows_of(struct gt_rows *rows, const struct gt_action *a, const struct gt_section *section,
	const struct gt_message *m)
{
	const struct gt_target target = gt_action_target(a);
	const struct gt_message_value *v = gt_message_next(m, "Metrics", NULL);

	rows->title = gt_message_text(m, "Label");
	for (; v; v = gt_message_next(NULL, "Metrics", v)) {
		struct gt_section_metric one;

		if (!gt_section_metric(section, v->part, &target, &one))
			continue;
		if (gt_is_pattern(one.name) && !rows->no_patterns)
			gt_rows_add_matching(rows, a, one.name);
		else if (begins(one.name, BREAKDOWN))
			add_breakdown(rows, a, one.label, one.name);
		else
			add_metric(rows, a, one.label, one.name, gt_message_text(v->part, "Unit"));
	}
}

/* ------------------------------------------------------------------ in which order */

double gt_value_number(const struct gt_metric_value *v)
{
	return v->type == GT_METRIC_DOUBLE ? v->real : v->type == GT_METRIC_INTEGER ? (double)v->integer : NAN;
}

/* What has no value comes last, whichever way. */
static int by_value(const void *l, const void *r)
{
	double a = gt_value_number(&((const struct gt_row *)l)->value.regular),
	       b = gt_value_number(&((const struct gt_row *)r)->value.regular);

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a < b ? -1 : a > b;
}

static int by_value_down(const void *l, const void *r)
{
	double a = gt_value_number(&((const struct gt_row *)l)->value.regular),
	       b = gt_value_number(&((const struct gt_row *)r)->value.regular);

	return isnan(a) || isnan(b) ? by_value(l, r) : by_value(r, l);
}

static int by_label(const void *l, const void *r)
{
	const struct gt_row *a = l, *b = r;
	struct gt_string s = a->label.bytes ? a->label : a->name, t = b->label.bytes ? b->label : b->name;

	return gt_compare_text(s, t);
}

static int by_label_down(const void *l, const void *r) { return by_label(r, l); }

void gt_rows_sort(struct gt_rows *rows, const struct gt_message *m)
{
	bool down = gt_message_integer(m, "SortDirection", 0);

	if (!rows->v.n || (!gt_message_next(m, "SortKey", NULL) && !gt_message_next(m, "SortDirection", NULL)))
		return;
	if (gt_message_integer(m, "SortKey", 0))
		qsort(rows->v.v, rows->v.n, sizeof *rows->v.v, down ? by_value_down : by_value);
	else
		qsort(rows->v.v, rows->v.n, sizeof *rows->v.v, down ? by_label_down : by_label);
}

void gt_rows_free(struct gt_rows *rows)
{
	free(rows->v.v);
	*rows = (struct gt_rows){ 0 };
}

/* ------------------------------------------------------------------ printed */

static void put_grouped(struct gt_text *out, const char *digits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			gt_text_char(out, ',');
		gt_text_char(out, digits[i]);
	}
}

void gt_page_value(struct gt_text *out, const struct gt_metric_value *v, bool plain)
{
	char text[400];
	const char *from = text;

	switch (v->type) {
	case GT_METRIC_NONE: gt_text_lit(out, "N/A"); return;
	case GT_METRIC_TEXT: gt_text_harmless(out, v->text, strlen(v->text)); return;
	case GT_METRIC_INTEGER: snprintf(text, sizeof text, "%llu", (unsigned long long)v->integer); break;
	case GT_METRIC_DOUBLE:
		if (plain)
			snprintf(text, sizeof text, "%.17g", v->real);
		else
			snprintf(text, sizeof text, fabs(v->real) < 1e15 ? "%.2f" : "%.6g", v->real);
		break;
	}
	if (plain || strpbrk(text, "einf")) {
		gt_text_str(out, text);
		return;
	}
	if (*from == '-')
		gt_text_char(out, *from++);
	put_grouped(out, from, strcspn(from, "."));
	gt_text_str(out, from + strcspn(from, "."));
}

void gt_row_label(struct gt_text *out, const struct gt_row *row, const struct gt_page_options *o)
{
	bool label = o->names != GT_PRINT_NAME && row->label.bytes, name = o->names != GT_PRINT_LABEL || !label;

	if (label)
		gt_text_harmless(out, row->label.text, row->label.bytes);
	if (label && name)
		gt_text_lit(out, " ");
	if (name)
		gt_text_harmless(out, row->name.text, row->name.bytes);
}

/* Columns on the screen: bytes that go on a character of UTF-8 take none. */
static size_t width(const char *s, size_t n)
{
	size_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}

static void put_cell(struct gt_text *out, const struct gt_text *cell, size_t wide, bool right)
{
	size_t has = width(cell->data, cell->used), blank = wide > has ? wide - has : 0;

	if (right)
		gt_text_blank(out, blank);
	gt_text_bytes(out, cell->data, cell->used);
	if (!right)
		gt_text_blank(out, blank);
}

static void put_line(struct gt_text *out, const size_t wide[3])
{
	gt_text_blank(out, INDENT);
	for (int c = 0; c < 3; c++) {
		for (size_t i = 0; i < wide[c]; i++)
			gt_text_char(out, '-');
		gt_text_char(out, c < 2 ? ' ' : '\n');
	}
}

static void cells_of(const struct gt_row *row, struct gt_text cell[3], const struct gt_page_options *o)
{
	for (int c = 0; c < 3; c++)
		cell[c].used = 0;
	gt_row_label(&cell[0], row, o);
	gt_text_harmless(&cell[1], row->unit.text, row->unit.bytes);
	gt_page_value(&cell[2], &row->value.regular, false);
	if (row->value.regular.type == GT_METRIC_NONE && row->value.n) {
		cell[2].used = 0;
		gt_text_u64(&cell[2], row->value.n);
		gt_text_lit(&cell[2], " instances");
	}
}

/* Do several rows have one reason, and none of them a value? */
static bool nothing_there(const struct gt_rows *rows)
{
	for (uint32_t i = 0; i < rows->v.n; i++)
		if (!rows->v.v[i].why.bytes || !gt_same_text(rows->v.v[i].why, rows->v.v[0].why))
			return false;
	return rows->v.n > 2;
}

/* "N/A: Threads, Waits: counters were not recorded" */
static void put_nothing(struct gt_text *out, const struct gt_rows *rows, const struct gt_page_options *o)
{
	struct gt_text t = { 0 };

	gt_text_lit(&t, "N/A: ");
	for (uint32_t i = 0; i < rows->v.n; i++) {
		if (i)
			gt_text_lit(&t, ", ");
		gt_row_label(&t, &rows->v.v[i], o);
	}
	gt_text_lit(&t, "\n");
	gt_text_bytes(&t, rows->v.v[0].why.text, rows->v.v[0].why.bytes);
	gt_show_paragraph(out, (struct gt_string){ t.data, t.used }, INDENT);
	out->failed |= t.failed || rows->failed;
	gt_text_free(&t);
}

void gt_rows_table(struct gt_text *out, const struct gt_rows *rows, const struct gt_page_options *o)
{
	struct gt_text cell[3] = { { 0 } };
	size_t wide[3] = { 11, 4, 12 };

	if (!rows->v.n)
		return;
	if (rows->title.bytes) {
		gt_text_blank(out, INDENT);
		gt_text_harmless(out, rows->title.text, rows->title.bytes);
		gt_text_char(out, '\n');
	}
	if (o->page != GT_PAGE_RAW && nothing_there(rows)) {
		put_nothing(out, rows, o);
		return;
	}
	for (uint32_t i = 0; i < rows->v.n; i++) {
		cells_of(&rows->v.v[i], cell, o);
		for (int c = 0; c < 3; c++)
			if (width(cell[c].data, cell[c].used) > wide[c])
				wide[c] = width(cell[c].data, cell[c].used);
	}
	put_line(out, wide);
	for (uint32_t i = 0; i < rows->v.n; i++) {
		cells_of(&rows->v.v[i], cell, o);
		gt_text_blank(out, INDENT);
		for (int c = 0; c < 3; c++) {
			put_cell(out, &cell[c], wide[c], c == 2);
			if (c < 2)
				gt_text_char(out, ' ');
		}
		if (rows->v.v[i].why.bytes) {
			gt_text_lit(out, "  ");
			gt_text_harmless(out, rows->v.v[i].why.text, rows->v.v[i].why.bytes);
		}
		gt_text_char(out, '\n');
	}
	put_line(out, wide);
	for (int c = 0; c < 3; c++) {
		out->failed |= cell[c].failed;
		gt_text_free(&cell[c]);
	}
	out->failed |= rows->failed;
}

void gt_show_paragraph(struct gt_text *out, struct gt_string s, unsigned indent)
{
	size_t column = 0;

	for (size_t i = 0; i < s.bytes;) {
		size_t n = 0;

		while (i + n < s.bytes && !strchr(" \n", s.text[i + n]))
			n++;
		if (n) {
			if (column && column + 1 + n > COLUMNS - indent) {
				gt_text_char(out, '\n');
				column = 0;
			}
			if (!column)
				gt_text_blank(out, indent);
			else
				gt_text_char(out, ' ');
			gt_text_harmless(out, s.text + i, n);
			column += n + (column > 0);
		}
		i += n;
		if (i < s.bytes && s.text[i] == '\n' && column) {
			gt_text_char(out, '\n');
			column = 0;
		}
		i++;
	}
	if (column)
		gt_text_char(out, '\n');
}
