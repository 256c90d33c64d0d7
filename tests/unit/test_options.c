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
	assert_string_equal(err.what, "--summary=tab: 'tab' is not one of: auto table csv json markdown none");
	assert_int_equal(parse("-e", "atp,sqlit,apilog"), -1);
	/* Every format of trace/format/formats.def, in its order: a new one is named here too. */
	assert_string_equal(err.what,
		"-e: 'sqlit' is not one of: atp apilog sqlite perfetto callgrind folded occupancy csv ncu-rep");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_as_the_shim_reads_them),
		cmocka_unit_test(the_environment_is_checked),
		cmocka_unit_test(wrong_words_are_named),
		cmocka_unit_test(lists_are_joined),
		cmocka_unit_test(numbers_are_numbers),
		cmocka_unit_test(switches_have_three_forms),
		cmocka_unit_test(the_list_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
