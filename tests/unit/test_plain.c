/*
 * tests/unit/test_plain.c - common/plain: names of traces, ranks, words, the choice of the counter, ids of objects
 *
 * Numbers, sizes and times: tests/unit/optioncases.h, by shim and tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "common/plain/counter.h"
#include "common/plain/object_id.h"
#include "common/plain/pattern.h"
#include "common/plain/value.h"

/* ctx: "NAME=value" one after another, NULL at the end */
static const char *lookup(void *ctx, const char *name, size_t bytes)
{
	for (const char *const *line = ctx; line && *line; line++)
		if (!strncmp(*line, name, bytes) && (*line)[bytes] == '=')
			return *line + bytes + 1;
	return NULL;
}
#define ENVIRONMENT(...) \
	(void *)(const char *const[]) { __VA_ARGS__, NULL }

static enum gc_pattern_fault expand(const char *pattern, bool keep, void *environment, size_t room, char *to)
{
	const struct gc_pattern p = { .pid = 4711,
		.host = "a/b%n",
		.program = "/usr/bin/dir/app.sh",
		.variable = lookup,
		.ctx = environment,
		.keep = keep,
		.number = 3 };
	struct gc_word wrong;

	return gc_pattern_expand(&p, pattern, to, room, &wrong);
}

static void each_letter_stands_for_its_value(void **state)
{
	char to[128];
	void *environment = ENVIRONMENT("WORD=w/x%y", "SLURM_PROCID=5");

	(void)state;
	assert_int_equal(expand("%i-%p-%n-%r-%q{WORD}-%h-%%", false, environment, sizeof to, to), GC_PATTERN_OK);
	assert_string_equal(to, "app.sh-4711-3-5-w_x%y-a_b%n-%");
	assert_int_equal(expand("/tmp/x", false, environment, sizeof to, to), GC_PATTERN_OK);
	assert_string_equal(to, "/tmp/x");
	assert_int_equal(expand("%p/", false, environment, sizeof to, to), GC_PATTERN_OK);
	assert_string_equal(to, "4711/app.sh-3");
}

/* The shim answers all but %n in its constructor, and that when it makes the directory: the same name comes out. */
static void in_two_steps_the_name_is_the_same(void **state)
{
	char one[128], two[128], whole[128];
	void *environment = ENVIRONMENT("WORD=100%", "X=%n");
	static const char *const patterns[] = { "%i-%n", "%q{WORD}-%%n-%n", "%q{X}-%h-%p%%%%", "%z-%q{NONE}-%q{-%",
		"plain", "a%h/" };

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		expand(patterns[i], true, environment, sizeof one, one);
		expand(one, false, NULL, sizeof two, two);
		expand(patterns[i], false, environment, sizeof whole, whole);
		assert_string_equal(two, whole);
		assert_int_equal(gc_pattern_is_numbered(one), gc_pattern_is_numbered(patterns[i]));
	}
}

static void faults_are_named(void **state)
{
	static const struct {
		const char *pattern;
		enum gc_pattern_fault fault;
		const char *result;
	} cases[] = {
		{ "x%z", GC_PATTERN_LETTER, "x%z" },
		{ "x%", GC_PATTERN_LETTER, "x%" },
		{ "%q", GC_PATTERN_BRACES, "%q" },
		{ "%q{}", GC_PATTERN_BRACES, "%q{}" },
		{ "%q{A", GC_PATTERN_BRACES, "%q{A" },
		{ "a%q{NONE}b", GC_PATTERN_UNSET, "ab" },
		{ "", GC_PATTERN_EMPTY, "" },
		{ "%q{EMPTY}", GC_PATTERN_EMPTY, "" },
		{ "0123456789abcdef", GC_PATTERN_LONG, "0123456789abcde" },
	};
	char to[16];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(expand(cases[i].pattern, false, ENVIRONMENT("EMPTY="), sizeof to, to), cases[i].fault);
		assert_string_equal(to, cases[i].result);
	}
}

static void only_percent_n_is_a_number(void **state)
{
	(void)state;
	assert_true(gc_pattern_is_numbered("a-%n"));
	assert_true(gc_pattern_is_numbered("%%%n"));
	assert_false(gc_pattern_is_numbered("%%n"));
	assert_false(gc_pattern_is_numbered("a%"));
	assert_false(gc_pattern_is_numbered("%p"));
}

/* The scheduler's word first, then those of the libraries under it; an empty one says nothing. */
static void a_rank_has_one_order(void **state)
{
	(void)state;
	assert_string_equal(gc_rank(lookup, ENVIRONMENT("OMPI_COMM_WORLD_RANK=2", "SLURM_PROCID=1", "RANK=9")), "1");
	assert_string_equal(gc_rank(lookup, ENVIRONMENT("PMI_RANK=4", "OMPI_COMM_WORLD_RANK=2", "PMIX_RANK=3")), "2");
	assert_string_equal(gc_rank(lookup, ENVIRONMENT("MV2_COMM_WORLD_RANK=5", "PMI_RANK=4", "PMIX_RANK=3")), "3");
	assert_string_equal(gc_rank(lookup, ENVIRONMENT("RANK=9", "MV2_COMM_WORLD_RANK=5")), "5");
	assert_string_equal(gc_rank(lookup, ENVIRONMENT("RANK=9", "SLURM_PROCID=")), "9");
	assert_string_equal(gc_rank(lookup, NULL), "0");
}

static void lists_and_choices_are_whole_words(void **state)
{
	(void)state;
	assert_true(gc_list_has("a,bc d", "bc"));
	assert_true(gc_list_has("a,bc d", "d"));
	assert_false(gc_list_has("a,bc d", "b"));
	assert_false(gc_list_has("", ""));
	assert_true(gc_is_choice("|on|off", "on"));
	assert_false(gc_is_choice("|on|off", ""));
	assert_false(gc_is_choice("|on|off", "on|off"));
	assert_false(gc_is_choice("", "on"));
}

/* A normal form that does not fit is no value; the room that is asked for is enough for any. */
static void values_fit_their_room(void **state)
{
	struct gc_word wrong;
	char to[64];

	(void)state;
	assert_true(gc_value_room("16777215T") <= sizeof to);
	assert_true(gc_value_normal(GC_SIZE, "", "16777215T", to, gc_value_room("16777215T"), &wrong));
	assert_string_equal(to, "18446742974197923840");
	assert_false(gc_value_normal(GC_SIZE, "", "1T", to, 13, &wrong));
	assert_true(gc_value_normal(GC_SIZE, "", "1T", to, 14, &wrong));
	assert_false(gc_value_normal(GC_LIST_OF, "a|b", "a,b", to, 3, &wrong));
	assert_false(gc_value_normal(GC_STRING, "", "abc", to, 0, &wrong));
}

#if defined(__x86_64__)
/* Launcher and shim disagreed on kvm-clock, and on names that begin with "tsc". */
static void the_kernels_own_clock_decides(void **state)
{
	static const struct {
		const char *file;
		bool forbidden, invariant, trusted;
	} cases[] = {
		{ "tsc\n", false, true, true },
		{ "tsc", false, false, true },
		{ "tsc\n", true, true, false },
		{ "kvm-clock\n", false, true, true },
		{ "kvm-clock\n", false, false, false },
		{ "kvm-clock\n", true, true, false },
		{ "tsc-early\n", false, true, false },
		{ "hpet\n", false, true, false },
		{ "", false, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(gc_counter_is_trusted(
					 cases[i].file, strlen(cases[i].file), cases[i].forbidden, cases[i].invariant),
			cases[i].trusted);
	assert_string_equal(gc_counter_source(true), "tsc");
	assert_string_equal(gc_counter_source(false), "monotonic_raw");
}
#endif

/* Each is one note: its three numbers, then name and value, each padded to four bytes. */
#define OTHER "\4\0\0\0\5\0\0\0\1\0\0\0GNU\0abcde\0\0\0"
#define ID "\4\0\0\0\3\0\0\0\3\0\0\0GNU\0xyz\0"
#define NOT_GNU "\4\0\0\0\3\0\0\0\3\0\0\0Gnu\0xyz\0"
#define HUGE_NAME "\377\377\377\377\3\0\0\0\3\0\0\0GNU\0xyz\0"
#define HUGE_VALUE "\4\0\0\0\377\377\377\377\3\0\0\0GNU\0xyz\0"

static void a_build_id_is_found_among_notes(void **state)
{
	static const struct { const char *notes; size_t bytes; uint32_t most, found; } cases[] = {
		{ ID, sizeof ID - 1, 20, 3 },
		{ ID, sizeof ID - 2, 20, 3 },                   /* without what pads the last value */
		{ ID, sizeof ID - 3, 20, 0 },                   /* cut in its value, */
		{ ID, 18, 20, 0 },                              /* in its name, */
		{ ID, 11, 20, 0 },                              /* in its numbers */
		{ ID, 0, 20, 0 },
		{ ID, sizeof ID - 1, 2, 2 },                    /* no more than asked for */
		{ OTHER ID, sizeof OTHER ID - 1, 20, 3 },
		{ OTHER OTHER, sizeof OTHER OTHER - 1, 20, 0 },
		{ NOT_GNU ID, sizeof NOT_GNU ID - 1, 20, 3 },
		{ HUGE_NAME ID, sizeof HUGE_NAME ID - 1, 20, 0 },
		{ HUGE_VALUE ID, sizeof HUGE_VALUE ID - 1, 20, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *exact = malloc(cases[i].bytes + 1), id[20] = "";  /* for sanitizers */

		assert_non_null(exact);
		memcpy(exact + 1, cases[i].notes, cases[i].bytes);      /* at any address */
		assert_int_equal(gc_build_id(exact + 1, cases[i].bytes, id, cases[i].most), cases[i].found);
		assert_memory_equal(id, cases[i].found ? "xyz" : "", cases[i].found);
		free(exact);
	}
}

/* The shim has the headers whole, the tool reads them one by one. */
static void a_mark_is_that_of_all_headers(void **state)
{
	const char headers[] = "four headers, each of so many bytes", other[] = "four headers, each of so many Bytes";
	uint64_t whole = gc_mark(GC_MARK_BEGIN, headers, sizeof headers);

	(void)state;
	assert_int_equal(gc_mark(gc_mark(GC_MARK_BEGIN, headers, 8), headers + 8, sizeof headers - 8), whole);
	assert_int_not_equal(gc_mark(GC_MARK_BEGIN, other, sizeof other), whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_letter_stands_for_its_value),
		cmocka_unit_test(in_two_steps_the_name_is_the_same),
		cmocka_unit_test(faults_are_named),
		cmocka_unit_test(only_percent_n_is_a_number),
		cmocka_unit_test(a_rank_has_one_order),
		cmocka_unit_test(lists_and_choices_are_whole_words),
		cmocka_unit_test(values_fit_their_room),
		cmocka_unit_test(a_build_id_is_found_among_notes),
		cmocka_unit_test(a_mark_is_that_of_all_headers),
#if defined(__x86_64__)
		cmocka_unit_test(the_kernels_own_clock_decides),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
