/*
 * tests/unit/test_pm_samples.c - samples of performance monitors as a trace holds them: what is not sound is refused
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "trace/format/pm_samples.h"

struct blob {
	struct rec_pm head;
	struct rec_pm_image images[2];
	struct rec_pm_time times[3];
	char first[16], second[8];              /* 12 bytes, and 4 to the next word */
};

static const struct blob good = {
	.head = { REC_PM_MAGIC, sizeof(struct blob), 100, 900, 0, 0, 2000, 1 << 20, REC_PM_WHOLE, REC_PM_TIME, 3, 2, 3,
		0 },
	.images = { { 12, 2 }, { 8, 1 } },
	.times = { { 100, 300 }, { 300, 500 }, { 500, 700 } },
	.first = "first image", .second = "second",
};

/* In memory of its exact size, for sanitizers. Everything that a sound one names is read. */
static bool is_sound(const struct blob *b, size_t bytes)
{
	char *copy = malloc(bytes ? bytes : 1);
	struct rec_pm_parts p;
	uint64_t sum = 0;
	bool sound;

	assert_non_null(copy);
	memcpy(copy, b, bytes);
	sound = rec_pm_sound(copy, bytes, &p);
	if (sound) {
		const uint8_t *at = p.data;

		for (uint32_t i = 0; i < p.head->images; at += rec_pm_room(p.images[i].bytes), i++)
			for (uint64_t k = 0; k < p.images[i].bytes; k++)
				sum += at[k];
		for (uint32_t i = 0; i < p.head->samples; i++)
			sum += p.times[i].end_ns - p.times[i].begin_ns;
		assert_true(at == (uint8_t *)copy + bytes);
	}
	free(copy);
	return sound && sum;
}

static void one_that_is_whole_is_sound(void **state)
{
	(void)state;
	assert_true(is_sound(&good, sizeof good));
}

static void one_that_is_cut_is_not(void **state)
{
	struct blob b = good;

	(void)state;
	for (size_t bytes = 0; bytes < sizeof good; bytes++) {
		assert_false(is_sound(&good, bytes));
		b.head.bytes = bytes;                   /* and says so */
		assert_false(is_sound(&b, bytes));
	}
}

/* No byte may lead outside, whatever it becomes. */
static void any_byte_may_be_another(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof good; at++) {
		for (unsigned value = 0; value < 256; value++) {
			struct blob b = good;

			((unsigned char *)&b)[at] = (unsigned char)value;
			is_sound(&b, sizeof b);
		}
	}
}

static void numbers_lead_to_what_is_there(void **state)
{
	static const struct { size_t at; uint32_t value; } wrong[] = {
		{ offsetof(struct blob, head.images), 3 },
		{ offsetof(struct blob, head.images), UINT32_MAX },
		{ offsetof(struct blob, head.samples), 4 },
		{ offsetof(struct blob, head.samples), UINT32_MAX },
		{ offsetof(struct blob, head.state), REC_PM_STATES },
		{ offsetof(struct blob, images[0].bytes), 17 },
		{ offsetof(struct blob, images[1].bytes), UINT32_MAX },
		{ offsetof(struct blob, images[0].samples), 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct blob b = good;

		memcpy((char *)&b + wrong[i].at, &wrong[i].value, sizeof wrong[i].value);
		assert_false(is_sound(&b, sizeof b));
	}
}

/* They are read as words. */
static void they_begin_at_a_word(void **state)
{
	char *room = malloc(sizeof good + 8);
	struct rec_pm_parts p;

	(void)state;
	assert_non_null(room);
	for (size_t at = 0; at < 8; at++) {
		memcpy(room + at, &good, sizeof good);
		assert_int_equal(rec_pm_sound(room + at, sizeof good, &p), !at);
	}
	free(room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_is_whole_is_sound),
		cmocka_unit_test(one_that_is_cut_is_not),
		cmocka_unit_test(any_byte_may_be_another),
		cmocka_unit_test(numbers_lead_to_what_is_there),
		cmocka_unit_test(they_begin_at_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
