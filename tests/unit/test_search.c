/*
 * tests/unit/test_search.c - where a value belongs in a sorted array
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/search.h"

#define MOST 9

/* Every sorted array of up to MOST even numbers with equal ones among them, asked for each number and those between. */
static void every_place_is_the_one_that_counting_finds(void **state)
{
	(void)state;
	for (unsigned pattern = 0; pattern < 1u << MOST; pattern++) {
		unsigned v[MOST];

		for (unsigned i = 0, value = 2; i < MOST; i++, value += pattern >> i & 1 ? 2 : 0)
			v[i] = value;
		for (unsigned n = 0; n <= MOST; n++)
			for (unsigned key = 1; key < 2 * MOST + 4; key++) {
				unsigned before = 0, upto = 0, last, low;
				size_t at;

				for (unsigned i = 0; i < n; i++) {
					before += v[i] < key;
					upto += v[i] <= key;
				}
				GT_SEARCH(at, n, v[at] < key);
				assert_int_equal(at, before);
				GT_SEARCH(low, n, v[low] <= key);
				assert_int_equal(low, upto);
				GT_SEARCH_LAST(last, n, v[last] <= key);
				assert_int_equal(last, upto ? upto - 1 : 0);
			}
	}
}

/* What lies outside from and to is not looked at; where they are the same, nothing is. */
static void only_places_of_the_range_are_looked_at(void **state)
{
	unsigned looked[8] = { 0 };
	uint32_t at;

	(void)state;
	for (uint32_t key = 0; key < 8; key++) {
		GT_SEARCH_FROM(at, 2, 6, (looked[at]++, at < key));
		assert_int_equal(at, key < 2 ? 2 : key > 6 ? 6 : key);
	}
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(looked[i] > 0, i >= 2 && i < 6);
	GT_SEARCH_FROM(at, 7, 7, looked[at]++);
	assert_int_equal(at, 7);
	assert_int_equal(looked[7], 0);
}

/* A type of 64 bits holds places that 32 bits do not. */
static void places_beyond_32_bits_are_found(void **state)
{
	const uint64_t many = (uint64_t)1 << 40, key = many - 3;
	uint64_t at;

	(void)state;
	GT_SEARCH(at, many, at < key);
	assert_int_equal(at, key);
	GT_SEARCH_LAST(at, many, at <= key);
	assert_int_equal(at, key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_place_is_the_one_that_counting_finds),
		cmocka_unit_test(only_places_of_the_range_are_looked_at),
		cmocka_unit_test(places_beyond_32_bits_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
