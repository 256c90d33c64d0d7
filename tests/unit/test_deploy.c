/*
 * tests/unit/test_deploy.c - analysis/sections/deploy.c: gputap's own section files, and where users edit them
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
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "analysis/metrics/metrics.h"
#include "analysis/sections/deploy.h"
#include "analysis/sections/section.h"

static char folder[200], from[300], to[300];

static void put(const char *where, const char *name, const char *text)
{
	char path[700];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", where, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* "" when it is not there. */
static const char *held(const char *name)
{
	static char text[100];
	char path[700];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", to, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(text, 1, sizeof text - 1, f);
		fclose(f);
	}
	text[n] = 0;
	return text;
}

static void discard(const char *where, const char *name)
{
	char path[700];

	snprintf(path, sizeof path, "%s/%s", where, name);
	assert_int_equal(remove(path), 0);
}

static void deploy(void)
{
	struct gt_err err;

	if (gt_stock_deploy(from, to, ".section", &err))
		fail_msg("%s", err.what);
}

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof folder, "%s/deploy-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	snprintf(from, sizeof from, "%s/from", folder);
	snprintf(to, sizeof to, "%s/home/data/sections", folder);
	return mkdir(from, 0700);
}

static int remove_folder(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

/* What the user edited stays; what nobody touched follows a new version, and goes with a file that is no more. */
static void edited_files_stay_and_others_follow(void **state)
{
	(void)state;
	put(from, "a.section", "one");
	put(from, "b.section", "two");
	put(from, "c.section", "three");
	put(from, "notes.txt", "none of ours");
	deploy();
	assert_string_equal(held("a.section"), "one");
	assert_string_equal(held("notes.txt"), "");
	put(to, "b.section", "two, edited");
	put(to, "own.section", "the user's");
	put(from, "a.section", "one, newer");
	put(from, "b.section", "two, newer");
	discard(from, "c.section");
	deploy();
	assert_string_equal(held("a.section"), "one, newer");
	assert_string_equal(held("b.section"), "two, edited");
	assert_string_equal(held("c.section"), "");
	assert_string_equal(held("own.section"), "the user's");
	deploy();
	assert_string_equal(held("a.section"), "one, newer");
	assert_string_equal(held("b.section"), "two, edited");
}

/* A file of the same name that was there before is the user's; marks that are none harm nothing. */
static void files_that_were_there_are_the_users(void **state)
{
	(void)state;
	put(to, ".deployed", "nonsense\n0123456789abcdef \nffffffffffffffff ../../from/a.section\n");
	put(to, "a.section", "a user's own");
	deploy();
	assert_string_equal(held("a.section"), "a user's own");
	discard(to, "a.section");
	deploy();
	assert_string_equal(held("a.section"), "one, newer");
}

static void folder_that_cannot_be_made_says_so(void **state)
{
	struct gt_err err;

	(void)state;
	assert_int_equal(gt_stock_deploy(from, "/proc/gputap/sections", ".section", &err), -1);
	assert_string_equal(err.what, "/proc/gputap/sections cannot be made");
}

/* ------------------------------------------------------------------ the files that come with gputap */

static bool is_ours(void *ctx, const struct gt_section_metric *m)
{
	char name[200];

	++*(unsigned *)ctx;
	snprintf(name, sizeof name, "%.*s", (int)m->name.bytes, m->name.text);
	if ((!strncmp(name, "opencl__", 8) || !strncmp(name, "cpu__", 5) || !strncmp(name, "launch__", 8) ||
		    !strncmp(name, "sm__maximum", 11)) &&
		!gt_metric_find(name))
		fail_msg("%s: %s is no metric of gputap's", m->section->path, name);
	return true;
}

/* Every file is right in every word, in a set, described, and names no launch metric that does not exist. */
static void stock_sections_are_right(void **state)
{
	const struct gt_sections_options o = { .strict = true };
	const struct gt_target target = { .scope = GT_SCOPE_LAUNCH };
	const char *tests = getenv("GPUTAP_TESTS");
	struct gt_sections s = { 0 };
	unsigned metrics = 0;
	struct gt_err err;
	char path[500];

	(void)state;
	snprintf(path, sizeof path, "%s/../analysis/sections/stock", tests ? tests : "tests");
	if (gt_sections_load(&s, path, &o, &err))
		fail_msg("%s", err.what);
	assert_int_equal(s.n, 15);
	for (uint32_t i = 0; i < s.n; i++) {
		if (s.v[i].error)
			fail_msg("%s", s.v[i].error);
		assert_true(s.v[i].description.bytes > 40);
		assert_true(s.v[i].order != UINT32_MAX);
		assert_non_null(gt_message_next(s.v[i].message, "Sets", NULL));
		if (s.v[i].extends.bytes) {
			char parent[100];

			snprintf(parent, sizeof parent, "%.*s", (int)s.v[i].extends.bytes, s.v[i].extends.text);
			assert_non_null(gt_sections_find(&s, parent));
		}
		gt_section_metrics(&s.v[i], &target, is_ours, &metrics);
	}
	assert_true(metrics > 200);
	gt_sections_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edited_files_stay_and_others_follow),
		cmocka_unit_test(files_that_were_there_are_the_users),
		cmocka_unit_test(folder_that_cannot_be_made_says_so),
		cmocka_unit_test(stock_sections_are_right),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
