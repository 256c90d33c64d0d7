/*
 * tests/unit/test_samples.c - exact statistics
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

#include "analysis/samples.h"

static void fill(struct gt_samples *s, struct gt_pool *a, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(gt_samples_add(s, a, v[i]), 0);
}

/* An odd count has the middle value as its median, whatever the order of arrival. */
static void median_of_odd_count_is_the_middle_value(void **state)
{
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };

	(void)state;
	fill(&s, a, (const int64_t[]){ 9, -5, 3, 1000000000000, 4 }, 5);
	assert_true(gt_samples_median(&s) == 4);
	assert_int_equal(s.min, -5);
	assert_int_equal(s.max, 1000000000000);
	gt_pool_free(a);
}

/* An even count has the mean of the two middle values. */
static void median_of_even_count_is_between_the_middle_values(void **state)
{
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };

	(void)state;
	fill(&s, a, (const int64_t[]){ 4, 1, 3, 10 }, 4);
	assert_true(gt_samples_median(&s) == 3.5);
	assert_true(gt_samples_mean(&s) == 4.5);
	assert_true(gt_samples_deviation(&s) > 3.8729 && gt_samples_deviation(&s) < 3.8730); /* sqrt(15) */
	gt_pool_free(a);
}

/* Values that fill many pieces, and more than the in-memory limit, give the same median as a sorted array. */
static void many_values_spill_and_stay_exact(void **state)
{
	enum { N = 20 << 20 };          /* 160 MiB: above the limit */
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };
	uint64_t x = 88172645463325252u;

	(void)state;
	/* every value of 0..N-1 once, scattered: N is a power-of-two multiple, 7919 odd */
	for (int i = 0; i < N; i++) {
		x = ((uint64_t)i * 7919u) % N;
		assert_int_equal(gt_samples_add(&s, a, (int64_t)x), 0);
	}
	assert_int_equal(s.n, N);
	assert_true(gt_samples_median(&s) == (N - 1) / 2.0);
	assert_true(gt_samples_mean(&s) == (N - 1) / 2.0);
	gt_pool_free(a);
}

/*
 * Few different values, very often: they are counted instead of kept, and every figure is that of the values
 * themselves.
 */
static void repeated_values_are_counted_and_stay_exact(void **state)
{
	enum { N = 4 << 20, DIFFERENT = 1001 };
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };
	long double squares = 0;

	(void)state;
	for (int i = 0; i < N; i++) {   /* -500 .. 500, scattered */
		int64_t v = (int64_t)((uint64_t)i * 7919u % DIFFERENT) - 500;

		assert_int_equal(gt_samples_add(&s, a, v), 0);
		squares += (long double)v * v;
	}
	assert_non_null(s.counts);
	assert_true(s.loose < N / 8);
	assert_int_equal(s.n, N);
	assert_int_equal(s.min, -500);
	assert_int_equal(s.max, 500);
	assert_true(gt_samples_median(&s) == 0);
	double mean = gt_samples_mean(&s), expected = sqrt((double)((squares - (long double)mean * s.sum) / (N - 1)));

	assert_true(fabs(gt_samples_deviation(&s) - expected) < 1e-6);
	gt_pool_free(a);
}

/* Values that are all different after many that are not: nothing of either is lost. */
static void folding_stops_where_it_does_not_pay(void **state)
{
	enum { SAME = 1 << 20, OTHER = 3 << 20 };
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };

	(void)state;
	for (int64_t i = 0; i < SAME + OTHER; i++)
		assert_int_equal(gt_samples_add(&s, a, i < SAME ? -1 : i - SAME), 0);
	assert_true(s.diverse && s.counts && s.loose > SAME);
	assert_int_equal(s.n, SAME + OTHER);
	/* rank 2^21 of 2^20 times -1, then 0, 1, 2, ...; an even count */
	assert_true(gt_samples_median(&s) == (1 << 20) - 0.5);
	gt_pool_free(a);
}

/* Values that are all different are not kept in a table: it would take several times what they do. */
static void all_different_values_leave_no_table(void **state)
{
	enum { N = 1 << 20 };
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };

	(void)state;
	for (int64_t i = 0; i < N; i++) /* -1000, -998, ..., scattered */
		assert_int_equal(gt_samples_add(&s, a, -1000 + 2 * (int64_t)((uint64_t)i * 7919u % N)), 0);
	assert_true(s.diverse && !s.counts && s.loose == N);
	assert_true(gt_samples_median(&s) == N - 1 - 1000);
	gt_pool_free(a);
}

/* The extremes of what a value can be: nothing overflows. */
static void the_widest_values_have_a_median(void **state)
{
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };

	(void)state;
	fill(&s, a, (const int64_t[]){ INT64_MAX, 5, INT64_MIN }, 3);
	assert_true(gt_samples_median(&s) == 5);
	fill(&s, a, (const int64_t[]){ 5 }, 1);
	assert_true(gt_samples_median(&s) == 5);
	gt_pool_free(a);
}

/* No value: no number is made up, and nothing divides by zero. */
static void nothing_gives_zero(void **state)
{
	struct gt_samples s = { 0 };

	(void)state;
	assert_true(gt_samples_mean(&s) == 0 && gt_samples_median(&s) == 0 && gt_samples_deviation(&s) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_of_odd_count_is_the_middle_value),
		cmocka_unit_test(median_of_even_count_is_between_the_middle_values),
		cmocka_unit_test(many_values_spill_and_stay_exact),
		cmocka_unit_test(repeated_values_are_counted_and_stay_exact),
		cmocka_unit_test(folding_stops_where_it_does_not_pay),
		cmocka_unit_test(all_different_values_leave_no_table),
		cmocka_unit_test(the_widest_values_have_a_median),
		cmocka_unit_test(nothing_gives_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
