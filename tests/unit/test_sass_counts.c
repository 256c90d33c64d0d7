/*
 * tests/unit/test_sass_counts.c - counts by instruction as a trace holds them: what is not sound is refused
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

#include "trace/format/sass.h"

#define TEXTS "\0kernel\0inst_executed"
struct blob {
	struct rec_sass head;
	struct rec_samples_function functions[1];
	struct rec_sass_instruction instructions[2];
	struct rec_sass_value values[3];
	struct rec_sass_metric metrics[2];
	char texts[sizeof TEXTS];
};
#define BYTES (offsetof(struct blob, texts) + sizeof TEXTS)

static const struct blob good = {
	.head = { REC_SASS_MAGIC, BYTES, 0, 0, REC_SASS_WHOLE, 1, 2, 3, 2, sizeof TEXTS },
	.functions = { { 0x1234, 7, 1 } },
	.instructions = { { 0x10, 0, 2, 0 }, { 0x20, 0, 1, 0 } },
	.values = { { 32, 0, 0 }, { 1, 1, 0 }, { 64, 0, 0 } },
	.metrics = { { 8, 0 }, { 8, 1 } },
	.texts = TEXTS,
};

/* In memory of its exact size, for sanitizers. Everything that a sound one names is read. */
static bool is_sound(const struct blob *b, size_t bytes)
{
	char *copy = malloc(bytes ? bytes : 1);
	struct rec_sass_parts p;
	bool sound;

	assert_non_null(copy);
	memcpy(copy, b, bytes);
	sound = rec_sass_sound(copy, bytes, &p);
	if (sound) {
		const struct rec_sass_value *v = p.values;

		for (uint32_t i = 0; i < p.head->instructions; i++) {
			assert_true(strlen(p.texts + p.functions[p.instructions[i].function].text) < bytes);
			for (uint32_t k = 0; k < p.instructions[i].values; k++, v++)
				assert_true(strlen(p.texts + p.metrics[v->metric].text) < bytes);
		}
		assert_true(v == p.values + p.head->values);
	}
	free(copy);
	return sound;
}

static void one_that_is_whole_is_sound(void **state)
{
	(void)state;
	assert_true(is_sound(&good, BYTES));
}

static void one_that_is_cut_is_not(void **state)
{
	struct blob b = good;

	(void)state;
	for (size_t bytes = 0; bytes < BYTES; bytes++) {
		assert_false(is_sound(&good, bytes));
		b.head.bytes = bytes;                   /* and says so */
		assert_false(is_sound(&b, bytes));
	}
}

/* No byte may lead outside, whatever it becomes. */
static void any_byte_may_be_another(void **state)
{
	(void)state;
	for (size_t at = 0; at < BYTES; at++) {
		for (unsigned value = 0; value < 256; value++) {
			struct blob b = good;

			((unsigned char *)&b)[at] = (unsigned char)value;
			is_sound(&b, BYTES);
		}
	}
}

static void numbers_lead_to_what_is_there(void **state)
{
	static const struct { size_t at; uint32_t value; } wrong[] = {
		{ offsetof(struct blob, functions[0].text), sizeof TEXTS },
		{ offsetof(struct blob, metrics[1].text), sizeof TEXTS },
		{ offsetof(struct blob, values[2].metric), 2 },
		{ offsetof(struct blob, instructions[1].function), 1 },
		{ offsetof(struct blob, instructions[0].values), 3 },
		{ offsetof(struct blob, instructions[0].values), UINT32_MAX },
		{ offsetof(struct blob, head.values), 2 },
		{ offsetof(struct blob, head.metrics), REC_SASS_METRICS + 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct blob b = good;

		memcpy((char *)&b + wrong[i].at, &wrong[i].value, sizeof wrong[i].value);
		assert_false(is_sound(&b, BYTES));
	}
	struct blob open = good;

	open.texts[sizeof TEXTS - 1] = 'g';             /* the last text does not end */
	assert_false(is_sound(&open, BYTES));
}

/* They are read as words. */
static void they_begin_at_a_word(void **state)
{
	char *room = malloc(BYTES + 8);
	struct rec_sass_parts p;

	(void)state;
	assert_non_null(room);
	for (size_t at = 0; at < 8; at++) {
		memcpy(room + at, &good, BYTES);
		assert_int_equal(rec_sass_sound(room + at, BYTES, &p), !at);
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
