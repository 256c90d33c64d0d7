/*
 * analysis/callgrind/expression.c - events that are computed of others: event: Sum = Ir + 10 * Dr
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "analysis/callgrind/profile.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static int digit_of(char c, unsigned base)
{
	int v = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

	return v < (int)base ? v : -1;
}

bool gt_profile_take_number(const char **at, const char *end, uint64_t *value, bool *large)
{
	const char *s = *at;
	unsigned base = 10;
	int digit;

	*value = 0;
	*large = false;
	if (end - s > 2 && s[0] == '0' && s[1] == 'x' && digit_of(s[2], 16) >= 0) {
		base = 16;
		s += 2;
	}
	if (s == end || digit_of(*s, base) < 0)
		return false;
	for (; s < end && (digit = digit_of(*s, base)) >= 0; s++) {
		if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
			__builtin_add_overflow(*value, (uint64_t)digit, value)) {
			*large = true;
			return false;
		}
	}
	*at = s;
	return true;
}

/* Other tools' names have more in them than letters and digits: "Time_(10ns)". */
static bool is_in_name(char c) { return is_letter(c) || is_digit(c) || (c && strchr("_()./-%", c)); }

bool gt_profile_take_name(const char **at, const char *end, struct gt_string *name)
{
	const char *s = *at;

	if (s == end || !is_letter(*s))
		return false;
	while (s < end && is_in_name(*s))
		s++;
	*name = (struct gt_string){ *at, (size_t)(s - *at) };
	*at = s;
	return true;
}

static const char *skip(const char *s, const char *end)
{
	while (s < end && is_space(*s))
		s++;
	return s;
}

int gt_profile_next_term(struct gt_string *rest, struct gt_profile_term *term, const char **why)
{
	const char *s = rest->text, *end = s + rest->bytes;
	bool large;

	if (s == end)
		return 0;
	s = skip(s, end);
	term->factor = 1;
	if (s < end && is_digit(*s)) {
		if (!gt_profile_take_number(&s, end, &term->factor, &large)) {
			*why = large ? "a factor does not fit in 64 bits" : "a factor is not a number";
			return -1;
		}
		s = skip(s, end);
		if (s < end && *s == '*')
			s = skip(s + 1, end);
	}
	if (!gt_profile_take_name(&s, end, &term->name)) {
		*why = "a term of the expression has no name of an event";
		return -1;
	}
	s = skip(s, end);
	if (s < end && *s != '+') {
		*why = "terms of an expression are joined by '+'";
		return -1;
	}
	if (s < end && skip(++s, end) == end) {
		*why = "the expression ends with '+'";
		return -1;
	}
	*rest = (struct gt_string){ s, (size_t)(end - s) };
	return 1;
}

uint32_t gt_profile_find_event(const struct gt_profile *p, struct gt_string name)
{
	for (uint32_t i = 0; i < p->events.n; i++) {
		struct gt_string is = gt_profile_text(p, p->events.v[i].name);

		if (gt_same_text(is, name))
			return i;
	}
	return GT_PROFILE_NONE;
}

static int refuse(const char *path, const struct gt_profile_event *e, struct gt_string name, const char *what,
	struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s:%u: '%.*s' %s", path, e->line,
		name.bytes > 60 ? 60 : (int)name.bytes, name.text, what);
}

/* The factors of what is computed of counted events alone. state: 1 being looked at, 2 done. */
static int resolve(struct gt_profile *p, uint32_t event, uint8_t *state, const char *path, struct gt_err *err)
{
	struct gt_profile_event *e = &p->events.v[event];
	struct gt_string rest = e->expression;
	struct gt_profile_term term;
	const char *why;

	state[event] = 1;
	if (e->counted || !rest.text)
		p->factor[event][event] = 1;
	while (rest.text && gt_profile_next_term(&rest, &term, &why) == 1) {
		uint32_t of = gt_profile_find_event(p, term.name);

		if (of == GT_PROFILE_NONE)
			return refuse(path, e, term.name, "is no event of this file", err);
		if (state[of] == 1)
			return refuse(path, e, term.name, "is computed of itself", err);
		if (!state[of] && resolve(p, of, state, path, err))
			return -1;
		for (uint32_t i = 0; !e->counted && i < p->events.n; i++) {
			uint64_t more;

			if (__builtin_mul_overflow(p->factor[of][i], term.factor, &more) ||
				__builtin_add_overflow(p->factor[event][i], more, &p->factor[event][i]))
				return refuse(path, e, term.name, "has a factor that does not fit in 64 bits", err);
		}
	}
	state[event] = 2;
	return 0;
}

int gt_profile_resolve_events(struct gt_profile *p, const char *path, struct gt_err *err)
{
	uint8_t state[GT_PROFILE_EVENTS] = { 0 };

	for (uint32_t i = 0; i < p->events.n; i++)
		if (!state[i] && resolve(p, i, state, path, err))
			return -1;
	return 0;
}

gt_profile_sum gt_profile_value(const struct gt_profile *p, const struct gt_profile_cost *c, uint32_t event)
{
	gt_profile_sum sum = 0;

	for (uint32_t i = 0; i < c->n; i++)
		sum += p->factor[event][i] * c->v[i];
	return sum;
}
