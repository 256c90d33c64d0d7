/*
 * analysis/callgrind/report.c - tables of a profile: functions, calls, files, parts
 *
 * A function's inclusive cost is its own and that of its calls, but for those of itself. Functions that call each other
 * in a circle have that circle's cost in each other's, as in every reader of the format: their shares add up to more.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/callgrind/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 32, CELLS = 40, DIGITS = 40 }; /* events in a table, at most; columns; of 128 bits */

struct printer {
	const struct gt_profile *p;
	struct gt_table *t;
	uint32_t event[SHOWN], shown;     /* those that have columns */
	struct gt_cell cell[CELLS];
	char text[CELLS][DIGITS];         /* of numbers that a cell has no room for */
	struct gt_text names[4];          /* zero-terminated copies */
	unsigned n, n_names;
	gt_profile_sum total;             /* of the first event */
};

/* ---- cells ---- */

static const char *decimal(gt_profile_sum v, char text[DIGITS])
{
	char *at = text + DIGITS - 1;

	*at = 0;
	do
		*--at = (char)('0' + (int)(v % 10));
	while (v /= 10);
	return at;
}

static void put_sum(struct printer *r, gt_profile_sum v)
{
	r->cell[r->n] = v <= INT64_MAX ? gt_integer((int64_t)v) : gt_text(decimal(v, r->text[r->n]));
	r->n++;
}

static void put_share(struct printer *r, gt_profile_sum v)
{
	r->cell[r->n++] = r->total ? gt_number(100 * ((double)v / (double)r->total), 1) : gt_none();
}

static void put_name(struct printer *r, uint32_t text)
{
	struct gt_string s = gt_profile_text(r->p, text);
	struct gt_text *to = &r->names[r->n_names++];

	to->used = 0;
	gt_text_bytes(to, s.bytes ? s.text : "???", s.bytes ? s.bytes : 3);
	gt_text_char(to, 0);
	r->cell[r->n++] = to->failed ? gt_none() : gt_text(to->data);
}

static int put_row(struct printer *r)
{
	int rc = gt_table_row(r->t, r->cell);

	r->n = r->n_names = 0;
	return rc;
}

static void add_heading(struct gt_text *t, const char *before, const struct gt_profile *p, uint32_t event)
{
	struct gt_string name = gt_profile_text(p, p->events.v[event].name);

	gt_text_str(t, before);
	gt_text_bytes(t, name.text, name.bytes);
	gt_text_char(t, '|');
}

/* ---- orders ---- */

struct order { gt_profile_sum key; uint32_t number; };

static int by_key(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static gt_profile_sum inclusive(const struct gt_profile *p, uint32_t function, uint32_t event)
{
	const struct gt_profile_function *f = &p->functions.v[function];

	return gt_profile_value(p, &f->self, event) + gt_profile_value(p, &f->calls, event);
}

static gt_profile_sum key_self(const struct gt_profile *p, uint32_t i)
{
	return gt_profile_value(p, &p->functions.v[i].self, p->order[0]);
}

static gt_profile_sum key_inclusive(const struct gt_profile *p, uint32_t i) { return inclusive(p, i, p->order[0]); }
static gt_profile_sum key_call(const struct gt_profile *p, uint32_t i)
{
	return gt_profile_value(p, &p->calls.v[i].cost, p->order[0]);
}

static gt_profile_sum key_piece(const struct gt_profile *p, uint32_t i)
{
	return gt_profile_value(p, &p->pieces.v[i].self, p->order[0]);
}

static gt_profile_sum key_none(const struct gt_profile *p, uint32_t i)
{
	(void)p;
	(void)i;
	return 0;
}

/* ---- rows ---- */

static void put_function(struct printer *r, const struct gt_profile_function *f)
{
	put_sum(r, f->called);
	put_name(r, f->name);
	put_name(r, f->file);
	put_name(r, f->object);
}

static void row_self(struct printer *r, uint32_t i)
{
	const struct gt_profile_function *f = &r->p->functions.v[i];

	put_share(r, key_self(r->p, i));
	put_share(r, key_inclusive(r->p, i));
	for (uint32_t e = 0; e < r->shown; e++)
		put_sum(r, gt_profile_value(r->p, &f->self, r->event[e]));
	put_function(r, f);
}

static void row_inclusive(struct printer *r, uint32_t i)
{
	put_share(r, key_inclusive(r->p, i));
	put_share(r, key_self(r->p, i));
	for (uint32_t e = 0; e < r->shown; e++)
		put_sum(r, inclusive(r->p, i, r->event[e]));
	put_function(r, &r->p->functions.v[i]);
}

static void row_call(struct printer *r, uint32_t i)
{
	const struct gt_profile_call *c = &r->p->calls.v[i];

	put_share(r, key_call(r->p, i));
	for (uint32_t e = 0; e < r->shown; e++)
		put_sum(r, gt_profile_value(r->p, &c->cost, r->event[e]));
	put_sum(r, c->count);
	put_name(r, r->p->functions.v[c->caller].name);
	put_name(r, r->p->functions.v[c->callee].name);
	put_name(r, r->p->functions.v[c->caller].file);
	put_name(r, r->p->functions.v[c->callee].file);
}

static void row_piece(struct printer *r, uint32_t i)
{
	const struct gt_profile_piece *x = &r->p->pieces.v[i];

	put_share(r, key_piece(r->p, i));
	for (uint32_t e = 0; e < r->shown; e++)
		put_sum(r, gt_profile_value(r->p, &x->self, r->event[e]));
	put_name(r, x->file);
	put_name(r, r->p->functions.v[x->function].name);
	put_name(r, r->p->functions.v[x->function].object);
}

static void row_part(struct printer *r, uint32_t i)
{
	const struct gt_profile_part *part = &r->p->parts.v[i];

	r->cell[r->n++] = part->has_part ? gt_integer((int64_t)(part->part & INT64_MAX)) : gt_none();
	r->cell[r->n++] = part->has_pid ? gt_integer((int64_t)(part->pid & INT64_MAX)) : gt_none();
	r->cell[r->n++] = part->has_thread ? gt_integer((int64_t)(part->thread & INT64_MAX)) : gt_none();
	for (uint32_t e = 0; e < r->shown; e++)
		put_sum(r, gt_profile_value(r->p, part->has_said ? &part->said : &part->sum, r->event[e]));
	put_name(r, part->trigger);
	put_name(r, part->range);
	put_name(r, part->command);
}

/* ---- tables ---- */

/* before, behind: columns around the events; event: before the name of each. */
static const struct kind {
	struct gt_profile_report report;
	const char *before, *event, *behind;
	gt_profile_sum (*key)(const struct gt_profile *, uint32_t);
	void (*row)(struct printer *, uint32_t);
	enum { FUNCTIONS, CALLS, PIECES, PARTS } of;
} kinds[] = {
	{ { "callgrind_parts", "Callgrind Parts" }, "Part|PID|Thread|", "", "Trigger<|Timerange<|Command<", key_none,
		row_part, PARTS },
	{ { "callgrind_self", "Callgrind Functions (by Self Cost)" }, "Self (%)|Incl (%)|", "Self ",
		"Called|Function<|File<|Object<", key_self, row_self, FUNCTIONS },
	{ { "callgrind_incl", "Callgrind Functions (by Inclusive Cost)" }, "Incl (%)|Self (%)|", "Incl ",
		"Called|Function<|File<|Object<", key_inclusive, row_inclusive, FUNCTIONS },
	{ { "callgrind_calls", "Callgrind Callers and Callees" }, "Incl (%)|", "Incl ",
		"Calls|Caller<|Callee<|Caller File<|Callee File<", key_call, row_call, CALLS },
	{ { "callgrind_files", "Callgrind Files and Functions (Self Cost)" }, "Self (%)|", "Self ",
		"File<|Function<|Object<", key_piece, row_piece, PIECES },
};

const struct gt_profile_report *gt_profile_report_at(unsigned i)
{
	return i < sizeof kinds / sizeof *kinds ? &kinds[i].report : NULL;
}

static uint32_t count(const struct gt_profile *p, const struct kind *k)
{
	return k->of == FUNCTIONS ? p->functions.n
		: k->of == CALLS  ? p->calls.n
		: k->of == PIECES ? p->pieces.n
				  : p->parts.n;
}

static struct gt_table *open_table(
	const struct printer *r, const struct kind *k, enum gt_table_format format, FILE *out, struct gt_text *headings)
{
	gt_text_str(headings, k->before);
	for (uint32_t e = 0; e < r->shown; e++)
		add_heading(headings, k->event, r->p, r->event[e]);
	gt_text_str(headings, k->behind);
	gt_text_char(headings, 0);
	return headings->failed ? NULL
				: gt_table_new(k->report.name, k->report.title, headings->data, format, out, false);
}

static struct order *sorted(const struct gt_profile *p, const struct kind *k, uint32_t n)
{
	struct order *order = malloc((n + 1ull) * sizeof *order);

	for (uint32_t i = 0; order && i < n; i++)
		order[i] = (struct order){ k->key(p, i), i };
	if (order)
		qsort(order, n, sizeof *order, by_key);
	return order;
}

static int print_rows(struct printer *r, const struct kind *k)
{
	uint32_t n = count(r->p, k);
	struct order *order = sorted(r->p, k, n);
	int rc = order ? 0 : -1;

	for (uint32_t i = 0; i < n && !rc; i++) {
		k->row(r, order[i].number);
		rc = put_row(r);
	}
	free(order);
	return rc;
}

/* Counted ones first, then computed ones; one that is only described has no column. Returns how many find no room. */
static uint32_t choose_events(struct printer *r)
{
	uint32_t left_out = 0;

	for (uint32_t i = 0; i < r->p->n_order + r->p->events.n; i++) {
		uint32_t e = i < r->p->n_order ? r->p->order[i] : i - r->p->n_order;

		if (i >= r->p->n_order && (r->p->events.v[e].counted || !r->p->events.v[e].expression.text))
			continue;
		if (r->shown < SHOWN)
			r->event[r->shown++] = e;
		else
			left_out++;
	}
	return left_out;
}

int gt_profile_print(const struct gt_profile *p, unsigned i, enum gt_table_format format, FILE *out,
	struct gt_tables *of, struct gt_err *err)
{
	const struct kind *k = &kinds[i];
	struct printer *r = calloc(1, sizeof *r);
	struct gt_text headings = { 0 };
	uint32_t left_out = 0;
	int rc = -1;

	if (r) {
		r->p = p;
		left_out = choose_events(r);
		r->total = gt_profile_total(p, p->order[0]);
		r->t = open_table(r, k, format, out, &headings);
	}
	if (r && r->t) {
		gt_table_in(r->t, of);
		gt_table_missing(r->t, left_out, "events that no column is left for");
		rc = print_rows(r, k);
	}
	if (rc)
		gt_fail(err, GT_EXIT_MISSING, "out of memory", NULL, "%s cannot be printed", k->report.name);
	if (r && r->t && rc)
		gt_table_drop(r->t);
	else if (r && r->t && gt_table_end(r->t, 0))
		rc = gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s cannot be written", k->report.name);
	for (int n = 0; r && n < 4; n++)
		gt_text_free(&r->names[n]);
	gt_text_free(&headings);
	free(r);
	return rc;
}

const char *gt_profile_doubt(const struct gt_profile *p, uint32_t part, char *text, size_t bytes)
{
	const struct gt_profile_part *x = &p->parts.v[part];

	for (uint32_t e = 0; x->has_said && e < p->events.n; e++) {
		gt_profile_sum said = gt_profile_at(&x->said, e), sum = gt_profile_at(&x->sum, e);
		struct gt_string name = gt_profile_text(p, p->events.v[e].name);
		char a[DIGITS], b[DIGITS];

		if (said == sum)
			continue;
		snprintf(text, bytes, "the part in line %u says %s %.*s in all, its lines add up to %s", x->line,
			decimal(said, a), name.bytes > 60 ? 60 : (int)name.bytes, name.text, decimal(sum, b));
		return text;
	}
	return NULL;
}
