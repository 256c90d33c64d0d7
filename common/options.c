/*
 * common/options.c - the values of options: checked, in their normal form, by name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"

/* -1: unknown */
static int index_of(const struct gt_options *o, const char *name)
{
	for (unsigned i = 0; i < o->table->n; i++)
		if (!strcmp(o->table->defs[i].name, name))
			return (int)i;
	return -1;
}

const char *gt_option(const struct gt_options *o, const char *name)
{
	int i = index_of(o, name);

	return i >= 0 && o->value[i] ? o->value[i] : "";
}

const char *gt_option_said(const struct gt_options *o, const char *name)
{
	int i = index_of(o, name);

	return i >= 0 && o->said[i] ? o->said[i] : gt_option(o, name);
}

bool gt_option_is(const struct gt_options *o, const char *name, const char *value)
{
	return !strcmp(gt_option(o, name), value);
}

bool gt_option_true(const struct gt_options *o, const char *name) { return gt_option_is(o, name, "true"); }

int64_t gt_option_number(const struct gt_options *o, const char *name, int64_t none)
{
	const char *value = gt_option(o, name);
	uint64_t number;
	int64_t ns;

	if (gc_parse_time(value, &ns))
		return ns;
	if (!gc_parse_number(value, &number))
		return none;
	return number < INT64_MAX ? (int64_t)number : INT64_MAX;
}

bool gt_option_has(const struct gt_options *o, const char *name, const char *word)
{
	return gc_list_has(gt_option(o, name), word);
}

bool gt_option_given(const struct gt_options *o, const char *name)
{
	int i = index_of(o, name);

	return i >= 0 && o->origin[i] != GT_FROM_DEFAULT;
}

bool gt_option_on_command_line(const struct gt_options *o, const char *name)
{
	int i = index_of(o, name);

	return i >= 0 && o->origin[i] == GT_FROM_COMMAND_LINE;
}

void gt_option_set(struct gt_options *o, const char *name, const char *value)
{
	int i = index_of(o, name);

	if (i >= 0) {
		o->value[i] = o->said[i] = value;
		o->origin[i] = GT_FROM_COMMAND_LINE;
	}
}

bool gt_option_of_trace(const struct gt_options *o, const char *name)
{
	int i = index_of(o, name);

	return i >= 0 && o->origin[i] == GT_FROM_TRACE;
}

int gt_option_take(struct gt_options *o, const char *name, const char *value, struct gt_err *err)
{
	int i = index_of(o, name);

	if (i < 0 || !*value)
		return 0;
	if (gt_options_assign(o, (unsigned)i, value, GT_FROM_TRACE, name, err))
		return -1;
	o->said[i] = NULL;              /* the trace's text does not stay */
	return 0;
}

void gt_option_env_name(const char *name, char out[64])
{
	size_t n = (size_t)snprintf(out, 64, "GPUTAP_%s", name);

	for (size_t i = 0; i < n && i < 63; i++)
		out[i] = out[i] == '-' ? '_' : (char)toupper((unsigned char)out[i]);
}

/* ------------------------------------------------------------------- checks */

static int refuse(const struct gt_option_def *d, struct gc_word wrong, const char *where, struct gt_err *err)
{
	static const char *const kinds[] = {
		[GC_FLAG] = "true or false",
		[GC_BOOL] = "true or false",
		[GC_NUMBER] = "a whole number",
		[GC_SIZE] = "a size such as 500M",
		[GC_TIME] = "a time with its unit, such as 10ms",
		[GC_CHOICE] = "one of:",
		[GC_LIST_OF] = "one of:",
	};
	struct gt_nearest nearest = { .said = wrong };
	char words[512] = "";
	size_t used = 0;
	struct gc_word word;

	for (const char *at = d->choices; gc_choice_next(&at, &word) && used < sizeof words;) {
		used += (size_t)snprintf(words + used, sizeof words - used, " %.*s", (int)word.bytes, word.at);
		gt_nearest_offer(&nearest, word);
	}
	return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "%s: '%.*s' is not %s%s%s", where, (int)wrong.bytes, wrong.at,
		kinds[d->type], words, gt_nearest_text(&nearest, "").text);
}

/* An empty value of what must not be empty says nothing in the environment, and is wrong elsewhere. */
static bool may_be_empty(const struct gt_option_def *d)
{
	return !*d->fallback || d->type == GC_STRING || d->type == GC_LIST || d->type == GC_LINES ||
		d->type == GC_LIST_OF;
}

/* What parts the values of an option that may be given again; NULL: the last one holds. */
static const char *joint(enum gc_type type)
{
	return type == GC_LIST || type == GC_LIST_OF ? "," : type == GC_LINES ? "\n" : NULL;
}

int gt_options_assign(struct gt_options *o, unsigned i, const char *value, enum gt_origin origin, const char *where,
	struct gt_err *err)
{
	const struct gt_option_def *d = &o->table->defs[i];
	const char *between = joint(d->type);
	bool joins = between && o->origin[i] == origin && origin == GT_FROM_COMMAND_LINE && *o->value[i];
	const char *before = joins ? o->value[i] : "";
	size_t kept = strlen(before) + joins, room = kept + gc_value_room(value);
	struct gc_word wrong;
	char *normal;

	if (!*value && may_be_empty(d)) {
		o->value[i] = o->said[i] = joins ? o->value[i] : value;
		o->origin[i] = (unsigned char)origin;
		return 0;
	}
	if (!*value && origin == GT_FROM_ENVIRONMENT)
		return 0;
	normal = malloc(room);
	if (!normal)
		return gt_no_memory(err);
	snprintf(normal, room, "%s%s", before, joins ? between : "");
	if (!gc_value_normal(d->type, d->choices, value, normal + kept, room - kept, &wrong)) {
		refuse(d, wrong, where, err);
		free(normal);
		return -1;
	}
	free(o->owned[i]);
	o->value[i] = o->owned[i] = normal;
	o->said[i] = joins ? normal : value;
	o->origin[i] = (unsigned char)origin;
	return 0;
}

int gt_options_init(struct gt_options *o, const struct gt_option_table *table, unsigned scope, struct gt_err *err)
{
	*o = (struct gt_options){ .table = table };
	for (unsigned i = 0; i < table->n; i++) {
		char name[64];
		const char *value;

		o->value[i] = o->said[i] = table->defs[i].fallback;
		if (!(table->defs[i].scope & scope))
			continue;
		gt_option_env_name(table->defs[i].name, name);
		value = getenv(name);
		if (value && gt_options_assign(o, i, value, GT_FROM_ENVIRONMENT, name, err))
			return -1;
	}
	return 0;
}

void gt_options_free(struct gt_options *o)
{
	for (unsigned i = 0; i < GT_OPTIONS_MAX; i++)
		free(o->owned[i]);
	*o = (struct gt_options){ 0 };
}
