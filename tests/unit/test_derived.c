/*
 * tests/unit/test_derived.c - analysis/sections/derived.c: expressions, and the five cases of the guide
 *
 * A metric is written as its regular value and its instances: "6 | 1:2 3:4", "| 2 4", "2." (a double), "-" (none),
 * "'x'".
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "analysis/sections/derived.h"

static struct gt_metric_value value(struct gt_arena *a, const char *s, size_t n)
{
	char text[64];

	if (!n || (n == 1 && *s == '-'))
		return gt_metric_none("");
	if (*s == '\'')
		return (struct gt_metric_value){ .type = GT_METRIC_TEXT, .text = gt_arena_copy(a, s + 1, n - 2) };
	snprintf(text, sizeof text, "%.*s", (int)n, s);
	return memchr(s, '.', n) ? gt_metric_double(atof(text)) : gt_metric_integer(strtoull(text, NULL, 10));
}

static struct gt_instanced metric(struct gt_arena *a, const char *s)
{
	struct gt_instanced m = { .instances = gt_arena_alloc(a, 32 * sizeof *m.instances) };
	bool instances = false;

	while (*s) {
		size_t n = strcspn(s, " ");
		const char *colon = memchr(s, ':', n);

		if (*s == '|') {
			instances = true;
		} else if (!instances) {
			m.regular = value(a, s, n);
		} else {
			if (colon)
				m.instances[m.n].id = value(a, s, (size_t)(colon - s));
			m.instances[m.n++].value =
				colon ? value(a, colon + 1, n - (size_t)(colon + 1 - s)) : value(a, s, n);
		}
		s += n;
		s += strspn(s, " ");
	}
	return m;
}

static void put(char *out, const struct gt_metric_value *v)
{
	switch (v->type) {
	case GT_METRIC_NONE: strcat(out, "-"); break;
	case GT_METRIC_INTEGER: sprintf(out + strlen(out), "%llu", (unsigned long long)v->integer); break;
	case GT_METRIC_DOUBLE: sprintf(out + strlen(out), "%g.", v->real); break;
	case GT_METRIC_TEXT: sprintf(out + strlen(out), "'%s'", v->text); break;
	}
}

static const char *combined(const char *left, char operator, const char *right, enum gt_derived_mode mode)
{
	static char out[400];
	struct gt_arena a = { 0 };
	struct gt_instanced l = metric(&a, left), r = metric(&a, right), m;

	assert_true(gt_derived_combine(&a, operator, &l, &r, mode, &m));
	out[0] = 0;
	put(out, &m.regular);
	for (uint32_t i = 0; i < m.n; i++) {
		strcat(out, i ? " " : " | ");
		if (m.instances[i].id.type != GT_METRIC_NONE) {
			put(out, &m.instances[i].id);
			strcat(out, ":");
		}
		put(out, &m.instances[i].value);
	}
	gt_arena_free(&a);
	return out;
}

static const struct row { const char *left, operator, *right, *guide, *ncu; } rows[] = {
	/* 1: regular values; the left side's kind; a text stays; integer 0 divides nothing, 0. does */
	{ "6", '+', "4", "10", "10" },
	{ "6", '-', "4.9", "2", "2" },
	{ "6.", '-', "4", "2.", "2." },
	{ "7", '/', "2", "3", "3" },
	{ "7.", '/', "2", "3.5.", "3.5." },
	{ "7.", '/', "0", "7.", "7." },
	{ "7", '/', "0", "7", "7" },
	{ "7", '/', "0.", "7", "7" },
	{ "7.", '/', "0.", "inf.", "inf." },
	{ "'x'", '*', "2", "'x'", "'x'" },
	{ "2", '*', "'x'", "0", "0" },
	{ "-", '+', "1", "-", "-" },
	{ "1", '+', "-", "-", "-" },
	/* 2: no ids: the first ones; what the left side has beyond them stays */
	{ "10 | 1 2 3 4", '+', "5 | 10 20", "15 | 11 22 3 4", "40 | 11 22 3 4" },
	{ "10 | 1 2", '*', "5 | 3 4 5 6", "50 | 3 8", "11 | 3 8" },
	{ "10 | 1 2", '*', "2", "20 | 1 2", "3 | 1 2" },
	/* 3: ids of both sides; one of a side alone keeps its value */
	{ "1 | 1:10 2:20 4:40", '+', "2 | 1:1 3:3 4:4 5:5", "3 | 1:11 2:20 4:44 3:3 5:5",
		"83 | 1:11 2:20 4:44 3:3 5:5" },
	{ "8 | 1:10 2:20", '/', "2 | 2:5 3:3", "4 | 1:10 2:4 3:3", "14 | 1:10 2:4" },
	{ "1 | 'a':10 'b':20", '-', "1 | 'b':5", "0 | 'a':10 'b':15", "25 | 'a':10 'b':15" },
	/* 4: ids of the left side alone: the right side's regular value with each */
	{ "1 | 1:10 2:20", '*', "3", "3 | 1:30 2:60", "90 | 1:30 2:60" },
	{ "1 | 1:10 2:20", '*', "- | 5 6", "- | 1:10 2:20", "30 | 1:10 2:20" },
	/* 5: ids of the right side alone: folded from the left */
	{ "100", '+', "1 | 1:1 2:2 3:3", "106", "306 | 1:101 2:102 3:103" },
	{ "100", '-', "1 | 1:1 2:2 3:3", "94", "294 | 1:99 2:98 3:97" },
	{ "100", '/', "1 | 1:2 2:5", "10", "70 | 1:50 2:20" },
	{ "100", '*', "1 | 1:2 2:3", "600", "500 | 1:200 2:300" },
	/* an integer 0 leaves each element as it is, in every case */
	{ "100", '/', "1 | 1:0 2:5", "20", "120 | 1:100 2:20" },
	{ "4 | 1:8 2:9", '/', "0", "4 | 1:8 2:9", "17 | 1:8 2:9" },
	{ "1 | 6 8", '/', "1 | 0 2", "1 | 6 4", "10 | 6 4" },
	{ "1 | 1:6 2:8", '/', "1 | 1:0 2:2", "1 | 1:6 2:4", "10 | 1:6 2:4" },
	/* the left side's kind, of each element */
	{ "1 | 1:10 2:20", '+', "2.9 | 1:1.9 3:3.9", "3 | 1:11 2:20 3:3", "34 | 1:11 2:20 3:3" },
	{ "1. | 1:10.", '+', "2 | 3:3", "3. | 1:10. 3:3.", "13. | 1:10. 3:3." },
	{ "1 | 6 8", '*', "1 | 1.5 2.5", "1 | 6 16", "22 | 6 16" },
	{ "1 | 1:6 2:8", '*', "2.5", "2 | 1:12 2:16", "28 | 1:12 2:16" },
	{ "100", '-', "1 | 1:1.9 2:2.9", "97", "197 | 1:99 2:98" },
	/* a text on the left comes back as it is: the regular value and the elements, in every case */
	{ "'x'", '/', "0", "'x'", "'x'" },
	{ "'x' | 1 2", '+', "1 | 1 2", "'x' | 1 2", "'x' | 1 2" },
	{ "1 | 'a' 'b'", '+', "1 | 1 2", "1 | 'a' 'b'", "1 | 'a' 'b'" },
	{ "- | 1:'a' 2:'b'", '+', "1 | 1:1 3:3", "- | 1:'a' 2:'b'", "- | 1:'a' 2:'b'" },
	{ "- | 1:'a' 2:'b'", '*', "3", "- | 1:'a' 2:'b'", "- | 1:'a' 2:'b'" },
	{ "'x'", '+', "1 | 1:1 2:2", "'x'", "'x'" },
	/* a text on the right is converted, and is no number: 0 */
	{ "7", '/', "'x'", "7", "7" },
	{ "7.", '/', "'x'", "inf.", "inf." },
	{ "10 | 1 2", '+', "1 | 'a' 5", "11 | 1 7", "8 | 1 7" },
	{ "10 | 1:10 2:20", '+', "1 | 1:'a' 3:'b'", "11 | 1:10 2:20 3:0", "30 | 1:10 2:20 3:0" },
	{ "10 | 1:10 2:20", '-', "'x'", "10 | 1:10 2:20", "30 | 1:10 2:20" },
	{ "10 | 1:10 2:20", '*', "'x'", "0 | 1:0 2:0", "0 | 1:0 2:0" },
	{ "100", '-', "1 | 1:'a' 2:5", "95", "195 | 1:100 2:95" },
	/* ids that are texts are ids as others are */
	{ "1 | 'f':1. 'g':2.", '+', "1 | 'g':5 'h':7", "2 | 'f':1. 'g':7. 'h':7.", "15. | 'f':1. 'g':7. 'h':7." },
	/* an empty metric has nothing to combine */
	{ "-", '+', "-", "-", "-" },
};

static void each_case_is_as_the_guide_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		const char *is = combined(r->left, r->operator, r->right, GT_DERIVED_GUIDE);

		if (strcmp(is, r->guide))
			fail_msg("%s %c %s: %s, not %s", r->left, r->operator, r->right, is, r->guide);
	}
}

static void compatible_mode_is_as_genuine_reports_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		const char *is = combined(r->left, r->operator, r->right, GT_DERIVED_NCU);

		if (strcmp(is, r->ncu))
			fail_msg("%s %c %s: %s, not %s", r->left, r->operator, r->right, is, r->ncu);
	}
}

/* ------------------------------------------------------------------ expressions */

static void expression_is_two_operands(void **state)
{
	static const char text[] = " thread_inst_executed_true.sum/ 32. ";
	struct gt_derived d;
	size_t at;

	(void)state;
	assert_null(gt_derived_parse(text, sizeof text - 1, &d, &at));
	assert_int_equal(d.left.name.bytes, 29);
	assert_memory_equal(d.left.name.text, "thread_inst_executed_true.sum", 29);
	assert_int_equal(d.operator, '/');
	assert_int_equal(d.right.name.bytes, 0);
	assert_int_equal(d.right.constant.type, GT_METRIC_DOUBLE);
	assert_true(d.right.constant.real == 32.0);
	assert_null(gt_derived_parse("2029*0.3109", 11, &d, &at));
	assert_int_equal(d.left.constant.type, GT_METRIC_INTEGER);
	assert_int_equal(d.left.constant.integer, 2029);
	assert_true(d.right.constant.real == 0.3109);
}

static void wrong_expressions_are_named(void **state)
{
	static const struct { const char *text, *says; size_t at; } cases[] = {
		{ "", "a metric or a constant is missing", 0 },
		{ "a", "one of + - * / is missing", 1 },
		{ "a b", "one of + - * / is missing", 2 },
		{ "a +", "a metric or a constant is missing", 3 },
		{ "a + b + c", "only two operands are combined", 6 },
		{ "(a + b)", "a metric or a constant is missing", 0 },
		{ "a * 5x", "a constant that is no number of the form 5, 5. or 0.5", 6 },
		{ "a * 99999999999999999999", "a constant that is no number of the form 5, 5. or 0.5", 24 },
	};
	struct gt_derived d;
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *bad = gt_derived_parse(cases[i].text, strlen(cases[i].text), &d, &at);

		assert_non_null(bad);
		assert_string_equal(bad, cases[i].says);
		assert_int_equal(at, cases[i].at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case_is_as_the_guide_says),
		cmocka_unit_test(compatible_mode_is_as_genuine_reports_are),
		cmocka_unit_test(expression_is_two_operands),
		cmocka_unit_test(wrong_expressions_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
