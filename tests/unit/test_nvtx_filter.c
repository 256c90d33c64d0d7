/*
 * tests/unit/test_nvtx_filter.c - expressions of ranges and of names: common/plain/nvtx_filter.c, regex.c
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "common/plain/nvtx_filter.h"

enum { STEPS = 4096, DOMAINS = 4, RANGES = 8 };
static struct gc_regex_op steps[STEPS];

/* ------------------------------------------------------------------ regular expressions */

static bool fits(const char *expression, const char *text, bool whole)
{
	struct gc_regex r;
	const char *wrong = gc_regex_make(&r, expression, strlen(expression), steps, STEPS);

	if (wrong)
		fail_msg("%s: %s", expression, wrong);
	return gc_regex_fits(&r, text, strlen(text), whole);
}

static void expressions_fit_what_they_say(void **state)
{
	static const struct { const char *expression, *text; bool found, whole; } all[] = {
		{ "", "", true, true },
		{ "", "a", true, false },
		{ "a", "cab", true, false },
		{ "a", "", false, false },
		{ "a*b", "aaab", true, true },
		{ "a+b", "b", false, false },
		{ "a?b", "aab", true, false },
		{ "^a?b$", "aab", false, false },
		{ "a{2}", "aa", true, true },
		{ "a{2}", "aaa", true, false },
		{ "^a{2,3}$", "aaaa", false, false },
		{ "^a{2,}$", "aaaa", true, true },
		{ "^a{0,2}$", "", true, true },
		{ "xa{0}y", "xy", true, true },
		{ "(ab|cd)+e", "abcde", true, true },
		{ "(?:a|b|c)d", "cd", true, true },
		{ "a|b|c", "b", true, true },
		{ "^(a|)$", "", true, true },
		{ "(a*)*b", "aaaaaaaaaaaaaaaaaaaaac", false, false },
		{ "[a-c]+", "abcb", true, true },
		{ "[^a-c]", "abc", false, false },
		{ "[]a]+", "]a", true, true },
		{ "[a\\-z]+", "-z", true, true },
		{ "[\\d_]+", "12_3", true, true },
		{ "\\w+\\s\\W", "ab1 .", true, true },
		{ "\\bcat\\b", "a cat.", true, false },
		{ "\\bcat\\b", "scat", false, false },
		{ "\\Bat", "cat", true, false },
		{ "a\\.b", "axb", false, false },
		{ "^.$", "\xc3\xa9", true, true },
		{ "^[^x]$", "\xc3\xa9", true, true },
		{ "gemm_(nn|tn)_[0-9]+x[0-9]+", "sgemm_tn_128x64", true, false },
		{ "a{x}", "a{x}", true, true },
		{ "(a{2}b){2}", "aabaab", true, true },
		{ "a+?b", "aab", true, true },
		{ "$", "abc", true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (fits(all[i].expression, all[i].text, false) != all[i].found ||
			fits(all[i].expression, all[i].text, true) != all[i].whole)
			fail_msg("%s on %s", all[i].expression, all[i].text);
}

/* Refused, and nothing is read or written beyond its room: the sanitizers' builds look. */
static void what_is_no_expression_is_refused(void **state)
{
	static const char *const all[] = { "(", ")", "a)", "[a", "*a", "+", "a**b|*", "(?=a)", "\\", "\\q", "[z-a]",
		"a{300}", "a{3,2}", "((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))",
		"(((a{99}){99}){99}){99}" };
	struct gc_regex r;

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!gc_regex_make(&r, all[i], strlen(all[i]), steps, STEPS) && strcmp(all[i], "a**b|*"))
			fail_msg("taken: %s", all[i]);
	assert_non_null(gc_regex_make(&r, "abcdefgh", 8, steps, 4));
	assert_false(gc_regex_fits(&r, "abcdefgh", 8, false));
}

static void no_expression_takes_long(void **state)
{
	char text[4001];

	(void)state;
	memset(text, 'a', 4000);
	text[4000] = 0;
	assert_false(fits("^(a+)+(a|aa)*(a?){20}b", text, false));
}

/* ------------------------------------------------------------------ ranges */

struct domain { char name[40], text[2][RANGES][40]; struct gc_word ranges[2][RANGES]; size_t n[2]; };
struct state { struct domain domain[DOMAINS]; size_t n; };

static bool filter_fits(const struct state *s, const char *text, const char **wrong)
{
	struct gc_nvtx_filter f;
	size_t used = 0;
	bool any = false;

	*wrong = gc_nvtx_filter_make(&f, text, strlen(text), steps, STEPS, &used);
	for (size_t i = 0; i < s->n && !*wrong; i++) {
		const struct domain *d = &s->domain[i];
		const struct gc_nvtx_open open = { i ? d->name : NULL, strlen(d->name), d->ranges[0], d->ranges[1],
			d->n[0], d->n[1] };

		any |= gc_nvtx_filter_fits(&f, &open);
	}
	return any;
}

static void add_range(struct domain *d, bool started, const char *text)
{
	size_t at = d->n[started]++;

	assert_true(at < RANGES);
	snprintf(d->text[started][at], sizeof d->text[0][0], "%s", text);
	d->ranges[started][at] = (struct gc_word){ d->text[started][at], strlen(text) };
}

/* The table that Python's matcher is tested with too. */
static void the_table(void **state)
{
	static struct state s;
	char path[4096], line[256];
	unsigned asked = 0;
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/unit/nvtx_filters.txt", getenv("GPUTAP_TESTS"));
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char *rest = line + strcspn(line, " ");
		const char *wrong;
		bool expected;

		line[strcspn(line, "\n")] = 0;
		rest += *rest == ' ';
		if (!strncmp(line, "open", 4)) {
			s = (struct state){ .n = 1 };
		} else if (!strncmp(line, "domain ", 7)) {
			assert_true(s.n < DOMAINS);
			snprintf(s.domain[s.n++].name, sizeof s.domain->name, "%s", rest);
		} else if (!strncmp(line, "pushed ", 7) || !strncmp(line, "started ", 8)) {
			add_range(&s.domain[s.n - 1], line[0] == 's', rest);
		} else if (!strncmp(line, "yes", 3) || !strncmp(line, "no", 2)) {
			expected = line[0] == 'y';
			if (filter_fits(&s, rest, &wrong) != expected || wrong)
				fail_msg("%s: %s", rest, wrong ? wrong : expected ? "does not fit" : "fits");
			asked++;
		}
	}
	fclose(f);
	assert_int_equal(asked, 127);
}

static void wrong_filters_say_why(void **state)
{
	static const struct state s = { .n = 1 };
	char many[300] = "";
	const char *wrong;

	(void)state;
	filter_fits(&s, "regex:(/", &wrong);
	assert_string_equal(wrong, "a group is not closed");
	for (int i = 0; i < 40; i++)
		strcat(many, "a/b/");
	filter_fits(&s, many, &wrong);
	assert_string_equal(wrong, "it has too many parts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_fit_what_they_say),
		cmocka_unit_test(what_is_no_expression_is_refused),
		cmocka_unit_test(no_expression_takes_long),
		cmocka_unit_test(the_table),
		cmocka_unit_test(wrong_filters_say_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
