/*
 * tests/unit/test_options.c - common/options.c, cli/options.c: each value is checked and put into its normal form
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "cli/options.h"
#include "tests/unit/optioncases.h"

#define ALL 63u /* every scope */

static struct gt_options o;
static struct gt_err err;

static int parse(const char *word, const char *second)
{
	char *argv[] = { (char *)"gputap", (char *)word, (char *)second, NULL };
	int rest;

	gt_options_free(&o);
	memset(&err, 0, sizeof err);
	return gt_options_parse(&o, ALL, second ? 3 : 2, argv, &rest, &err);
}

static int end(void **state)
{
	(void)state;
	gt_options_free(&o);
	return 0;
}

static void values_are_read_as_the_shim_reads_them(void **state)
{
	char word[256];

	(void)state;
	for (size_t i = 0; i < OPTION_CASES; i++) {
		const struct option_case *c = &option_cases[i];

		snprintf(word, sizeof word, "--%s=%s", c->name, c->text);
		if (!c->normal) {
			assert_int_equal(parse(word, NULL), -1);
			assert_int_equal(err.kind, GT_EXIT_USAGE);
			assert_non_null(strstr(err.what, word));
			continue;
		}
		if (parse(word, NULL))
			fail_msg("%s: %s", word, err.what);
		assert_string_equal(gt_option(&o, c->name), c->normal);
		assert_string_equal(gt_option_said(&o, c->name), c->text);
	}
}

/* The same words in the environment are refused too, by the variable's name. */
static void the_environment_is_checked(void **state)
{
	(void)state;
	setenv("GPUTAP_SQLITE_SCHEMA", "2022", 1);
	assert_int_equal(parse("--quiet", NULL), -1);
	assert_string_equal(err.what, "GPUTAP_SQLITE_SCHEMA: '2022' is not one of: default 2021");
	setenv("GPUTAP_SQLITE_SCHEMA", "", 1);
	assert_int_equal(parse("--quiet", NULL), 0);
	assert_string_equal(gt_option(&o, "sqlite-schema"), "default");
	assert_false(gt_option_given(&o, "sqlite-schema"));
	unsetenv("GPUTAP_SQLITE_SCHEMA");
}

static void wrong_words_are_named(void **state)
{
	(void)state;
	assert_int_equal(parse("--summary=tab", NULL), -1);
	assert_string_equal(err.what,
		"--summary=tab: 'tab' is not one of: auto table csv json markdown none (nearest: table)");
	assert_int_equal(parse("-e", "atp,sqlit,apilog"), -1);
	/* Every format of trace/format/formats.def, in its order: a new one is named here too. */
	assert_string_equal(err.what,
		"-e: 'sqlit' is not one of: atp apilog sqlite perfetto callgrind folded occupancy csv ncu-rep "
		"(nearest: sqlite)");
	assert_int_equal(parse("--max-size=1X", NULL), -1);
	assert_string_equal(err.what, "--max-size=1X: '1X' is not a size such as 500M");
	assert_int_equal(parse("--ring=", NULL), -1);
	assert_int_equal(parse("--cuda-api=", NULL), -1);
	assert_int_equal(parse("--lazy=", NULL), 0);
	assert_int_equal(parse("--from=", NULL), 0);
}

static void lists_are_joined(void **state)
{
	(void)state;
	assert_int_equal(parse("--trace=opencl", "--trace=nvtx cuda"), 0);
	assert_string_equal(gt_option(&o, "trace"), "opencl,nvtx,cuda");
	assert_true(gt_option_has(&o, "trace", "nvtx"));
	assert_false(gt_option_has(&o, "trace", "nvt"));
	assert_int_equal(parse("--trace=opencl", "--trace=x"), -1);
	assert_string_equal(gt_option(&o, "trace"), "opencl");
}

static void numbers_are_numbers(void **state)
{
	(void)state;
	assert_int_equal(parse("--to=1.5ms", "--max-size=2k"), 0);
	assert_int_equal(gt_option_number(&o, "to", -1), 1500000);
	assert_int_equal(gt_option_number(&o, "from", -1), -1);
	assert_int_equal(gt_option_number(&o, "max-size", -1), 2048);
	assert_string_equal(gt_option_said(&o, "to"), "1.5ms");
	assert_int_equal(parse("--max-size=16777215T", NULL), 0);
	assert_int_equal(gt_option_number(&o, "max-size", -1), INT64_MAX);
}

static void switches_have_three_forms(void **state)
{
	(void)state;
	assert_int_equal(parse("--ring", "--no-sources"), 0);
	assert_true(gt_option_true(&o, "ring"));
	assert_false(gt_option_true(&o, "sources"));
	assert_int_equal(parse("--sources=no", "--ring=0"), 0);
	assert_false(gt_option_true(&o, "sources"));
	assert_false(gt_option_true(&o, "ring"));
}

/* The words of a command line of `run`; where the program begins, -1: it is refused, -2: it asks for help. */
static int program_of(const char *a, const char *b, const char *c, const char *d)
{
	const char *words[] = { "run", a, b, c, d, NULL };
	int n = 1, rest = 0, rc;

	while (words[n])
		n++;
	gt_options_free(&o);
	memset(&err, 0, sizeof err);
	setenv("GPUTAP_QUIET", "true", 1);      /* what is said of it: tests/cli/options.sh */
	rc = gt_options_parse(&o, REC_SCOPE_R, n, (char **)words, &rest, &err);
	unsetenv("GPUTAP_QUIET");
	return rc < 0 ? -1 : rc > 0 ? -2 : rest;
}

/* Every switch that `run` has, long and short: true and false in front of more words are values, not programs. */
static void a_switch_takes_true_and_false(void **state)
{
	(void)state;
	for (unsigned i = 0; i < gt_option_list.n; i++) {
		const struct gt_option_def *d = &gt_option_list.defs[i];
		char name[64];

		if (!(d->scope & REC_SCOPE_R) || (d->type != GC_FLAG && d->type != GC_BOOL))
			continue;
		snprintf(name, sizeof name, "--%s", d->name);
		for (int letter = 0; letter <= (d->letter != 0); letter++) {
			assert_int_equal(program_of(name, "false", "program", NULL), 3);
			assert_false(gt_option_true(&o, d->name));
			assert_int_equal(program_of(name, "true", "program", NULL), 3);
			assert_true(gt_option_true(&o, d->name));
			assert_int_equal(program_of(name, "true", NULL, NULL), 2);
			assert_int_equal(program_of(name, "--", "true", "program"), 3);
			assert_int_equal(program_of(name, "truely", "program", NULL), 2);
			snprintf(name, sizeof name, "-%c", d->letter);
		}
	}
}

/* The value of such an option would be started as a program. */
static void a_value_without_its_equals_sign_is_named(void **state)
{
	static const struct { const char *option, *value; } all[] = {
		{ "--summary", "table" }, { "--summary", "none" }, { "--callstacks", "opencl" },
		{ "--callstacks", "cuda,nvtx" }, { "--cuda-events", "auto" },
	};
	char meant[64];

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		snprintf(meant, sizeof meant, "%s=%s is meant", all[i].option, all[i].value);
		assert_int_equal(program_of(all[i].option, all[i].value, "program", NULL), -1);
		assert_non_null(strstr(err.what, meant));
		assert_int_equal(program_of(all[i].option, all[i].value, NULL, NULL), -1);
		assert_int_equal(program_of(all[i].option, "--", all[i].value, NULL), 3);
		assert_int_equal(program_of(all[i].option, "program", NULL, NULL), 2);
	}
	assert_int_equal(program_of("--cuda-events", "false", "program", NULL), 3);
	assert_string_equal(gt_option(&o, "cuda-events"), "false");
}

/* Each option's name with a letter missing, doubled, wrong, or out of place has that option as the nearest. */
static void a_misspelt_option_is_recognised(void **state)
{
	char wrong[80], meant[80];

	(void)state;
	for (unsigned i = 0; i < gt_option_list.n; i++) {
		const struct gt_option_def *d = &gt_option_list.defs[i];
		size_t n = strlen(d->name), at = n / 2;

		if (!(d->scope & REC_SCOPE_R) || n < 6)
			continue;
		snprintf(meant, sizeof meant, "(nearest: --%s)", d->name);
		for (int kind = 0; kind < 3; kind++) {
			snprintf(wrong, sizeof wrong, "--%.*s%s%s", (int)at, d->name,
				kind == 0 ? "" : kind == 1 ? "zz" : (char[]){ d->name[at + 1], d->name[at], 0 },
				d->name + at + (kind == 0 ? 1 : kind == 1 ? 0 : 2));
			if (program_of(wrong, "program", NULL, NULL) != -1)
				continue;       /* two equal letters changed places */
			if (!strstr(err.what, meant))
				fail_msg("%s: %s", wrong, err.what);
		}
	}
	assert_int_equal(program_of("--no-sorces", NULL, NULL, NULL), -1);
	assert_string_equal(err.what, "unknown option '--no-sorces' (nearest: --no-sources)");
	assert_int_equal(program_of("--force-overwrite", "true", "program", NULL), -1);
	assert_string_equal(err.what, "unknown option '--force-overwrite' (nearest: --force)");
	assert_int_equal(program_of("--qqqqqq", NULL, NULL, NULL), -1);
	assert_string_equal(err.what, "unknown option '--qqqqqq'");
}

/* Behind the value of an option, too; what stands behind the program is the program's. */
static void help_is_asked_for_in_front_of_the_program(void **state)
{
	(void)state;
	assert_int_equal(program_of("-o", "x", "--help", NULL), -2);
	assert_int_equal(program_of("-f", "true", "-h", "program"), -2);
	assert_int_equal(program_of("-o", "x", "program", "--help"), 3);
}

/* Each default is a value of its option, in normal form, and --help names each choice. */
static void the_list_is_sound(void **state)
{
	char normal[256];
	struct gc_word wrong, word;

	(void)state;
	for (unsigned i = 0; i < gt_option_list.n; i++) {
		const struct gt_option_def *d = &gt_option_list.defs[i];
		bool chooses = d->type == GC_CHOICE || d->type == GC_LIST_OF;

		assert_int_equal(chooses, *d->choices != 0);
		assert_false(d->type == GC_STRING && strchr(d->argument, '|'));
		if (*d->fallback)
			assert_true(gc_value_normal(d->type, d->choices, d->fallback, normal, sizeof normal, &wrong));
		if (*d->fallback)
			assert_string_equal(normal, d->fallback);
		for (const char *at = d->choices; gc_choice_next(&at, &word);)
			assert_null(memchr(word.at, ',', word.bytes));
	}
}

/* What a reader takes over from a stranger's trace: a text that could name a file never. */
static void nothing_that_is_opened_is_taken_over(void **state)
{
	static const char *const taken[] = {
#define TAKEN(id, name, what) #name,
#include "trace/format/taken.def"
#undef TAKEN
	};
	static const char *const named[] = { "FILE", "FOLDER", "PATH", "NAME" };

	(void)state;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		const struct gt_option_def *d = NULL;

		for (unsigned k = 0; k < gt_option_list.n; k++)
			if (!strcmp(gt_option_list.defs[k].name, taken[i]))
				d = &gt_option_list.defs[k];
		assert_non_null(d);
		assert_int_not_equal(d->type, GC_STRING);
		for (size_t k = 0; k < sizeof named / sizeof *named; k++)
			assert_string_not_equal(d->argument, named[k]);
	}
}

static void a_value_of_a_trace_gives_way_to_the_readers_own(void **state)
{
	(void)state;
	assert_int_equal(parse("--set=full", NULL), 0);
	assert_false(gt_option_of_trace(&o, "set"));
	assert_int_equal(gt_option_take(&o, "section", "A, B", &err), 0);
	assert_true(gt_option_of_trace(&o, "section"));
	assert_false(gt_option_on_command_line(&o, "section"));
	assert_string_equal(gt_option(&o, "section"), gt_option_said(&o, "section"));
	assert_int_equal(gt_option_take(&o, "launch-count", "many", &err), -1);
	assert_string_equal(gt_option(&o, "launch-count"), "1");
	assert_int_equal(gt_option_take(&o, "no-such", "1", &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_as_the_shim_reads_them),
		cmocka_unit_test(the_environment_is_checked),
		cmocka_unit_test(wrong_words_are_named),
		cmocka_unit_test(lists_are_joined),
		cmocka_unit_test(numbers_are_numbers),
		cmocka_unit_test(switches_have_three_forms),
		cmocka_unit_test(a_switch_takes_true_and_false),
		cmocka_unit_test(a_value_without_its_equals_sign_is_named),
		cmocka_unit_test(a_misspelt_option_is_recognised),
		cmocka_unit_test(help_is_asked_for_in_front_of_the_program),
		cmocka_unit_test(the_list_is_sound),
		cmocka_unit_test(nothing_that_is_opened_is_taken_over),
		cmocka_unit_test(a_value_of_a_trace_gives_way_to_the_readers_own),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
