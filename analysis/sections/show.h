/*
 * analysis/sections/show.h - what the pages of a report are made of: rows, tables, charts of characters
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_SHOW_H
#define GPUTAP_ANALYSIS_SECTIONS_SHOW_H

#include "analysis/sections/page.h"

/* A metric as it stands in a table or chart. Texts live as long as the action and its sections. */
struct gt_row {
	struct gt_string label, name, unit, why;
	struct gt_instanced value;
};
struct gt_rows {
	GT_LIST(struct gt_row) v;
	struct gt_string title;
	bool no_patterns;                 /* of a Header, where a pattern names nothing */
	bool failed;
};

/* The rows of the field `Metrics` of m: filters, options, patterns and breakdowns resolved. */
void gt_rows_of(struct gt_rows *rows, const struct gt_action *a, const struct gt_section *section,
	const struct gt_message *m);
/* A row for every metric whose whole name the pattern matches; an expression that is none matches nothing. */
void gt_rows_add_matching(struct gt_rows *rows, const struct gt_action *a, struct gt_string pattern);
/* By the message's SortKey and SortDirection, if it has one. */
void gt_rows_sort(struct gt_rows *rows, const struct gt_message *m);
void gt_rows_free(struct gt_rows *rows);

/* Of a row: its label or name, as the option says. */
void gt_row_label(struct gt_text *out, const struct gt_row *row, const struct gt_page_options *o);
void gt_rows_table(struct gt_text *out, const struct gt_rows *rows, const struct gt_page_options *o);
/* The text, blanks before each of its lines, broken at 110 columns. */
void gt_show_paragraph(struct gt_text *out, struct gt_string s, unsigned indent);

/* Any item of a section's Body. */
void gt_show_item(struct gt_text *out, const struct gt_action *a, const struct gt_section *section,
	const struct gt_message *item, const struct gt_page_options *o);

double gt_value_number(const struct gt_metric_value *v);

#endif
