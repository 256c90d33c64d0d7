/*
 * cli/options.h - options resolved from the command line, the environment and the defaults
 *
 * The one list is trace/format/options.def. Precedence: command line, GPUTAP_NAME, default.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_OPTIONS_H
#define GPUTAP_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

enum gt_scope { GT_SCOPE_S = 1, GT_SCOPE_R = 2, GT_SCOPE_E = 4, GT_SCOPE_T = 8, GT_SCOPE_I = 16, GT_SCOPE_D = 32 };
enum gt_option_type {
	GT_OPTION_FLAG,
	GT_OPTION_BOOL,
	GT_OPTION_STRING,
	GT_OPTION_NUMBER,
	GT_OPTION_SIZE,
	GT_OPTION_LIST,
	GT_OPTION_TIME
};

struct gt_option_def {
	const char *name;
	char letter;                    /* 0: none */
	enum gt_option_type type;
	const char *fallback;           /* default value */
	unsigned scope;                 /* enum gt_scope, or-ed */
	const char *argument;           /* "" for flags */
	const char *help;
};
#define GT_OPTIONS_MAX 64

enum gt_origin { GT_FROM_DEFAULT, GT_FROM_ENVIRONMENT, GT_FROM_COMMAND_LINE };
struct gt_options {
	const char *value[GT_OPTIONS_MAX];
	unsigned char origin[GT_OPTIONS_MAX];
};

const struct gt_option_def *gt_option_defs(unsigned *n);
int gt_option_index(const char *name);                    /* -1 unknown */
const char *gt_option(const struct gt_options *o, const char *name);
bool gt_option_true(const struct gt_options *o, const char *name);
bool gt_option_given(const struct gt_options *o, const char *name);
void gt_option_set(struct gt_options *o, const char *name, const char *value);
void gt_option_env_name(const char *name, char out[64]);  /* "max-size" -> "GPUTAP_MAX_SIZE" */

/*
 * Parses argv[1..] up to the first word that is no option, or behind "--". *rest = index of that word. LIST options
 * given more than once are joined by commas. 0, or -1 with *err (GT_EXIT_USAGE).
 */
int gt_options_parse(struct gt_options *o, unsigned scope, int argc, char **argv, int *rest, struct gt_err *err);
/* Defaults and environment only. */
int gt_options_init(struct gt_options *o, unsigned scope, struct gt_err *err);
void gt_options_help(FILE *out, unsigned scope);

/* "12", "4k", "1M", "2G" in bytes; "10us", "1.5s", "3" (ns). False: not a number of that kind. */
bool gt_parse_size(const char *text, uint64_t *bytes);
bool gt_parse_time(const char *text, int64_t *ns);

#endif
