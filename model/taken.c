/*
 * model/taken.c - what a trace says of the options it was made with, as far as a reader believes it
 *
 * Runs in the tool. The only file that reads a trace's option lines to act on them.
 *
 * TAKEN1  An option is asked for by a number that trace/format/taken.def gives, so one that is not listed there cannot
 *         be asked for; and a value that is none of its option's type is not there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"
#include "trace/format/options.h"

static const char *const names[] = {
#define TAKEN(id, name, what) [GT_TAKEN_##id] = #name,
#include "trace/format/taken.def"
#undef TAKEN
};
static const struct { const char *name; enum gc_type type; const char *choices; } types[] = {
#define OPTION(name, letter, type, fallback, scope, argument, help) { #name, OPTION_TYPE(type) },
#include "trace/format/options.def"
#undef OPTION
};

const char *gt_taken_name(enum gt_taken which) { return names[which]; }

static bool is_of_its_type(const char *name, const char *value)
{
	size_t room = gc_value_room(value), i = 0;
	struct gc_word wrong;
	char *normal;
	bool ok;

	if (!*value)
		return true;                    /* nothing was given */
	while (i < sizeof types / sizeof *types && strcmp(types[i].name, name))
		i++;
	normal = i < sizeof types / sizeof *types ? malloc(room) : NULL;
	ok = normal && gc_value_normal(types[i].type, types[i].choices, value, normal, room, &wrong);
	free(normal);
	return ok;
}

/* The n-th value of that name, from 0, whatever it is. */
static const char *value_of(const struct gt_model *m, int process, const char *name, unsigned n)
{
	size_t bytes = strlen(name);
	const char *line;

	for (unsigned i = 0; (line = gt_reader_fact(m->reader, process, "option", i)); i++)
		if (!strncmp(line, name, bytes) && line[bytes] == '=' && !n--)
			return line + bytes + 1;
	return NULL;
}

const char *gt_model_shown_option(const struct gt_model *m, int process, const char *name)
{
	return value_of(m, process, name, 0);
}

const char *gt_model_option(const struct gt_model *m, int process, enum gt_taken which)
{
	const char *value;

	for (unsigned n = 0; (value = value_of(m, process, names[which], n)); n++)
		if (is_of_its_type(names[which], value))
			return value;
	return NULL;
}

bool gt_model_option_is(const struct gt_model *m, int process, enum gt_taken which, const char *value)
{
	const char *said = gt_model_option(m, process, which);

	return said && !strcmp(said, value);
}
