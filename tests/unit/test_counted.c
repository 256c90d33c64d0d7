/*
 * tests/unit/test_counted.c - common/counted.c: one call is no calls
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

#include "common/counted.h"
#include "model/cuda/cuda.h"
#include "trace/format/rec.h"

static void one_is_one(void **state)
{
	(void)state;
	assert_string_equal(gt_counted(0, "calls").text, "0 calls");
	assert_string_equal(gt_counted(1, "calls").text, "1 call");
	assert_string_equal(gt_counted(2, "calls").text, "2 calls");
	assert_string_equal(gt_counted(1, "processes").text, "1 process");
	assert_string_equal(gt_counted(UINT64_MAX, "copies").text, "18446744073709551615 copies");
	assert_string_equal(gt_counted_things(1, "activities").text, "activity");
}

/* Only what is counted changes, and only a whole word. */
static void the_first_word_that_is_counted_changes(void **state)
{
	(void)state;
	assert_string_equal(gt_counted(1, "CUDA calls whose arguments were not copied").text,
		"1 CUDA call whose arguments were not copied");
	assert_string_equal(gt_counted(1, "blocksmiths, streams").text, "1 blocksmith, streams");
	assert_string_equal(gt_counted(1, "").text, "1 ");
	assert_string_equal(gt_counted(1, "words that nobody listed").text, "1 word that nobody listed");
}

/* What ends like a plural and is none stays: the word behind it is what is counted. */
static void a_word_that_ends_with_s_need_not_be_a_plural(void **state)
{
	(void)state;
	assert_string_equal(gt_counted(1, "process images").text, "1 process image");
	assert_string_equal(gt_counted(1, "OS samples").text, "1 OS sample");
	assert_string_equal(gt_counted(1, "bus errors").text, "1 bus error");
	assert_string_equal(gt_counted(1, "CUDA's own calls").text, "1 CUDA's own call");
	assert_string_equal(gt_counted(1, "more of this").text, "1 more of this");
}

/* Each reason of the ledger, and each kind of CUDA activity, begins with something that has a singular. */
static void every_text_that_is_counted_has_a_singular(void **state)
{
	static const char *const losses[] = {
#define X(id, text) text,
		REC_LOSSES(X)
#undef X
	};

	(void)state;
	for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
		struct gt_counted one = gt_counted_things(1, losses[i]);
		const char *stop = strpbrk(losses[i], ":,");
		size_t n = stop ? (size_t)(stop - losses[i]) : strlen(losses[i]);

		assert_true(strlen(losses[i]) < sizeof one.text - 32);
		if (!strncmp(one.text, losses[i], n))
			fail_msg("no singular: %s", losses[i]);
	}
	for (int k = 0; k < GT_CUDA_KINDS; k++)
		assert_string_not_equal(
			gt_counted_things(1, gt_cuda_kind_names[k].words).text, gt_cuda_kind_names[k].words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_is_one),
		cmocka_unit_test(the_first_word_that_is_counted_changes),
		cmocka_unit_test(a_word_that_ends_with_s_need_not_be_a_plural),
		cmocka_unit_test(every_text_that_is_counted_has_a_singular),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
