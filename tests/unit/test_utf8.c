/*
 * tests/unit/test_utf8.c - which bytes are UTF-8
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/utf8.h"

/* The code point that n bytes encode, without any check. */
static uint32_t point(const unsigned char *s, size_t n)
{
	uint32_t c = n == 1 ? s[0] : s[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* Every two and three bytes that are accepted encode, in their shortest form, a code point that is no surrogate. */
static void accepted_sequences_are_shortest_forms(void **state)
{
	uint32_t accepted = 0;

	(void)state;
	for (uint32_t v = 0; v < 1u << 24; v++) {
		const unsigned char s[] = { (unsigned char)(v >> 16), (unsigned char)(v >> 8), (unsigned char)v, 'x' };
		size_t n = gt_utf8_sequence((const char *)s, 3);

		if (n < 2)
			continue;
		uint32_t c = point(s, n);

		assert_true(n ==
				(c < 0x80                     ? 1u
						: c < 0x800   ? 2u
						: c < 0x10000 ? 3u
							      : 4u) &&
			!(c >= 0xd800 && c <= 0xdfff));
		accepted += n == 3;
	}
	assert_int_equal(accepted, 0x10000 - 0x800 - 0x800);
}

static void ascii_and_nul_are_one_byte(void **state)
{
	(void)state;
	for (int c = 0; c < 0x80; c++)
		assert_int_equal(gt_utf8_sequence(&(char){ (char)c }, 1), 1);
	for (int c = 0x80; c < 0x100; c++)
		assert_int_equal(gt_utf8_sequence(&(char){ (char)c }, 1), 0);
}

static void four_bytes_end_at_the_last_code_point(void **state)
{
	(void)state;
	assert_int_equal(gt_utf8_sequence("\xf0\x90\x80\x80", 4), 4);
	assert_int_equal(gt_utf8_sequence("\xf4\x8f\xbf\xbf", 4), 4);
	assert_int_equal(gt_utf8_sequence("\xf0\x8f\xbf\xbf", 4), 0);
	assert_int_equal(gt_utf8_sequence("\xf4\x90\x80\x80", 4), 0);
	assert_int_equal(gt_utf8_sequence("\xf5\x80\x80\x80", 4), 0);
}

static void a_cut_sequence_is_none(void **state)
{
	(void)state;
	assert_int_equal(gt_utf8_sequence("\xc3", 1), 0);
	assert_int_equal(gt_utf8_sequence("\xe2\x82", 2), 0);
	assert_int_equal(gt_utf8_sequence("\xf0\x9f\x98", 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepted_sequences_are_shortest_forms), cmocka_unit_test(ascii_and_nul_are_one_byte),
		cmocka_unit_test(four_bytes_end_at_the_last_code_point), cmocka_unit_test(a_cut_sequence_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
