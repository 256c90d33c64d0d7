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

#include "common/nearest.h"

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

/* A command line that is being read. */
struct line {
	struct gt_options *o;
	unsigned scope;
	int argc, at, operands;         /* at: of argv; operands: words that were no options so far */
	char **argv;
	char taken[512];                /* what is to be said of words that could have been a program */
	struct gt_err *err;
};

static bool starts_program(const struct line *l) { return l->scope == REC_SCOPE_R; }

static int assign(struct line *l, int i, const char *value, const char *where)
{
	return gt_options_assign(l->o, (unsigned)i, value, GT_FROM_COMMAND_LINE, where, l->err);
}

/*
 * "-f true PROGRAM", as scripts for other tracers spell a switch: with more words behind it, `true` is no program that
 * anybody wants to trace. It is said, and "--" before the word makes it the program.
 */
static bool takes_next_word(struct line *l, const char *said)
{
	const char *next = l->at + 1 < l->argc ? l->argv[l->at + 1] : "";
	bool more = l->at + 2 < l->argc || l->operands;
	size_t used = strlen(l->taken);

	if (!more || (strcmp(next, "true") && strcmp(next, "false")))
		return false;
	l->at++;
	snprintf(l->taken + used, sizeof l->taken - used,
		"gputap: %s %s: taken as the value of %s; behind -- it is %s\n", said, next, said,
		starts_program(l) ? "the program" : "a name");
	return true;
}

static int parse_switch(struct line *l, int i, const char *said)
{
	return assign(l, i, takes_next_word(l, said) ? l->argv[l->at] : "true", said);
}

/* "--summary table": the value would be started as a program, and nobody would see why it is not there. */
static bool misses_equals_sign(const struct line *l, int i)
{
	const struct gt_option_def *d = &defs[i];
	const char *next = l->at + 1 < l->argc ? l->argv[l->at + 1] : "";
	char normal[256];
	struct gc_word wrong;

	return *next && gc_value_normal(d->type, d->choices, next, normal, sizeof normal, &wrong);
}

static int parse_alone(struct line *l, int i, const char *said)
{
	if (can_be_denied(i) && takes_next_word(l, said))
		return assign(l, i, l->argv[l->at], said);
	if (misses_equals_sign(l, i))
		return gt_fail(l->err, GT_EXIT_USAGE, "a value of this option stands behind '='", NULL,
			"'%s %s': %s=%s is meant, or %s -- %s for a program of that name", said, l->argv[l->at + 1],
			said, l->argv[l->at + 1], said, l->argv[l->at + 1]);
	return assign(l, i, meaning_alone(i), said);
}

static int unknown_option(const struct line *l, struct gc_word name)
{
	struct gt_nearest here = { .said = name }, denied = { .said = name };

	if (name.bytes > 3 && !memcmp(name.at, "no-", 3))
		denied.said = (struct gc_word){ name.at + 3, name.bytes - 3 };
	for (unsigned i = 0; i < DEFS; i++) {
		if (!(defs[i].scope & l->scope))
			continue;
		gt_nearest_offer_text(&here, defs[i].name);
		if (denied.said.at != name.at && can_be_denied((int)i))
			gt_nearest_offer_text(&denied, defs[i].name);
	}
	return gt_fail(l->err, GT_EXIT_USAGE, NULL, NULL, "unknown option '--%.*s'%s", (int)name.bytes, name.at,
		denied.said.at != name.at && denied.best.at ? gt_nearest_text(&denied, "--no-").text
							    : gt_nearest_text(&here, "--").text);
}

static int parse_long(struct line *l)
{
	char *said = l->argv[l->at];
	const char *name = said + 2, *eq = strchr(name, '=');
	size_t bytes = eq ? (size_t)(eq - name) : strlen(name);
	int i = find(name, bytes, l->scope);

	if (i < 0 && !strncmp(name, "no-", 3) && !eq && (i = find(name + 3, bytes - 3, l->scope)) >= 0 &&
		can_be_denied(i))
		return assign(l, i, "false", said);
	if (i < 0)
		return unknown_option(l, (struct gc_word){ name, bytes });
	if (eq)
		return assign(l, i, eq + 1, said);
	if (is_switch(i))
		return parse_switch(l, i, said);
	if (meaning_alone(i))
		return parse_alone(l, i, said);
	if (l->at + 1 >= l->argc)
		return gt_fail(l->err, GT_EXIT_USAGE, NULL, NULL, "option '%s' needs a value: %s", said,
			argument_of(i));
	return assign(l, i, l->argv[++l->at], said);
}

static int parse_short(struct line *l)
{
	for (const char *c = l->argv[l->at] + 1; *c; c++) {
		char said[3] = { '-', *c, 0 };
		unsigned i = 0;

		while (i < DEFS && !(defs[i].letter == *c && (defs[i].scope & l->scope)))
			i++;
		if (i == DEFS)
			return gt_fail(l->err, GT_EXIT_USAGE, NULL, NULL, "unknown option '-%c'", *c);
		if (defs[i].type == GC_FLAG && !c[1])
			return parse_switch(l, (int)i, said);
		if (defs[i].type == GC_FLAG) {
			if (assign(l, (int)i, "true", said))
				return -1;
			continue;
		}
		if (c[1])
			return assign(l, (int)i, c + 1, said);
		if (l->at + 1 >= l->argc)
			return gt_fail(l->err, GT_EXIT_USAGE, NULL, NULL, "option '-%c' needs a value: %s", *c,
				argument_of((int)i));
		return assign(l, (int)i, l->argv[++l->at], said);
	}
	return 0;
}

static bool asks_for_help(const char *word) { return !strcmp(word, "--help") || !strcmp(word, "-h"); }

/* Up to the program, or to the end: other commands take options behind the trace too. */
static int parse_words(struct line *l)
{
	char **argv = l->argv;

	for (; l->at < l->argc; l->at++) {
		bool option = argv[l->at][0] == '-' && argv[l->at][1];

		if (!option && starts_program(l))
			break;
		if (!option) {
			argv[1 + l->operands++] = argv[l->at];  /* its place was read already */
			continue;
		}
		if (!strcmp(argv[l->at], "--")) {
			l->at++;
			break;
		}
		if (asks_for_help(argv[l->at]))
			return 1;
		if (argv[l->at][1] == '-' ? parse_long(l) : parse_short(l))
			return -1;
	}
	return 0;
}

int gt_options_parse(struct gt_options *o, unsigned scope, int argc, char **argv, int *rest, struct gt_err *err)
{
	struct line l = { .o = o, .scope = scope, .argc = argc, .argv = argv, .at = 1, .err = err };
	int rc;

	if (gt_options_init(o, &gt_option_list, scope, err))
		return -1;
	rc = parse_words(&l);
	if (!gt_option_true(o, "quiet"))
		fputs(l.taken, stderr);
	if (rc)
		return rc;
	memmove(argv + l.at - l.operands, argv + 1, (size_t)l.operands * sizeof *argv);
	*rest = l.at - l.operands;
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

/* "[DOMAINS]" is a value that may be left out: "[=DOMAINS]". In "[DEVICE=]RATE" only a part of it may. */
static void put_left_column(char *out, size_t bytes, const struct gt_option_def *d, const char *argument)
{
	bool left_out = *argument == '[' && argument[strlen(argument) - 1] == ']';

	snprintf(out, bytes, "%c%c%c --%s%s%s", d->letter ? '-' : ' ', d->letter ? d->letter : ' ',
		d->letter ? ',' : ' ', d->name, left_out ? "[=" : *argument ? "=" : "", argument + left_out);
}

static void put_option(FILE *out, unsigned i, unsigned scope)
{
	const char *argument = argument_of((int)i), *help = defs[i].help, *fallback;
	char left[128], env[64], number[32];

	fallback = shown(&defs[i], number);
	for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++) {
		if ((meanings[k].scope & scope) && !strcmp(meanings[k].name, defs[i].name)) {
			help = meanings[k].help;
			fallback = meanings[k].fallback;
		}
	}
	put_left_column(left, sizeof left, &defs[i], argument);
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
