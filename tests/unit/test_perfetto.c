/*
 * tests/unit/test_perfetto.c - protocol buffers as they are written, and texts by number
 *
 * What whole files hold is checked by tests/golden/perfetto and tests/e2e/perfetto.sh.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/unit/within.h"

#include "writers/perfetto/intern.h"
#include "writers/perfetto/proto.h"

static void assert_bytes(struct gt_text *t, const void *wanted, size_t n)
{
	assert_int_equal(t->used, n);
	assert_memory_equal(t->data, wanted, n);
	t->used = 0;
}

static uint64_t take_varint(const struct gt_text *t, size_t *at)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char byte = (unsigned char)t->data[(*at)++];

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
}

/* spec: protobuf encoding, the examples for 150, for -2 as int32, for "testing" in field 2 */
static void values_are_encoded_as_the_specification_says(void **state)
{
	struct gt_text t = { 0 };

	(void)state;
	gt_proto_u64(&t, 1, 150);
	assert_bytes(&t, "\x08\x96\x01", 3);
	gt_proto_i64(&t, 1, -2);
	assert_bytes(&t, "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
	gt_proto_string(&t, 2, "testing", 7);
	assert_bytes(&t, "\x12\x07testing", 9);
	gt_proto_double(&t, 5, 1.0);
	assert_bytes(&t, "\x29\0\0\0\0\0\0\xf0\x3f", 9);
	gt_proto_u64(&t, 58, 64);
	assert_bytes(&t, "\xd0\x03\x40", 3);
	gt_text_free(&t);
}

/* A message's length stands before it, whatever bytes it takes; also of a message inside that one. */
static void lengths_of_any_size_stand_before_messages(void **state)
{
	static const size_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 2097152 };
	struct gt_text t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		size_t outer = gt_proto_begin(&t, 1), inner, n = 0, length;

		gt_proto_u64(&t, 2, 7);
		inner = gt_proto_begin(&t, 3);
		for (size_t k = 0; k < sizes[i]; k++)
			gt_text_char(&t, (char)k);
		gt_proto_end(&t, inner);
		gt_proto_end(&t, outer);
		assert_int_equal(take_varint(&t, &n), 1 << 3 | 2);
		length = take_varint(&t, &n);
		assert_int_equal(length, t.used - n);
		assert_int_equal(take_varint(&t, &n), 2 << 3);
		assert_int_equal(take_varint(&t, &n), 7);
		assert_int_equal(take_varint(&t, &n), 3 << 3 | 2);
		assert_int_equal(take_varint(&t, &n), sizes[i]);
		assert_int_equal(t.used - n, sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			if (t.data[n + k] != (char)k)
				fail_msg("byte %zu of %zu", k, sizes[i]);
		t.used = 0;
	}
	gt_text_free(&t);
}

/* A string of the format is UTF-8. */
static void bytes_that_are_no_text_are_replaced(void **state)
{
	struct gt_text t = { 0 };

	(void)state;
	gt_proto_string(&t, 1, "a\xff\xc3\xa4z", 5);
	assert_bytes(&t, "\x0a\x07" "a\xef\xbf\xbd\xc3\xa4z", 9);
	gt_text_free(&t);
}

/* One text, one number; each kind counts for itself; what is new is told once. */
static void a_text_keeps_its_number(void **state)
{
	char again[] = "clFinish";
	struct gt_intern *in = malloc(sizeof *in);
	size_t told;

	(void)state;
	assert_true(in && gt_intern_open(in));
	assert_int_equal(gt_intern_fixed(in, GT_INTERN_NAME, "clFinish", 8), 1);
	assert_int_equal(gt_intern_text(in, GT_INTERN_NAME, "clFlush", 7), 2);
	assert_int_equal(gt_intern_text(in, GT_INTERN_VALUE, "clFlush", 7), 1);
	told = in->fresh.used;
	assert_int_equal(gt_intern_fixed(in, GT_INTERN_NAME, again, 8), 1);
	assert_int_equal(gt_intern_fixed(in, GT_INTERN_NAME, again, 8), 1);
	assert_int_equal(in->fresh.used, told);
	gt_intern_close(in);
	free(in);
}

/* When the table is full it is cleared, and numbers begin anew. */
static void a_full_table_begins_anew(void **state)
{
	struct gt_intern *in = malloc(sizeof *in);
	char text[16];
	uint32_t n = 0;

	(void)state;
	assert_true(in && gt_intern_open(in));
	for (; !gt_intern_full(in); n++) {
		snprintf(text, sizeof text, "%u", n);
		assert_int_equal(gt_intern_text(in, GT_INTERN_NAME, text, strlen(text)), n + 1);
	}
	assert_within(n, 1000, GT_INTERN_TEXTS - 1);
	gt_intern_clear(in);
	assert_false(gt_intern_full(in));
	assert_int_equal(gt_intern_text(in, GT_INTERN_NAME, "0", 1), 1);
	assert_false(in->failed);
	gt_intern_close(in);
	free(in);
}

/* Long texts fill the table by their bytes. */
static void memory_of_texts_is_bounded(void **state)
{
	struct gt_intern *in = malloc(sizeof *in);
	char *text = calloc(1, 100000);

	(void)state;
	assert_true(in && text && gt_intern_open(in));
	for (unsigned n = 0; !gt_intern_full(in); n++) {
		memcpy(text, &n, sizeof n);
		gt_intern_text(in, GT_INTERN_VALUE, text, 100000);
		in->fresh.used = 0;
	}
	assert_within(in->texts.used, GT_INTERN_BYTES, GT_INTERN_BYTES + 100000);
	gt_intern_close(in);
	free(in);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_encoded_as_the_specification_says),
		cmocka_unit_test(lengths_of_any_size_stand_before_messages),
		cmocka_unit_test(bytes_that_are_no_text_are_replaced),
		cmocka_unit_test(a_text_keeps_its_number),
		cmocka_unit_test(a_full_table_begins_anew),
		cmocka_unit_test(memory_of_texts_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
