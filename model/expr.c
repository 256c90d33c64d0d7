/*
 * model/expr.c - the table's count expressions, compiled
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

#include "model/plan.h"

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

/* A count that is found in the record itself: strings and lists say their own length. */
static bool says_its_length(const struct gt_param *p)
{
	return p->copy == GT_COPY_STRING || p->copy == GT_COPY_PLIST;
}

static bool make_step(const struct gt_fn *fn, uint32_t i, struct gt_copy_step *step)
{
	const struct gt_param *p = &fn->params[i];
	const char *capacity = p->capacity + (*p->capacity == '*');

	*step = (struct gt_copy_step){ .param = (uint16_t)i, .kind = (uint8_t)p->copy, .limit = p->limit,
	                               .elem_bytes = p->elem_bytes ? p->elem_bytes : 1, .capacity = -1 };
	if (says_its_length(p)) {
		/* A string with a count (a length parameter) is absent when that is 0; "zero" and "" are always there. */
		if (!gt_expr_compile(fn, p->count, &step->count))
			gt_expr_compile(fn, "1", &step->count);
		return true;
	}
	if (*capacity) {
		step->capacity = (int16_t)gt_fn_find_param(fn, capacity, strlen(capacity));
		if (step->capacity < 0)
			return false;
	}
	return gt_expr_compile(fn, p->count, &step->count);
}

/* Success can be seen when the function returns a code, or gives one back (creating functions). */
static bool has_result_code(const struct gt_fn *fn)
{
	for (uint32_t i = 0; i < fn->n_params; i++)
		if (fn->params[i].is_errcode)
			return true;
	return fn->ret == GT_ERROR;
}

void gt_plan_make(const struct gt_fn *fn, struct gt_copy_step *steps, struct gt_plan *plan)
{
	*plan = (struct gt_plan){ .checks_result = has_result_code(fn), .steps = steps };
	for (uint32_t i = 0; i < fn->n_params; i++) {
		if (fn->params[i].copy == GT_COPY_NONE || fn->params[i].is_errcode)
			continue;
		if (!make_step(fn, i, &steps[plan->n_steps])) {
			plan->broken = true;
			return;
		}
		plan->n_steps++;
	}
}
