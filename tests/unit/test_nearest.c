/*
 * tests/unit/test_nearest.c - common/nearest.c: the word that was meant, or none
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "common/nearest.h"

static const char *nearest_of(const char *said)
{
	static const char *const known[] = { "opencl", "openmp", "cuda", "nvtx", "sample", "sched", "output", "quiet",
		"e", "2021" };
	static struct gt_nearest_text text;
	struct gt_nearest n = { .said = { said, strlen(said) } };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		gt_nearest_offer_text(&n, known[i]);
	text = gt_nearest_text(&n, "-");
	return text.text;
}

static void a_slip_is_recognised(void **state)
{
	(void)state;
	assert_string_equal(nearest_of("openc"), " (nearest: -opencl)");
	assert_string_equal(nearest_of("opnecl"), " (nearest: -opencl)");
	assert_string_equal(nearest_of("opemnp"), " (nearest: -openmp)");
	assert_string_equal(nearest_of("cude"), " (nearest: -cuda)");
	assert_string_equal(nearest_of("sampling"), " (nearest: -sample)");
}

/* What begins like a known word is that one, however long it is. */
static void a_shortened_or_longer_word_is_recognised(void **state)
{
	(void)state;
	assert_string_equal(nearest_of("outputs-of-the-program"), " (nearest: -output)");
	assert_string_equal(nearest_of("qui"), " (nearest: -quiet)");
}

/* A suggestion that is not near is worse than none. */
static void what_is_near_to_nothing_has_none(void **state)
{
	char long_word[200];

	(void)state;
	memset(long_word, 'o', sizeof long_word - 1);
	long_word[sizeof long_word - 1] = 0;
	assert_string_equal(nearest_of("vulkan"), "");
	assert_string_equal(nearest_of("x"), "");
	assert_string_equal(nearest_of("2022"), "");
	assert_string_equal(nearest_of(""), "");
	assert_string_equal(nearest_of(long_word), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slip_is_recognised),
		cmocka_unit_test(a_shortened_or_longer_word_is_recognised),
		cmocka_unit_test(what_is_near_to_nothing_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
