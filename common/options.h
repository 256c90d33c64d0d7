/*
 * common/options.h - the values of options: checked, in their normal form, by name
 *
 * Runs in the tool. The list of options is its user's (cli/options.c makes it of trace/format/options.def), so that
 * writers and reports ask for a value without knowing who parsed it. Precedence: command line, GPUTAP_NAME, default.
 *
 * OPTIONS1  A value that stands in struct gt_options is one of its option's type, in the normal form of
 *           common/plain/value.h: bytes and nanoseconds as digits, true or false, words parted by one comma.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_OPTIONS_H
#define GPUTAP_COMMON_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "common/plain/value.h"

struct gt_option_def {
	const char *name;
	char letter; /* 0: none */
	enum gc_type type;
	const char *choices;  /* "a|b|c", or "" */
	const char *fallback; /* default value, in normal form */
	unsigned scope;       /* enum rec_scope, or-ed */
	const char *argument; /* "" for flags, and where the choices say it */
	const char *help;
};
struct gt_option_table {
	const struct gt_option_def *defs;
	unsigned n;
};

#define GT_OPTIONS_MAX 128

enum gt_origin { GT_FROM_DEFAULT, GT_FROM_TRACE, GT_FROM_ENVIRONMENT, GT_FROM_COMMAND_LINE };
struct gt_options {
	const struct gt_option_table *table;
	const char *value[GT_OPTIONS_MAX]; /* OPTIONS1 */
	const char *said[GT_OPTIONS_MAX];  /* as it was given, for messages */
	char *owned[GT_OPTIONS_MAX];       /* what was allocated for value */
	unsigned char origin[GT_OPTIONS_MAX];
};

/* "" for an unknown name, and where the default is empty. */
const char *gt_option(const struct gt_options *o, const char *name);
bool gt_option_is(const struct gt_options *o, const char *name, const char *value);
bool gt_option_true(const struct gt_options *o, const char *name);
/* Of a NUMBER, a SIZE in bytes, a TIME in ns; `none` where the value is empty. */
int64_t gt_option_number(const struct gt_options *o, const char *name, int64_t none);
bool gt_option_has(const struct gt_options *o, const char *name, const char *word); /* of a list */
bool gt_option_given(const struct gt_options *o, const char *name);
bool gt_option_on_command_line(const struct gt_options *o, const char *name);
bool gt_option_of_trace(const struct gt_options *o, const char *name); /* gt_option_take */
const char *gt_option_said(const struct gt_options *o, const char *name);
/* value: in normal form, and it must stay. */
void gt_option_set(struct gt_options *o, const char *name, const char *value);
/* A value of the trace that is read (model/taken.c); it is copied. 0, or -1 with *err: no memory, or it is none. */
int gt_option_take(struct gt_options *o, const char *name, const char *value, struct gt_err *err);
void gt_option_env_name(const char *name, char out[64]); /* "max-size" -> "GPUTAP_MAX_SIZE" */

/* Defaults and environment, of the options of this scope. 0, or -1 with *err (GT_EXIT_USAGE). */
int gt_options_init(struct gt_options *o, const struct gt_option_table *table, unsigned scope, struct gt_err *err);
/*
 * One value for option i; `where` is for messages ("--max-size=1X"). Lists given more than once on the command line are
 * joined. `value` must stay. 0, or -1 with *err.
 */
int gt_options_assign(struct gt_options *o, unsigned i, const char *value, enum gt_origin origin, const char *where,
	struct gt_err *err);
void gt_options_free(struct gt_options *o);

#endif
