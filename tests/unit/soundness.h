/*
 * tests/unit/soundness.h - what holds of each kind of blob that a reader checks before it uses it: included by its test
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_SOUNDNESS_H
#define GPUTAP_TESTS_UNIT_SOUNDNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

/* The test defines it: one blob of its kind that is sound, and what no sound one has. */
static const struct soundness {
	const void *good;
	size_t bytes, says_bytes;               /* says_bytes: where its size stands in it, in 8 bytes */
	bool (*is_sound)(const void *blob, size_t bytes);       /* reads all that a sound one names */
	struct { size_t at; uint32_t value; } wrong[8];         /* up to the first at 0 */
} kind;

/* Of the good one, with `n` bytes at `at` replaced. In memory of its exact size, for sanitizers. */
static bool is_sound_with(size_t bytes, size_t at, const void *value, size_t n)
{
	char *copy = malloc(kind.bytes), *cut = malloc(bytes ? bytes : 1);
	bool sound;

	assert_non_null(copy);
	assert_non_null(cut);
	memcpy(copy, kind.good, kind.bytes);
	memcpy(copy + at, value, n);
	memcpy(cut, copy, bytes);
	sound = kind.is_sound(cut, bytes);
	free(cut);
	free(copy);
	return sound;
}

static void one_that_is_whole_is_sound(void **state)
{
	(void)state;
	assert_true(is_sound_with(kind.bytes, 0, "", 0));
}

static void one_that_is_cut_is_not(void **state)
{
	(void)state;
	for (uint64_t bytes = 0; bytes < kind.bytes; bytes++) {
		assert_false(is_sound_with(bytes, 0, "", 0));
		assert_false(is_sound_with(bytes, kind.says_bytes, &bytes, sizeof bytes));      /* and says so */
	}
}

/* No byte may lead outside, whatever it becomes. */
static void any_byte_may_be_another(void **state)
{
	(void)state;
	for (size_t at = 0; at < kind.bytes; at++)
		for (unsigned value = 0; value < 256; value++)
			is_sound_with(kind.bytes, at, &(unsigned char){ (unsigned char)value }, 1);
}

static void numbers_lead_to_what_is_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof kind.wrong / sizeof *kind.wrong && kind.wrong[i].at; i++)
		assert_false(is_sound_with(kind.bytes, kind.wrong[i].at, &kind.wrong[i].value, sizeof(uint32_t)));
}

/* They are read as words. */
static void it_begins_at_a_word(void **state)
{
	char *room = malloc(kind.bytes + 8);

	(void)state;
	assert_non_null(room);
	for (size_t at = 0; at < 8; at++) {
		memcpy(room + at, kind.good, kind.bytes);
		assert_int_equal(kind.is_sound(room + at, kind.bytes), !at);
	}
	free(room);
}

#define SOUNDNESS_TESTS \
	cmocka_unit_test(one_that_is_whole_is_sound), cmocka_unit_test(one_that_is_cut_is_not), \
	cmocka_unit_test(any_byte_may_be_another), cmocka_unit_test(numbers_lead_to_what_is_there), \
	cmocka_unit_test(it_begins_at_a_word)

#endif
