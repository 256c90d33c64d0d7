/*
 * analysis/table.h - rows of a report, printed as a table, CSV, JSON or Markdown
 *
 * Machine forms carry full precision and the same headings. A streamed table prints rows as they come, after a look at
 * the first ones.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_TABLE_H
#define GPUTAP_ANALYSIS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum gt_table_format { GT_TABLE_TEXT, GT_TABLE_CSV, GT_TABLE_JSON, GT_TABLE_MARKDOWN };
bool gt_table_format_of(const char *name, enum gt_table_format *format); /* table csv json markdown (md) */

enum gt_cell_kind { GT_CELL_NONE, GT_CELL_INTEGER, GT_CELL_NUMBER, GT_CELL_TEXT };
struct gt_cell { enum gt_cell_kind kind; int64_t integer; double number; int digits; const char *text; };

static inline struct gt_cell gt_none(void) { return (struct gt_cell){ .kind = GT_CELL_NONE }; }
static inline struct gt_cell gt_integer(int64_t v) { return (struct gt_cell){ .kind = GT_CELL_INTEGER, .integer = v }; }
static inline struct gt_cell gt_number(double v, int digits)
{
	return (struct gt_cell){ .kind = GT_CELL_NUMBER, .number = v, .digits = digits };
}
static inline struct gt_cell gt_text(const char *v)
{
	return (struct gt_cell){ .kind = GT_CELL_TEXT, .text = v ? v : "" };
}

struct gt_table;
/* headings: "Time (%)|Name"; a heading that ends in '<' is a text column, aligned left. title is printed above. */
struct gt_table *gt_table_new(
	const char *name, const char *title, const char *headings, enum gt_table_format format, FILE *out, bool stream);
/* cells: one per column; text is copied. 0, or -1: no memory. */
int gt_table_row(struct gt_table *t, const struct gt_cell *cells);
/* Prints what was not streamed (at most `most` rows, 0 = all) and frees. 0, or -1 when out failed. */
int gt_table_end(struct gt_table *t, unsigned most);
/* Frees without printing what was not streamed. */
void gt_table_drop(struct gt_table *t);
bool gt_table_empty(const struct gt_table *t);           /* no rows, and nothing to say about rows that are missing */
/*
 * So many are not in the table, and why ("without device times"): said below a table for people, "missing" in JSON.
 * 0: nothing.
 */
void gt_table_missing(struct gt_table *t, uint64_t n, const char *what);
/*
 * An output of several tables, however many of them are printed in the end: in JSON they are one array, in CSV a line
 * with its name stands before each, and a blank line parts them (CSV, Markdown). All zero: nothing is printed yet.
 */
struct gt_tables { bool several, printed; };
/* The table is one of these, which outlive it. Before its first row. */
void gt_table_in(struct gt_table *t, struct gt_tables *of);
/* Behind the last one. 0, or -1 when out failed. */
int gt_tables_end(struct gt_tables *of, enum gt_table_format format, FILE *out);

#endif
