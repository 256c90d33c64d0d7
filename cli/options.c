/*
 * cli/options.c - one table of options: parsing, help, environment names
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { S = GT_SCOPE_S, R = GT_SCOPE_R, E = GT_SCOPE_E, T = GT_SCOPE_T, I = GT_SCOPE_I, D = GT_SCOPE_D };

static const struct gt_option_def defs[] = {
#define OPTION(name, letter, type, fallback, scope, argument, help) \
	{ #name, letter, GT_OPTION_##type, fallback, (unsigned)(scope), argument, help },
#include "trace/format/options.def"
#undef OPTION
};
#define DEFS (sizeof defs / sizeof *defs)
_Static_assert(DEFS <= GT_OPTIONS_MAX, "raise GT_OPTIONS_MAX");

const struct gt_option_def *gt_option_defs(unsigned *n)
{
	*n = DEFS;
	return defs;
}

int gt_option_index(const char *name)
{
	for (unsigned i = 0; i < DEFS; i++)
		if (!strcmp(defs[i].name, name))
			return (int)i;
	return -1;
}

const char *gt_option(const struct gt_options *o, const char *name)
{
	int i = gt_option_index(name);

	return i >= 0 && o->value[i] ? o->value[i] : "";
}

static bool truth(const char *text, bool *value)
{
	static const char *const yes[] = { "true", "1", "yes", "on", "" }, *const no[] = { "false", "0", "no", "off" };

	for (unsigned i = 0; i < sizeof yes / sizeof *yes; i++)
		if (!strcmp(text, yes[i]))
			return *value = true, true;
	for (unsigned i = 0; i < sizeof no / sizeof *no; i++)
		if (!strcmp(text, no[i]))
			return *value = false, true;
	return false;
}

bool gt_option_true(const struct gt_options *o, const char *name)
{
	bool value = false;

	return *gt_option(o, name) && truth(gt_option(o, name), &value) && value;
}

bool gt_option_given(const struct gt_options *o, const char *name)
{
	int i = gt_option_index(name);

	return i >= 0 && o->origin[i] != GT_FROM_DEFAULT;
}

void gt_option_set(struct gt_options *o, const char *name, const char *value)
{
	int i = gt_option_index(name);

	if (i >= 0) {
		o->value[i] = value;
		o->origin[i] = GT_FROM_COMMAND_LINE;
	}
}

void gt_option_env_name(const char *name, char out[64])
{
	size_t n = (size_t)snprintf(out, 64, "GPUTAP_%s", name);

	for (size_t i = 0; i < n && i < 63; i++)
		out[i] = out[i] == '-' ? '_' : (char)toupper((unsigned char)out[i]);
}

bool gt_parse_size(const char *text, uint64_t *bytes)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	unsigned shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : *end == 'T' ? 40 : 0;

	if (shift)
		end++;
	if (*end || errno || (shift && n >> (64 - shift)))
		return false;
	*bytes = (uint64_t)n << shift;
	return true;
}

bool gt_parse_time(const char *text, int64_t *ns)
{
	static const struct { const char *unit; double ns; } units[] = {
		{ "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
	};
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(isdigit((unsigned char)*text) || *text == '.'))
		return false;
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(end, units[i].unit) && value * units[i].ns < 9.2e18) {
			*ns = (int64_t)(value * units[i].ns + 0.5);
			return true;
		}
	return false;
}

static int check(const struct gt_option_def *d, const char *value, const char *origin, struct gt_err *err)
{
	static const char *const wants[] = {
		[GT_OPTION_FLAG] = "true or false",
		[GT_OPTION_BOOL] = "true or false",
		[GT_OPTION_NUMBER] = "a whole number",
		[GT_OPTION_SIZE] = "a size such as 500M",
		[GT_OPTION_TIME] = "a time such as 10ms",
	};
	uint64_t bytes;
	int64_t ns;
	bool flag, good = true;

	switch (d->type) {
	case GT_OPTION_FLAG: case GT_OPTION_BOOL: good = truth(value, &flag); break;
	case GT_OPTION_SIZE: good = gt_parse_size(value, &bytes); break;
	case GT_OPTION_NUMBER:
		good = gt_parse_size(value, &bytes) && isdigit((unsigned char)value[strlen(value) - 1]);
		break;
	case GT_OPTION_TIME: good = !*value || gt_parse_time(value, &ns); break;
	case GT_OPTION_STRING: case GT_OPTION_LIST: break;
	}
	return good ? 0 : gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "%s: '%s' is not %s", origin, value, wants[d->type]);
}

static int assign(struct gt_options *o, unsigned i, const char *value, enum gt_origin origin, const char *said,
	struct gt_err *err)
{
	if (check(&defs[i], value, said, err))
		return -1;
	if (defs[i].type == GT_OPTION_LIST && o->origin[i] == origin && origin == GT_FROM_COMMAND_LINE &&
		*o->value[i]) {
		char *joined;

		if (asprintf(&joined, "%s,%s", o->value[i], value) >= 0)
			value = joined;         /* lives until exit: options are parsed once */
	}
	o->value[i] = value;
	o->origin[i] = (unsigned char)origin;
	return 0;
}

int gt_options_init(struct gt_options *o, unsigned scope, struct gt_err *err)
{
	memset(o, 0, sizeof *o);
	for (unsigned i = 0; i < DEFS; i++) {
		char name[64];

		o->value[i] = defs[i].fallback;
		if (!(defs[i].scope & scope))
			continue;
		gt_option_env_name(defs[i].name, name);
		const char *value = getenv(name);
		if (value && assign(o, i, value, GT_FROM_ENVIRONMENT, name, err))
			return -1;
	}
	return 0;
}

static int find(const char *name, size_t bytes, unsigned scope)
{
	for (unsigned i = 0; i < DEFS; i++)
		if ((defs[i].scope & scope) && strlen(defs[i].name) == bytes && !memcmp(defs[i].name, name, bytes))
			return (int)i;
	return -1;
}

static bool is_switch(int i)
{
	return defs[i].type == GT_OPTION_FLAG || defs[i].type == GT_OPTION_BOOL;
}

static int parse_long(struct gt_options *o, unsigned scope, int argc, char **argv, int *at, struct gt_err *err)
{
	const char *name = argv[*at] + 2, *eq = strchr(name, '=');
	size_t bytes = eq ? (size_t)(eq - name) : strlen(name);
	int i = find(name, bytes, scope);

	if (i < 0 && !strncmp(name, "no-", 3) && !eq && (i = find(name + 3, bytes - 3, scope)) >= 0 && is_switch(i))
		return assign(o, (unsigned)i, "false", GT_FROM_COMMAND_LINE, argv[*at], err);
	if (i < 0)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "unknown option '--%.*s'", (int)bytes, name);
	if (eq)
		return assign(o, (unsigned)i, eq + 1, GT_FROM_COMMAND_LINE, argv[*at], err);
	if (is_switch(i))
		return assign(o, (unsigned)i, "true", GT_FROM_COMMAND_LINE, argv[*at], err);
	/* --summary alone means the table: its value stands behind '=' only, or it would swallow the program's name. */
	if (!strcmp(defs[i].name, "summary"))
		return assign(o, (unsigned)i, "table", GT_FROM_COMMAND_LINE, argv[*at], err);
	if (*at + 1 >= argc)
		return gt_fail(
			err, GT_EXIT_USAGE, NULL, NULL, "option '%s' needs a value: %s", argv[*at], defs[i].argument);
	++*at;
	return assign(o, (unsigned)i, argv[*at], GT_FROM_COMMAND_LINE, argv[*at - 1], err);
}

static int parse_short(struct gt_options *o, unsigned scope, int argc, char **argv, int *at, struct gt_err *err)
{
	for (const char *c = argv[*at] + 1; *c; c++) {
		char said[3] = { '-', *c, 0 };
		unsigned i = 0;

		while (i < DEFS && !(defs[i].letter == *c && (defs[i].scope & scope)))
			i++;
		if (i == DEFS)
			return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "unknown option '-%c'", *c);
		if (defs[i].type == GT_OPTION_FLAG) {
			if (assign(o, i, "true", GT_FROM_COMMAND_LINE, said, err))
				return -1;
			continue;
		}
		if (c[1])
			return assign(o, i, c + 1, GT_FROM_COMMAND_LINE, said, err);
		if (*at + 1 >= argc)
			return gt_fail(
				err, GT_EXIT_USAGE, NULL, NULL, "option '-%c' needs a value: %s", *c, defs[i].argument);
		++*at;
		return assign(o, i, argv[*at], GT_FROM_COMMAND_LINE, said, err);
	}
	return 0;
}

int gt_options_parse(struct gt_options *o, unsigned scope, int argc, char **argv, int *rest, struct gt_err *err)
{
	int at = 1;

	if (gt_options_init(o, scope, err))
		return -1;
	for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		}
		if (argv[at][1] == '-' ? parse_long(o, scope, argc, argv, &at, err)
				       : parse_short(o, scope, argc, argv, &at, err))
			return -1;
	}
	*rest = at;
	return 0;
}

void gt_options_help(FILE *out, unsigned scope)
{
	for (unsigned i = 0; i < DEFS; i++) {
		char left[64], env[64];

		if (!(defs[i].scope & scope))
			continue;
		snprintf(left, sizeof left, "%c%c%c --%s%s%s", defs[i].letter ? '-' : ' ',
			defs[i].letter ? defs[i].letter : ' ', defs[i].letter ? ',' : ' ', defs[i].name,
			*defs[i].argument ? "=" : "", defs[i].argument);
		gt_option_env_name(defs[i].name, env);
		fprintf(out, "  %-34s %s\n", left, defs[i].help);
		fprintf(out, "  %-34s (%s%s%s)\n", "", env, *defs[i].fallback ? ", default " : "", defs[i].fallback);
	}
}
