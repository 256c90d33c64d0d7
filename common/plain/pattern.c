/*
 * common/plain/pattern.c - the name of a trace: %p %h %q{VAR} %n %r %i %%
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/pattern.h"

#include "common/plain/number.h"

struct out {
	const struct gc_pattern *p;
	char *to;
	size_t used, room;
	enum gc_pattern_fault fault;
	struct gc_word wrong;
};

static void complain(struct out *o, enum gc_pattern_fault fault, const char *at, size_t bytes)
{
	if (o->fault == GC_PATTERN_OK) {
		o->fault = fault;
		o->wrong = (struct gc_word){ at, bytes };
	}
}

static void put_char(struct out *o, char c)
{
	if (o->used + 1 < o->room)
		o->to[o->used++] = c;
	else
		complain(o, GC_PATTERN_LONG, o->to, o->used);
}

/* '%' of a text that is to be expanded again stands for itself. */
static void put_literal(struct out *o, char c)
{
	put_char(o, c);
	if (c == '%' && o->p->keep)
		put_char(o, c);
}

static void put_value(struct out *o, const char *value)
{
	for (; *value; value++)
		put_literal(o, *value == '/' ? '_' : *value); /* PATTERN1 */
}

static void put_number(struct out *o, uint64_t value)
{
	char digits[GC_DIGITS_MAX];

	gc_put_number(digits, value);
	put_value(o, digits);
}

static const char *base_name(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/' && path[1])
			base = path + 1;
	return base;
}

/* at: behind "%q". Returns what stands behind the closing brace. */
static const char *put_variable(struct out *o, const char *at)
{
	const char *name = at + 1, *end = name, *value;

	while (*at == '{' && *end && *end != '}')
		end++;
	if (*at != '{' || *end != '}' || end == name) {
		complain(o, GC_PATTERN_BRACES, at - 2, 2);
		put_literal(o, '%');
		put_char(o, 'q');
		return at;
	}
	value = o->p->variable(o->p->ctx, name, (size_t)(end - name));
	if (value)
		put_value(o, value);
	else
		complain(o, GC_PATTERN_UNSET, name, (size_t)(end - name));
	return end + 1;
}

/* at: behind '%'. Returns what is to be read next. */
static const char *put_letter(struct out *o, const char *at)
{
	const struct gc_pattern *p = o->p;

	switch (*at) {
	case '%':
		put_literal(o, '%');
		break;
	case 'p':
		put_number(o, p->pid);
		break;
	case 'h':
		put_value(o, p->host);
		break;
	case 'i':
		put_value(o, base_name(p->program));
		break;
	case 'r':
		put_value(o, gc_rank(p->variable, p->ctx));
		break;
	case 'q':
		return put_variable(o, at + 1);
	case 'n':
		if (!p->keep) {
			put_number(o, p->number);
			break;
		}
		put_char(o, '%');
		put_char(o, 'n');
		break;
	default:
		complain(o, GC_PATTERN_LETTER, at - 1, *at ? 2 : 1);
		put_literal(o, '%');
		return at;
	}
	return at + 1;
}

/* PATTERN2 */
static bool names_a_folder(const char *pattern)
{
	const char *at = pattern;

	while (*at)
		at++;
	return at > pattern && at[-1] == '/';
}

static void put_pattern(struct out *o, const char *pattern)
{
	for (const char *at = pattern; *at;)
		if (*at == '%')
			at = put_letter(o, at + 1);
		else
			put_char(o, *at++);
}

enum gc_pattern_fault gc_pattern_expand(
	const struct gc_pattern *p, const char *pattern, char *to, size_t room, struct gc_word *wrong)
{
	struct out o = { .p = p, .to = to, .room = room };

	put_pattern(&o, pattern);
	if (names_a_folder(pattern))
		put_pattern(&o, GC_PATTERN_DEFAULT);
	to[o.used] = 0;
	if (!o.used)
		complain(&o, GC_PATTERN_EMPTY, pattern, 0);
	*wrong = o.wrong;
	return o.fault;
}

bool gc_pattern_is_numbered(const char *pattern)
{
	if (names_a_folder(pattern))
		return true;
	for (; *pattern; pattern++)
		if (*pattern == '%' && *++pattern != '%') {
			if (*pattern == 'n')
				return true;
			if (!*pattern)
				break;
		}
	return false;
}

const char *gc_rank(gc_variable *variable, void *ctx)
{
	static const char names[] = "SLURM_PROCID|OMPI_COMM_WORLD_RANK|PMIX_RANK|PMI_RANK|MV2_COMM_WORLD_RANK|RANK";
	struct gc_word name;

	for (const char *at = names; gc_choice_next(&at, &name);) {
		const char *rank = variable(ctx, name.at, name.bytes);

		if (rank && *rank)
			return rank;
	}
	return "0";
}
