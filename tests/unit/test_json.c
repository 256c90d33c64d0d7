/*
 * tests/unit/test_json.c - common/json.c, cli/json.c: always valid JSON in valid UTF-8
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "cli/json.h"

#define TABLE "T\t1\n" \
	"E\tkind\tenum\nV\t1\tONE\nV\t-5\tMINUS_FIVE\nE\tbits\tflags\nV\t1\tLOW\nV\t2\tMIDDLE\nV\t7\tALL\n" \
	"S\tpair\t16\nM\tkind\t0\tenum\t4\tkind\nM\tname\t4\tchar\t8\t-\n" \
	"Q\tinfo\t1\tchar\t-\t1\nQ\tinfo\t2\tu32\t-\t0\nQ\tinfo\t3\tsize\t-\t1\n" \
	"Q\tinfo\t4\tstruct\tpair\t1\nQ\tinfo\t5\tenum\tkind\t0\n"

static struct gt_fntable *table;
static struct gt_text t;

static int begin(void **state)
{
	struct gt_err err;

	(void)state;
	return gt_fntable_parse(TABLE, sizeof TABLE - 1, &table, &err);
}

static int end(void **state)
{
	(void)state;
	gt_fntable_free(table);
	gt_text_free(&t);
	return 0;
}

static void expect(const char *text)
{
	gt_text_char(&t, 0);
	t.used = 0;
	assert_string_equal(t.data, text);
}

static void strings_are_escaped(void **state)
{
	(void)state;
	gt_json_string(&t, "a\"b\\c\n\t\1\x7f\0z", 11);
	expect("\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\\u0000z\"");
	gt_json_string(&t, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9);
	expect("\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

/* Overlong forms, surrogates, what is beyond Unicode, lone and cut sequences: one replacement a byte. */
static void bytes_that_are_no_utf8_are_replaced(void **state)
{
	static const struct { const char *bytes; unsigned n; } bad[] = {
		{ "\x80", 1 }, { "\xff", 1 }, { "\xc0\xaf", 2 }, { "\xe0\x80\xaf", 3 }, { "\xed\xa0\x80", 3 },
		{ "\xf4\x90\x80\x80", 4 }, { "\xe2\x82", 2 },
			{ "\xf0\x9f\x98", 3 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[64] = "\"";

		for (unsigned k = 0; k < bad[i].n; k++)
			strcat(text, "\xef\xbf\xbd");
		strcat(text, "\"");
		gt_json_string(&t, bad[i].bytes, bad[i].n);
		expect(text);
	}
}

static void scalars_follow_their_class(void **state)
{
	const struct gt_enum *kind = gt_fntable_enum(table, "kind"), *bits = gt_fntable_enum(table, "bits");

	(void)state;
	gt_json_scalar(&t, GT_ENUM, kind, 1, 4);
	expect("\"ONE\"");
	gt_json_scalar(&t, GT_ERROR, kind, 0xfffffffbu, 4);
	expect("\"MINUS_FIVE\"");
	gt_json_scalar(&t, GT_ERROR, kind, 0xfffffffau, 4);
	expect("-6");
	gt_json_scalar(&t, GT_ENUM, kind, 9, 4);
	expect("9");
	gt_json_scalar(&t, GT_FLAGS, bits, 3, 8);
	expect("\"LOW|MIDDLE\"");
	gt_json_scalar(&t, GT_FLAGS, bits, 7, 8);
	expect("\"ALL\"");
	gt_json_scalar(&t, GT_FLAGS, bits, 0x12, 8);
	expect("\"MIDDLE|0x10\"");
	gt_json_scalar(&t, GT_FLAGS, bits, 0, 8);
	expect("\"0x0\"");
	gt_json_scalar(&t, GT_HANDLE, NULL, 0, 8);
	expect("null");
	gt_json_scalar(&t, GT_HANDLE, NULL, 0xabc, 8);
	expect("\"0xabc\"");
	gt_json_scalar(&t, GT_U64, NULL, UINT64_MAX, 8);
	expect("18446744073709551615");
	gt_json_scalar(&t, GT_F32, NULL, 0x7fc00000, 4);
	expect("\"nan\"");
	gt_json_scalar(&t, GT_F32, NULL, 0x3fc00000, 4);
	expect("1.5");
}

static void info_answers_read_as_the_table_says(void **state)
{
	static const uint64_t sizes[2] = { 4, 5 };
	static const struct { uint32_t kind; char name[12]; } pair = { 1, "abcdefghijk" };
	static const uint32_t u = 77, one = 1;

	(void)state;
	gt_json_query(&t, table, "info", 1, "name\0rest", 9);
	expect("\"name\"");
	gt_json_query(&t, table, "info", 2, &u, 4);
	expect("77");
	gt_json_query(&t, table, "info", 2, &u, 0);
	expect("null");
	gt_json_query(&t, table, "info", 3, sizes, 16);
	expect("[4,5]");
	gt_json_query(&t, table, "info", 3, sizes, 0);
	expect("[]");
	gt_json_query(&t, table, "info", 4, &pair, 16);
	expect("[{\"kind\":\"ONE\",\"name\":\"abcdefgh\"}]");
	gt_json_query(&t, table, "info", 5, &one, 4);
	expect("\"ONE\"");
	gt_json_query(&t, table, "info", 99, "\1\2", 2);
	expect("\"0102\"");
}

static void fields_are_separated_by_commas(void **state)
{
	(void)state;
	gt_text_char(&t, '{');
	gt_json_field_i64(&t, "a", -1);
	gt_json_field_bool(&t, "b", true);
	gt_json_field_hex(&t, "d", 16);
	gt_json_field_str(&t, "e", "x");
	gt_text_char(&t, '}');
	expect("{\"a\":-1,\"b\":true,\"d\":\"0x10\",\"e\":\"x\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
		cmocka_unit_test(scalars_follow_their_class),
		cmocka_unit_test(info_answers_read_as_the_table_says),
		cmocka_unit_test(fields_are_separated_by_commas),
	};

	return cmocka_run_group_tests_name("json", tests, begin, end);
}
