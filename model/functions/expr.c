/*
 * model/functions/expr.c - the table's count expressions, compiled
 *
 *   expression = term | "min(" term "," term ")"
 *   term       = factor { "*" factor }
 *   factor     = number | parameter | "*" parameter       (the value behind an out parameter)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <ctype.h>
#include <string.h>

#include "model/functions/plan.h"

static const char *skip_blanks(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

int gt_fn_find_param(const struct gt_fn *fn, const char *name, size_t bytes)
{
	for (uint32_t i = 0; i < fn->n_params; i++)
		if (!strncmp(fn->params[i].name, name, bytes) && !fn->params[i].name[bytes])
			return (int)i;
	return -1;
}

static const char *compile_number(const char *s, struct gt_term *t)
{
	uint64_t n = 0;

	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return NULL;
	return __builtin_mul_overflow(t->factor, n, &t->factor) ? NULL : s;
}

static const char *compile_factor(const struct gt_fn *fn, const char *s, struct gt_term *t)
{
	int slot = t->param[0] < 0 ? 0 : 1;
	bool behind;
	size_t n = 0;
	int param;

	s = skip_blanks(s);
	if (isdigit((unsigned char)*s))
		return compile_number(s, t);
	behind = *s == '*';
	s = skip_blanks(s + behind);
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	param = gt_fn_find_param(fn, s, n);
	if (!n || param < 0 || t->param[slot] >= 0)
		return NULL;
	t->param[slot] = (int16_t)param;
	t->behind[slot] = behind;
	return s + n;
}

static const char *compile_term(const struct gt_fn *fn, const char *s, struct gt_term *t)
{
	*t = (struct gt_term){ .factor = 1, .param = { -1, -1 } };
	for (;;) {
		s = compile_factor(fn, s, t);
		if (!s)
			return NULL;
		s = skip_blanks(s);
		if (*s != '*')
			return s;
		s++;
	}
}

bool gt_expr_compile(const struct gt_fn *fn, const char *text, struct gt_expr *out)
{
	const char *s = skip_blanks(*text ? text : "1");

	*out = (struct gt_expr){ .is_min = !strncmp(s, "min(", 4) };
	s = compile_term(fn, s + (out->is_min ? 4 : 0), &out->a);
	if (!s)
		return false;
	if (out->is_min) {
		if (*s != ',')
			return false;
		s = compile_term(fn, s + 1, &out->b);
		if (!s || *s != ')')
			return false;
		s = skip_blanks(s + 1);
	}
	return !*s;
}

/* Strings and lists say their own length in the record, and are there whenever their pointer is not NULL. */
static bool says_its_length(const struct gt_param *p)
{
	return p->copy == GT_COPY_STRING || p->copy == GT_COPY_PLIST;
}

static bool make_step(const struct gt_fn *fn, uint32_t i, struct gt_copy_step *step)
{
	const struct gt_param *p = &fn->params[i];

	*step = (struct gt_copy_step){ .param = (uint16_t)i, .kind = (uint8_t)p->copy, .kept = p->kept,
	                               .limit = p->limit,
	                               .elem_bytes = p->elem_bytes ? p->elem_bytes : 1, .capacity = -1 };
	step->bounded = says_its_length(p);
	if (step->bounded)
		return true;
	if (*p->capacity) {
		step->capacity = (int16_t)gt_fn_find_param(fn, p->capacity, strlen(p->capacity));
		if (step->capacity < 0)
			return false;
	}
	if (!gt_expr_compile(fn, p->count, &step->count))
		return false;
	step->bounded = step->count.is_min || step->count.a.param[0] >= 0;
	return true;
}

static void mark_behind(const struct gt_term *t, bool *first)
{
	for (int k = 0; k < 2; k++)
		if (t->param[k] >= 0 && t->behind[k])
			first[t->param[k]] = true;
}

/* Copies that others count by lie before all others (api/README.md "Where an argument lies"). */
static void order_steps(struct gt_plan *plan, struct gt_copy_step *steps, const bool *first)
{
	struct gt_copy_step sorted[GT_FN_PARAMS_MAX];
	uint16_t n = 0;

	for (int wanted = 1; wanted >= 0; wanted--)
		for (uint16_t i = 0; i < plan->n_steps; i++)
			if (first[steps[i].param] == wanted)
				sorted[n++] = steps[i];
	memcpy(steps, sorted, n * sizeof *steps);
}

void gt_plan_make(const struct gt_fn *fn, struct gt_copy_step *steps, struct gt_plan *plan)
{
	bool first[GT_FN_PARAMS_MAX] = { false };

	*plan = (struct gt_plan){ .steps = steps };
	for (uint32_t i = 0; i < fn->n_params; i++) {
		struct gt_copy_step *step = &steps[plan->n_steps];

		if (fn->params[i].copy == GT_COPY_NONE || fn->params[i].is_errcode)
			continue;
		if (!make_step(fn, i, step)) {
			plan->broken = true;
			return;
		}
		plan->n_steps++;
		mark_behind(&step->count.a, first);
		if (step->count.is_min)
			mark_behind(&step->count.b, first);
		if (step->capacity >= 0)
			first[step->capacity] = true;
	}
	order_steps(plan, steps, first);
}
