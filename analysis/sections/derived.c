/*
 * analysis/sections/derived.c - metrics that section files define from others
 *
 * The five cases of the guide are the five functions behind `combine`.
 *
 * spec: NCU "Derived Metrics"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/derived.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the expression */

struct reader { const char *begin, *at, *end; };

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end && isspace((unsigned char)*r->at))
		r->at++;
}

static bool in_operand(char c) { return isalnum((unsigned char)c) || (c && strchr("_.:", c)); }

/* "5." and "0.3109" are doubles, "2029" is an integer. */
static const char *constant(const char *s, size_t n, struct gt_metric_value *out)
{
	char text[64], *end;

	if (n >= sizeof text)
		return "a constant is too long";
	memcpy(text, s, n);
	text[n] = 0;
	errno = 0;
	if (memchr(s, '.', n))
		*out = gt_metric_double(strtod(text, &end));
	else
		*out = gt_metric_integer(strtoull(text, &end, 10));
	return *end || errno ? "a constant that is no number of the form 5, 5. or 0.5" : NULL;
}

static const char *operand(struct reader *r, struct gt_derived_operand *out)
{
	const char *from;

	skip_blanks(r);
	from = r->at;
	while (r->at < r->end && in_operand(*r->at))
		r->at++;
	*out = (struct gt_derived_operand){ 0 };
	if (r->at == from)
		return "a metric or a constant is missing";
	if (isdigit((unsigned char)*from))
		return constant(from, (size_t)(r->at - from), &out->constant);
	out->name = (struct gt_string){ from, (size_t)(r->at - from) };
	return NULL;
}

const char *gt_derived_parse(const char *expression, size_t bytes, struct gt_derived *out, size_t *at)
{
	struct reader r = { expression, expression, expression + bytes };
	const char *bad = operand(&r, &out->left);

	skip_blanks(&r);
	if (!bad) {
		if (r.at < r.end && *r.at && strchr("+-*/", *r.at))
			out->operator = *r.at++;
		else
			bad = "one of + - * / is missing";
	}
	if (!bad)
		bad = operand(&r, &out->right);
	skip_blanks(&r);
	if (!bad && r.at < r.end)
		bad = "only two operands are combined";
	*at = (size_t)(r.at - expression);
	return bad;
}

/* ------------------------------------------------------------------ two values */

static double as_double(const struct gt_metric_value *v)
{
	return v->type == GT_METRIC_DOUBLE ? v->real : v->type == GT_METRIC_INTEGER ? (double)v->integer : 0;
}

static uint64_t as_integer(const struct gt_metric_value *v)
{
	if (v->type == GT_METRIC_DOUBLE)          /* out of range is no number: 0 */
		return v->real >= 0 && v->real < 18446744073709551616.0 ? (uint64_t)v->real : 0;
	return v->type == GT_METRIC_INTEGER ? v->integer : 0;
}

static uint64_t integers(char operator, uint64_t a, uint64_t b)
{
	switch (operator) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	default: return b ? a / b : a;
	}
}

static double doubles(char operator, double a, double b)
{
	switch (operator) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	default: return a / b;
	}
}

/* The left value's kind is the result's; a text stays as it is; by an integer 0 nothing is divided. */
static struct gt_metric_value apply(char operator, const struct gt_metric_value *a, const struct gt_metric_value *b)
{
	if (a->type == GT_METRIC_TEXT)
		return *a;
	if (a->type == GT_METRIC_NONE || b->type == GT_METRIC_NONE)
		return gt_metric_none("an operand is not available");
	if (operator == '/' && b->type == GT_METRIC_INTEGER && !b->integer)
		return *a;
	if (a->type == GT_METRIC_INTEGER)
		return gt_metric_integer(integers(operator, a->integer, as_integer(b)));
	return gt_metric_double(doubles(operator, a->real, as_double(b)));
}

/* ------------------------------------------------------------------ instances */

static bool has_ids(const struct gt_instanced *m) { return m->n && m->instances[0].id.type != GT_METRIC_NONE; }

/* Pointers to instances: bsearch and qsort give their addresses. */
static int by_id(const void *l, const void *r)
{
	const struct gt_metric_value *a = &(*(struct gt_instance *const *)l)->id,
				     *b = &(*(struct gt_instance *const *)r)->id;

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (a->type == GT_METRIC_TEXT)
		return strcmp(a->text, b->text);
	return a->integer < b->integer ? -1 : a->integer > b->integer;
}

/* Case 2: the first ones are combined, what the left side has beyond them stays. */
static void by_place(
	char operator, const struct gt_instanced *l, const struct gt_instanced *r, struct gt_instanced *out)
{
	for (; out->n < l->n; out->n++) {
		out->instances[out->n] = l->instances[out->n];
		if (out->n < r->n)
			out->instances[out->n].value =
				apply(operator, &l->instances[out->n].value, &r->instances[out->n].value);
	}
}

static struct gt_instance *find(struct gt_instance **order, uint32_t n, const struct gt_instance *like)
{
	struct gt_instance **found = bsearch(&like, order, n, sizeof *order, by_id);

	return found ? *found : NULL;
}

/* An element that only the right side has is of the left side's kind too; a text is no number: 0. */
static struct gt_metric_value converted(const struct gt_instanced *l, const struct gt_metric_value *v)
{
	if (v->type == GT_METRIC_NONE)
		return *v;
	if (l->instances[0].value.type == GT_METRIC_INTEGER)
		return gt_metric_integer(as_integer(v));
	return gt_metric_double(as_double(v));
}

/* Case 3: the ids of both sides; one of a side alone keeps its value. left, right: in order of ids. */
static void by_ids(char operator, const struct gt_instanced *l, const struct gt_instanced *r,
	struct gt_instance **left, struct gt_instance **right, bool keep_right, struct gt_instanced *out)
{
	for (; out->n < l->n; out->n++) {
		const struct gt_instance *other = find(right, r->n, &l->instances[out->n]);

		out->instances[out->n] = l->instances[out->n];
		if (other)
			out->instances[out->n].value =
				apply(operator, &l->instances[out->n].value, &other->value);
	}
	for (uint32_t i = 0; keep_right && i < r->n; i++)
		if (!find(left, l->n, &r->instances[i])) {
			out->instances[out->n] = r->instances[i];
			out->instances[out->n++].value = converted(l, &r->instances[i].value);
		}
}

/* Case 4: the right side's regular value with each. */
static void by_left(char operator, const struct gt_instanced *l, const struct gt_instanced *r, struct gt_instanced *out)
{
	for (; out->n < l->n; out->n++) {
		out->instances[out->n] = l->instances[out->n];
		if (r->regular.type != GT_METRIC_NONE)
			out->instances[out->n].value =
				apply(operator, &l->instances[out->n].value, &r->regular);
	}
}

/* Case 5: one regular value, from the left: ((a - b1) - b2) - b3. */
static void fold(char operator, const struct gt_instanced *l, const struct gt_instanced *r, struct gt_instanced *out)
{
	out->regular = l->regular;
	for (uint32_t i = 0; i < r->n; i++)
		out->regular = apply(operator, &out->regular, &r->instances[i].value);
}

/* ... and as genuine reports have it: a value for each of the right side. */
static void spread(char operator, const struct gt_instanced *l, const struct gt_instanced *r, struct gt_instanced *out)
{
	for (; out->n < r->n; out->n++) {
		out->instances[out->n] = r->instances[out->n];
		out->instances[out->n].value = apply(operator, &l->regular, &r->instances[out->n].value);
	}
}

static void sum_up(struct gt_instanced *out)
{
	struct gt_metric_value sum;

	if (!out->n)
		return;
	sum = out->instances[0].value;
	for (uint32_t i = 1; i < out->n; i++)
		sum = apply('+', &sum, &out->instances[i].value);
	out->regular = sum;
}

static struct gt_instance **sorted(struct gt_arena *a, const struct gt_instanced *m)
{
	struct gt_instance **all = gt_arena_alloc(a, (m->n + 1) * sizeof *all);

	for (uint32_t i = 0; all && i < m->n; i++)
		all[i] = &m->instances[i];
	if (all)
		qsort(all, m->n, sizeof *all, by_id);
	return all;
}

bool gt_derived_combine(struct gt_arena *a, char operator, const struct gt_instanced *left,
	const struct gt_instanced *right, enum gt_derived_mode mode, struct gt_instanced *out)
{
	bool ncu = mode == GT_DERIVED_NCU;
	struct gt_instance **l, **r;

	*out = (struct gt_instanced){ .regular = left->regular };
	if (left->regular.type == GT_METRIC_TEXT || (left->n && left->instances[0].value.type == GT_METRIC_TEXT)) {
		*out = *left;
		return true;
	}
	out->regular = apply(operator, &left->regular, &right->regular);
	out->instances = gt_arena_alloc(a, ((size_t)left->n + right->n + 1) * sizeof *out->instances);
	if (!out->instances)
		return false;
	if (has_ids(left) && has_ids(right)) {
		l = sorted(a, left);
		r = sorted(a, right);
		if (!l || !r)
			return false;
		by_ids(operator, left, right, l, r, !ncu || operator != '/', out);
	} else if (has_ids(left)) {
		by_left(operator, left, right, out);
	} else if (has_ids(right)) {
		(ncu ? spread : fold)(operator, left, right, out);
	} else {
		by_place(operator, left, right, out);
	}
	if (ncu)
		sum_up(out);
	return true;
}
