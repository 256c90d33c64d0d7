/*
 * cli/options.c - the list of options: a command line read by it, and its help
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { S = REC_SCOPE_S, R = REC_SCOPE_R, E = REC_SCOPE_E, T = REC_SCOPE_T, I = REC_SCOPE_I, D = REC_SCOPE_D,
	M = REC_SCOPE_M, P = REC_SCOPE_P, L = REC_SCOPE_L };

static const struct gt_option_def defs[] = {
#define OPTION(name, letter, type, fallback, scope, argument, help) \
	{ #name, letter, OPTION_TYPE(type), fallback, (unsigned)(scope), argument, help },
#include "trace/format/options.def"
#undef OPTION
};
/* What --help says before an option: NULL, or the title of the group that begins with the next one. */
static const struct { const char *title; } help_lines[] = {
#define GROUP(title) { title },
#define OPTION(name, letter, type, fallback, scope, argument, help) { NULL },
#include "trace/format/options.def"
#undef OPTION
};
/* What an option means to one command. */
static const struct { const char *name; unsigned scope; const char *fallback, *help; } meanings[] = {
#define FOR(name, scope, fallback, help) { #name, (unsigned)(scope), fallback, help },
#define OPTION(name, letter, type, fallback, scope, argument, help)
#include "trace/format/options.def"
#undef OPTION
};
#define DEFS (sizeof defs / sizeof *defs)
_Static_assert(DEFS <= GT_OPTIONS_MAX, "raise GT_OPTIONS_MAX");

const struct gt_option_table gt_option_list = { defs, DEFS };

static int find(const char *name, size_t bytes, unsigned scope)
{
	for (unsigned i = 0; i < DEFS; i++)
		if ((defs[i].scope & scope) && strlen(defs[i].name) == bytes && !memcmp(defs[i].name, name, bytes))
			return (int)i;
	return -1;
}

/*
 * What these mean without a value. A value of theirs stands behind '=' only, or it would swallow the program's name.
 */
static const char *meaning_alone(int i)
{
	static const struct { const char *name, *value; } alone[] = {
		{ "summary", "table" },
		{ "cuda-events", "true" },
		{ "callstacks", "opencl,cuda,nvtx,osrt" },
	};

	for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
		if (!strcmp(defs[i].name, alone[k].name))
			return alone[k].value;
	return NULL;
}

static bool is_switch(int i)
{
	return defs[i].type == GC_FLAG || defs[i].type == GC_BOOL;
}

/* --no-NAME: of switches, and of one that was a switch before it could decide by itself. */
static bool can_be_denied(int i) { return is_switch(i) || !strcmp(defs[i].name, "cuda-events"); }

/* What --help calls the value: a name, or the few words that it may be. */
static const char *argument_of(int i)
{
	return *defs[i].argument || defs[i].type != GC_CHOICE ? defs[i].argument : defs[i].choices;
}

static int parse_long(struct gt_options *o, unsigned scope, int argc, char **argv, int *at, struct gt_err *err)
{
	const char *name = argv[*at] + 2, *eq = strchr(name, '=');
	size_t bytes = eq ? (size_t)(eq - name) : strlen(name);
	int i = find(name, bytes, scope);

	if (i < 0 && !strncmp(name, "no-", 3) && !eq && (i = find(name + 3, bytes - 3, scope)) >= 0 && can_be_denied(i))
		return gt_options_assign(o, (unsigned)i, "false", GT_FROM_COMMAND_LINE, argv[*at], err);
	if (i < 0)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "unknown option '--%.*s'", (int)bytes, name);
	if (eq)
		return gt_options_assign(o, (unsigned)i, eq + 1, GT_FROM_COMMAND_LINE, argv[*at], err);
	if (is_switch(i))
		return gt_options_assign(o, (unsigned)i, "true", GT_FROM_COMMAND_LINE, argv[*at], err);
	if (meaning_alone(i))
		return gt_options_assign(o, (unsigned)i, meaning_alone(i), GT_FROM_COMMAND_LINE, argv[*at], err);
	if (*at + 1 >= argc)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "option '%s' needs a value: %s", argv[*at],
			argument_of(i));
	++*at;
	return gt_options_assign(o, (unsigned)i, argv[*at], GT_FROM_COMMAND_LINE, argv[*at - 1], err);
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
		if (defs[i].type == GC_FLAG) {
			if (gt_options_assign(o, i, "true", GT_FROM_COMMAND_LINE, said, err))
				return -1;
			continue;
		}
		if (c[1])
			return gt_options_assign(o, i, c + 1, GT_FROM_COMMAND_LINE, said, err);
		if (*at + 1 >= argc)
			return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "option '-%c' needs a value: %s", *c,
				argument_of((int)i));
		++*at;
		return gt_options_assign(o, i, argv[*at], GT_FROM_COMMAND_LINE, said, err);
	}
	return 0;
}

int gt_options_parse(struct gt_options *o, unsigned scope, int argc, char **argv, int *rest, struct gt_err *err)
{
	/*
	 * What stands behind the program that `run` starts is the program's; others take options behind the trace too.
	 */
	bool anywhere = scope != REC_SCOPE_R;
	int at = 1, operands = 0;

	if (gt_options_init(o, &gt_option_list, scope, err))
		return -1;
	for (; at < argc; at++) {
		bool option = argv[at][0] == '-' && argv[at][1];

		if (!option && !anywhere)
			break;
		if (!option) {
			argv[1 + operands++] = argv[at];        /* its place was read already */
			continue;
		}
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		}
		if (argv[at][1] == '-' ? parse_long(o, scope, argc, argv, &at, err)
				       : parse_short(o, scope, argc, argv, &at, err))
			return -1;
	}
	memmove(argv + at - operands, argv + 1, (size_t)operands * sizeof *argv);
	*rest = at - operands;
	return 0;
}

/* The words that a value may be, where its argument does not show them. */
static void put_choices(FILE *out, const struct gt_option_def *d)
{
	const char *before = ": ";
	struct gc_word word;

	if (!strcmp(d->name, "trace")) {        /* each is worth a line, and not all of them are built: gt_run_help */
		fprintf(out, ", from the words that are listed below");
		return;
	}
	for (const char *at = *d->argument ? d->choices : ""; gc_choice_next(&at, &word); before = " ")
		fprintf(out, "%s%.*s", before, (int)word.bytes, word.at);
}

/* A default as a person would give it: "80us" for 80000ns, "16M" for 16777216. */
static const char *shown(const struct gt_option_def *d, char out[32])
{
	static const struct { enum gc_type type; const char *unit; uint64_t each; } units[] = {
		{ GC_TIME, "s", 1000000000 }, { GC_TIME, "ms", 1000000 }, { GC_TIME, "us", 1000 },
		{ GC_SIZE, "G", 1u << 30 }, { GC_SIZE, "M", 1u << 20 }, { GC_SIZE, "k", 1u << 10 },
	};
	uint64_t value = strtoull(d->fallback, NULL, 10);

	for (size_t i = 0; value && i < sizeof units / sizeof *units; i++) {
		if (units[i].type != d->type || value % units[i].each)
			continue;
		snprintf(out, 32, "%" PRIu64 "%s", value / units[i].each, units[i].unit);
		return out;
	}
	return d->fallback;
}

static void put_option(FILE *out, unsigned i, unsigned scope)
{
	const char *argument = argument_of((int)i), *help = defs[i].help, *fallback;
	char left[64], env[64], number[32];

	fallback = shown(&defs[i], number);
	for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++) {
		if ((meanings[k].scope & scope) && !strcmp(meanings[k].name, defs[i].name)) {
			help = meanings[k].help;
			fallback = meanings[k].fallback;
		}
	}
	/* "[DOMAINS]" is shown as [=DOMAINS] */
	snprintf(left, sizeof left, "%c%c%c --%s%s%s", defs[i].letter ? '-' : ' ',
		defs[i].letter ? defs[i].letter : ' ', defs[i].letter ? ',' : ' ', defs[i].name,
		*argument == '[' ? "[=" : *argument ? "=" : "", argument + (*argument == '['));
	gt_option_env_name(defs[i].name, env);
	if (strlen(left) > 34)                  /* too long for its column: the text begins below it */
		fprintf(out, "  %s\n  %-34s %s", left, "", help);
	else
		fprintf(out, "  %-34s %s", left, help);
	put_choices(out, &defs[i]);
	fprintf(out, "\n  %-34s (%s%s%s)\n", "", env, *fallback ? ", default " : "", fallback);
}

void gt_options_help(FILE *out, unsigned scope)
{
	const char *title = NULL;
	unsigned i = 0;

	for (size_t k = 0; k < sizeof help_lines / sizeof *help_lines; k++) {
		if (help_lines[k].title) {
			title = help_lines[k].title;
			continue;
		}
		if (defs[i].scope & scope) {
			if (title)
				fprintf(out, "\n%s:\n", title);
			title = NULL;
			put_option(out, i, scope);
		}
		i++;
	}
}
