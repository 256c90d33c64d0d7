/*
 * analysis/table.c - print rows for people and for programs
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/harmless.h"
#include "common/json.h"
#include "common/paged.h"
#include "model/arena.h"
#include "model/bulk.h"

/* A streamed table takes its widths from its first rows; a wider cell later on widens its column from there. */
enum { MOST_COLUMNS = 40, STREAM_LOOK = 1000, WIDEST = 100 };   /* a longer text stands out of its column */
/* A packed row: of each column one of these and, unless it is absent, its text with a zero. */
enum { ABSENT, TEXT, NUMERIC };

struct gt_table {
	const char *name, *title;
	FILE *out;
	enum gt_table_format format;
	bool stream, flowing;           /* flowing: the first rows of a stream are printed */
	bool failed;                    /* a cell found no memory */
	struct gt_tables *of;           /* NULL: it is alone */
	unsigned columns;
	char *headings;                 /* split in place */
	const char *heading[MOST_COLUMNS];
	bool left[MOST_COLUMNS], plain[MOST_COLUMNS];   /* plain: identifiers, no separators */
	int width[MOST_COLUMNS];
	struct gt_bulk row;             /* kept ones: char * to a packed row */
	struct gt_bulk_budget budget;
	struct gt_arena arena;          /* their texts */
	size_t rows, printed;
	uint64_t missing; const char *missing_what;
};

bool gt_table_format_of(const char *name, enum gt_table_format *format)
{
	static const struct { const char *name; enum gt_table_format format; } known[] = {
		{ "table", GT_TABLE_TEXT }, { "csv", GT_TABLE_CSV }, { "json", GT_TABLE_JSON },
		{ "markdown", GT_TABLE_MARKDOWN }, { "md", GT_TABLE_MARKDOWN },
	};

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return *format = known[i].format, true;
	return false;
}

void gt_table_in(struct gt_table *t, struct gt_tables *of) { t->of = of; }

int gt_tables_end(struct gt_tables *of, enum gt_table_format format, FILE *out)
{
	if (of->several && format == GT_TABLE_JSON)
		fputs(of->printed ? "]\n" : "[]\n", out);
	return ferror(out) ? -1 : 0;
}

/* ---------------------------------------------------------------- escaping */

/* The report "NAME" or "NAME:OPTION..." is one that `nsys stats` has too. */
static bool others_have(const char *report)
{
	static const char *const prefixes[] = { "cuda_", "nvtx_", "um_", "openmp_sum", "osrt_sum" };
	static const char *const own[] = { "cuda_graph_sum", "cuda_mem_usage", "cuda_stream_sum", "cuda_sync_sum" };
	bool have = false;

	for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		have |= !strncmp(report, prefixes[i], strlen(prefixes[i]));
	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		have &= !!strncmp(report, own[i], strlen(own[i]));
	return have;
}

/*
 * A text that a spreadsheet would take for a formula gets an apostrophe, which spreadsheets take for "a text". Not in
 * reports that others have too: their readers compare names.
 */
static bool is_formula(const struct gt_table *t, const char *s)
{
	return *s && strchr("=+-@", *s) && !others_have(t->name);
}

static void put_csv(FILE *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
	putc('"', out);
}

static void put_csv_text(struct gt_table *t, const char *s)
{
	char *text = NULL;

	if (asprintf(&text, "'%s", s) >= 0)
		put_csv(t->out, text);
	else
		t->failed = true;
	free(text);
}

static void put_json(struct gt_table *t, const char *s)
{
	struct gt_text text = { 0 };

	gt_json_string(&text, s, strlen(s));
	fwrite(text.data ? text.data : "", 1, text.used, t->out);
	t->failed |= text.failed;
	gt_text_free(&text);
}

static void put_markdown(FILE *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '|' || *s == '\\' || *s == '<' || *s == '*' || *s == '_' || *s == '`' ||
			*s == '[' || *s == ']')
			putc('\\', out);
		putc(*s, out);
	}
}

/* -------------------------------------------------------------------- rows */

struct gt_table *gt_table_new(
	const char *name, const char *title, const char *headings, enum gt_table_format format, FILE *out, bool stream)
{
	struct gt_table *t = calloc(1, sizeof *t);
	char *save = NULL;

	if (!t || !(t->headings = strdup(headings))) {
		free(t);
		return NULL;
	}
	*t = (struct gt_table){
		.name = name, .title = title, .out = out, .format = format, .stream = stream, .headings = t->headings
	};
	for (char *h = strtok_r(t->headings, "|", &save); h && t->columns < MOST_COLUMNS;
		h = strtok_r(NULL, "|", &save)) {
		size_t n = strlen(h);

		if (n && h[n - 1] == '<') {
			h[n - 1] = 0;
			t->left[t->columns] = true;
		}
		n = strlen(h);
		t->plain[t->columns] = n >= 2 && !strcasecmp(h + n - 2, "id");
		t->heading[t->columns++] = h;
	}
	return t;
}

/* A tie goes away from zero, as by SQL's ROUND in the vendor's reports: 4.25 is 4.3. (printf makes it 4.2.) */
static long double rounded(double number, int digits)
{
	long double scale = 1;

	while (digits-- > 0)
		scale *= 10;
	return roundl((long double)number * scale) / scale;
}

static char *render(const struct gt_cell *c, enum gt_table_format format, bool plain)
{
	char *text = NULL;
	int n = 0;

	switch (c->kind) {
	case GT_CELL_NONE: return NULL;
	case GT_CELL_INTEGER: n = asprintf(&text, "%lld", (long long)c->integer); break;
	case GT_CELL_NUMBER: n = asprintf(&text, "%.*Lf", c->digits, rounded(c->number, c->digits)); break;
	case GT_CELL_TEXT: return strdup(format == GT_TABLE_JSON ? c->text : gt_harmless(c->text));
	}
	if (n < 0)
		return NULL;
	if (plain || (format != GT_TABLE_TEXT && format != GT_TABLE_MARKDOWN))
		return text;
	/* People read 1 234 567 better with separators; programs never get them. */
	char *dot = strchr(text, '.'), *end = dot ? dot : text + n, *first = text + (*text == '-');
	int digits = (int)(end - first), commas = (digits - 1) / 3;
	char *wide = malloc((size_t)n + (size_t)commas + 1), *w = wide;

	if (!wide || digits < 4)
		return free(wide), text;
	for (char *s = text; *s; s++) {
		*w++ = *s;
		if (s >= first && s < end - 1 && (end - 1 - s) % 3 == 0)
			*w++ = ',';
	}
	*w = 0;
	free(text);
	return wide;
}

/* Where it stands among others: what parts it from the one before, and what it is. */
static void put_place(struct gt_table *t)
{
	bool several = t->of && t->of->several, follows = t->of && t->of->printed;

	if (follows && (t->format == GT_TABLE_CSV || t->format == GT_TABLE_MARKDOWN))
		putc('\n', t->out);
	if (several && t->format == GT_TABLE_JSON)
		putc(follows ? ',' : '[', t->out);
	if (several && t->format == GT_TABLE_CSV) {
		put_csv(t->out, t->name);
		putc('\n', t->out);
	}
	if (t->of)
		t->of->printed = true;
}

static void print_head(struct gt_table *t, const int *width)
{
	put_place(t);
	if (t->format == GT_TABLE_CSV) {
		for (unsigned i = 0; i < t->columns; i++) {
			if (i)
				putc(',', t->out);
			put_csv(t->out, t->heading[i]);
		}
		putc('\n', t->out);
	} else if (t->format == GT_TABLE_JSON) {
		fprintf(t->out, "{\"report\":");
		put_json(t, t->name);
		fprintf(t->out, ",\"rows\":[");
	} else if (t->format == GT_TABLE_MARKDOWN) {
		fprintf(t->out, "### %s (%s)\n\n|", t->title, t->name);
		for (unsigned i = 0; i < t->columns; i++)
			fprintf(t->out, " %s |", t->heading[i]);
		fprintf(t->out, "\n|");
		for (unsigned i = 0; i < t->columns; i++)
			fprintf(t->out, t->left[i] ? " --- |" : " ---: |");
		putc('\n', t->out);
	} else {
		fprintf(t->out, "\n ** %s (%s):\n\n", t->title, t->name);
		for (unsigned i = 0; i < t->columns; i++)
			fprintf(t->out, t->left[i] ? " %-*s" : " %*s", i + 1 == t->columns && t->left[i] ? 0 : width[i],
				t->heading[i]);
		fprintf(t->out, "\n");
		for (unsigned i = 0; i < t->columns; i++) {
			putc(' ', t->out);
			for (int k = 0; k < width[i]; k++)
				putc('-', t->out);
		}
		putc('\n', t->out);
	}
}

static void print_row(struct gt_table *t, char **cell, const bool *numeric, const int *width)
{
	switch (t->format) {
	case GT_TABLE_CSV:
		for (unsigned i = 0; i < t->columns; i++) {
			if (i)
				putc(',', t->out);
			if (cell[i] && !numeric[i] && is_formula(t, cell[i]))
				put_csv_text(t, cell[i]);
			else if (cell[i])
				put_csv(t->out, cell[i]);
		}
		break;
	case GT_TABLE_JSON:
		fputs(t->printed ? ",\n{" : "\n{", t->out);
		for (unsigned i = 0; i < t->columns; i++) {
			if (i)
				putc(',', t->out);
			put_json(t, t->heading[i]);
			putc(':', t->out);
			if (!cell[i])
				fputs("null", t->out);
			else if (numeric[i])
				fputs(cell[i], t->out);
			else
				put_json(t, cell[i]);
		}
		putc('}', t->out);
		t->printed++;
		return;
	case GT_TABLE_MARKDOWN:
		putc('|', t->out);
		for (unsigned i = 0; i < t->columns; i++) {
			putc(' ', t->out);
			put_markdown(t->out, cell[i] ? cell[i] : "");
			fputs(" |", t->out);
		}
		break;
	case GT_TABLE_TEXT:
		for (unsigned i = 0; i < t->columns; i++)
			fprintf(t->out, t->left[i] ? " %-*s" : " %*s", i + 1 == t->columns && t->left[i] ? 0 : width[i],
				cell[i] ? cell[i] : "");
		break;
	}
	putc('\n', t->out);
	t->printed++;
}

static void widen(struct gt_table *t, char **cell)
{
	for (unsigned i = 0; i < t->columns; i++) {
		size_t n = cell[i] ? strlen(cell[i]) : 0;

		if (n > (size_t)t->width[i] && t->width[i] < WIDEST)
			t->width[i] = n < WIDEST ? (int)n : WIDEST;
	}
}

static void unpack_row(const struct gt_table *t, size_t row, char *cell[MOST_COLUMNS], bool numeric[MOST_COLUMNS])
{
	char *at = ((char *const *)t->row.data)[row];

	gt_paged_tick();
	for (unsigned i = 0; i < t->columns; i++) {
		char kind = *at++;

		numeric[i] = kind == NUMERIC;
		cell[i] = kind == ABSENT ? NULL : at;
		at += kind == ABSENT ? 0 : strlen(at) + 1;
	}
}

/* Heading and the first `rows` of the kept rows, in columns that fit them. */
static void print_kept(struct gt_table *t, size_t rows)
{
	char *cell[MOST_COLUMNS];
	bool numeric[MOST_COLUMNS];

	for (unsigned i = 0; i < t->columns; i++)
		t->width[i] = (int)strlen(t->heading[i]);
	for (size_t r = 0; r < rows; r++) {
		unpack_row(t, r, cell, numeric);
		widen(t, cell);
	}
	print_head(t, t->width);
	for (size_t r = 0; r < rows; r++) {
		unpack_row(t, r, cell, numeric);
		print_row(t, cell, numeric, t->width);
	}
}

static void free_kept(struct gt_table *t)
{
	gt_bulk_free(&t->row);
	gt_arena_free(&t->arena);
	t->budget.used = 0;
	t->rows = 0;
}

static int stream_row(struct gt_table *t, char **cell, const bool *numeric)
{
	widen(t, cell);
	print_row(t, cell, numeric, t->width);
	return 0;
}

static int keep_row(struct gt_table *t, char **cell, const bool *numeric)
{
	size_t bytes = 0;
	char **row, *to;

	for (unsigned i = 0; i < t->columns; i++)
		bytes += cell[i] ? strlen(cell[i]) + 2 : 1;
	to = gt_arena_alloc(&t->arena, bytes);
	row = to ? gt_bulk_add(&t->row, sizeof *row, &t->budget) : NULL;
	if (!row)
		return -1;
	*row = to;
	for (unsigned i = 0; i < t->columns; i++) {
		*to++ = (char)(!cell[i] ? ABSENT : numeric[i] ? NUMERIC : TEXT);
		to = cell[i] ? stpcpy(to, cell[i]) + 1 : to;
	}
	t->rows++;
	if (t->stream && t->rows == STREAM_LOOK) {
		print_kept(t, t->rows);
		free_kept(t);
		t->flowing = true;
	}
	return 0;
}

int gt_table_row(struct gt_table *t, const struct gt_cell *cells)
{
	char *cell[MOST_COLUMNS];
	bool numeric[MOST_COLUMNS];
	int rc;

	for (unsigned i = 0; i < t->columns; i++) {
		cell[i] = render(&cells[i], t->format, t->plain[i]);
		t->failed |= !cell[i] && cells[i].kind != GT_CELL_NONE;
		numeric[i] = cells[i].kind != GT_CELL_TEXT;
	}
	rc = t->flowing ? stream_row(t, cell, numeric) : keep_row(t, cell, numeric);
	for (unsigned i = 0; i < t->columns; i++)
		free(cell[i]);
	return rc;
}

bool gt_table_empty(const struct gt_table *t) { return !t->rows && !t->printed && !t->missing; }

void gt_table_missing(struct gt_table *t, uint64_t n, const char *what)
{
	t->missing = n;
	t->missing_what = what;
}

void gt_table_drop(struct gt_table *t)
{
	free_kept(t);
	free(t->headings);
	free(t);
}

int gt_table_end(struct gt_table *t, unsigned most)
{
	size_t rows = most && most < t->rows && !t->stream ? most : t->rows;
	int failed;

	if (!t->flowing)
		print_kept(t, rows);
	if (t->format == GT_TABLE_JSON) {
		fputs("\n]", t->out);
		if (t->missing)
			fprintf(t->out, ",\"missing\":%llu", (unsigned long long)t->missing);
		fputs("}\n", t->out);
	} else if (t->format == GT_TABLE_TEXT && rows < t->rows)
		fprintf(t->out, " ... %zu more\n", t->rows - rows);
	if (t->missing && (t->format == GT_TABLE_TEXT || t->format == GT_TABLE_MARKDOWN))
		fprintf(t->out, "%snot counted: %llu %s\n", t->format == GT_TABLE_MARKDOWN ? "\n" : " ",
			(unsigned long long)t->missing, t->missing_what);
	failed = t->failed || ferror(t->out);
	gt_table_drop(t);
	return failed ? -1 : 0;
}
