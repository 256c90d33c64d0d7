/*
 * tests/unit/test_section.c - analysis/sections/section.c: folders of section files, options and filters
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

#include "analysis/sections/section.h"

static char folder[200];

static void put(const char *name, const char *text)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char path[400];

	(void)state;
	snprintf(folder, sizeof folder, "%s/sections-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/more", folder);
	return mkdir(path, 0700);
}

static int remove_folder(void **state)
{
	char command[500];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

static struct gt_sections load(bool recursive)
{
	const struct gt_sections_options o = { .recursive = recursive };
	struct gt_sections s = { 0 };
	struct gt_err err;

	if (gt_sections_load(&s, folder, &o, &err))
		fail_msg("%s", err.what);
	gt_sections_sort(&s);
	return s;
}

/* Only .section files, in order; one that is wrong is not available and says why, the others stand. */
static void wrong_file_harms_no_other(void **state)
{
	struct gt_sections s;
	char says[500];

	(void)state;
	put("b.section", "Identifier: 'Late' DisplayName: 'L' Order: 9 Sets { Identifier: 'full' }");
	put("a.section", "Identifier: 'Early' DisplayName: 'E' Order: 1");
	put("c.section", "Identifier: 'With blank' DisplayName: 'W'");
	put("d.section", "Identifier: 'Early'\nDisplayName: 'again'");
	put("e.section", "Identifier: 'Open' DisplayName: 'O' Header {");
	put("f.txt", "Identifier: 'Text' DisplayName: 'T'");
	put("more/g.section", "Identifier: 'Deep' DisplayName: 'D'");
	s = load(false);
	assert_int_equal(s.n, 5);
	assert_memory_equal(s.v[0].id.text, "Early", 5);
	assert_memory_equal(s.v[1].id.text, "Late", 4);
	assert_non_null(gt_sections_find(&s, "Late"));
	assert_true(gt_section_in_set(gt_sections_find(&s, "Late"), "full"));
	assert_false(gt_section_in_set(gt_sections_find(&s, "Late"), "ful"));
	assert_null(gt_sections_find(&s, "Deep"));
	assert_null(gt_sections_find(&s, "Open"));
	snprintf(says, sizeof says, "%s/c.section:1:1: an Identifier has no blanks", folder);
	for (uint32_t i = 2; i < 5; i++) {
		assert_null(s.v[i].message);
		if (strstr(s.v[i].path, "/c."))
			assert_string_equal(s.v[i].error, says);
		if (strstr(s.v[i].path, "/d."))
			assert_non_null(strstr(s.v[i].error, "/d.section:1:1: Early is the Identifier of "));
		if (strstr(s.v[i].path, "/e."))
			assert_non_null(strstr(s.v[i].error, "/e.section:1:45: ProfilerSectionHeader without its '}'"));
	}
	gt_sections_close(&s);
	s = load(true);
	assert_int_equal(s.n, 6);
	assert_non_null(gt_sections_find(&s, "Deep"));
	gt_sections_close(&s);
}

/* An expression that is none makes its section unavailable, and says where. */
static void wrong_expression_is_named(void **state)
{
	struct gt_sections s;

	(void)state;
	put("a.section", "Identifier: 'A' DisplayName: 'A'\n"
			 "MetricDefinitions { MetricDefinitions { Name: 'derived__x'\n"
			 "Expression: 'a + b + c' } }");
	s = load(false);
	assert_int_equal(s.n, 1);
	assert_null(s.v[0].message);
	assert_non_null(strstr(s.v[0].error, "/a.section:3:1: the Expression, byte 7: only two operands are combined"));
	gt_sections_close(&s);
}

static void missing_folder_is_named(void **state)
{
	struct gt_sections s = { 0 };
	struct gt_err err;

	(void)state;
	assert_int_equal(gt_sections_load(&s, "/such a folder", &(struct gt_sections_options){ 0 }, &err), -1);
	assert_string_equal(err.what, "/such a folder: No such file or directory");
	gt_sections_close(&s);
}

/* ------------------------------------------------------------------ metrics */

static bool take(void *ctx, const struct gt_section_metric *m)
{
	char *out = ctx;

	sprintf(out + strlen(out), "%s%.*s%s%s", *out ? " " : "", (int)m->name.bytes, m->name.text,
		m->required ? "!" : "", m->in_body ? "@" : "");
	return true;
}

static const char *metrics_of(const char *text, uint32_t capability, enum gt_scope scope)
{
	static char out[1000];
	const struct gt_target target = { capability, scope };
	struct gt_arena a = { 0 };
	struct gt_message *m;
	struct gt_err err;
	struct gt_section section;

	out[0] = 0;
	if (gt_message_parse(&a, &gt_type_ProfilerSection, "t", text, strlen(text), true, NULL, &m, &err))
		fail_msg("%s", err.what);
	section = (struct gt_section){ .message = m };
	assert_true(gt_section_metrics(&section, &target, take, out));
	gt_arena_free(&a);
	return out;
}

#define HEAD "Identifier: 'a' DisplayName: 'A' "

/* spec: NCU "Metric Options and Filters", the first example: 7.0, and 7.5 to 8.6, none between. */
static void first_option_that_passes_takes_the_place(void **state)
{
	static const char text[] = HEAD
		"Header { Metrics { Label: 'DRAM Frequency' Name: 'base' Filter { MaxArch: CC_70 }"
		" Options { Name: 'option' Filter { MinArch: CC_75 MaxArch: CC_86 } }"
		" Options { Name: 'second' Filter { MinArch: CC_80 } } } }";

	(void)state;
	assert_string_equal(metrics_of(text, 60, GT_SCOPE_LAUNCH), "base");
	assert_string_equal(metrics_of(text, 70, GT_SCOPE_LAUNCH), "base");
	assert_string_equal(metrics_of(text, 72, GT_SCOPE_LAUNCH), "");
	assert_string_equal(metrics_of(text, 75, GT_SCOPE_LAUNCH), "option");
	assert_string_equal(metrics_of(text, 86, GT_SCOPE_LAUNCH), "option");
	assert_string_equal(metrics_of(text, 90, GT_SCOPE_LAUNCH), "second");
	assert_string_equal(metrics_of(text, 120, GT_SCOPE_LAUNCH), "second");
}

/* The second example: only where single launches are measured. */
static void scope_and_importance_are_looked_at(void **state)
{
	static const char text[] = HEAD "Header { Metrics { Name: 'm' Filter { CollectionFilter {"
		" CollectionScopes: CollectionScope_Launch Importance: CollectionImportance_Required } } }"
		" Metrics { Name: 'n' } }";

	(void)state;
	assert_string_equal(metrics_of(text, 80, GT_SCOPE_LAUNCH), "m! n");
	assert_string_equal(metrics_of(text, 80, GT_SCOPE_RANGE), "n");
}

/* The third example writes the word of the choice without the choice's name before it. */
static void words_may_lack_the_name_of_their_choice(void **state)
{
	static const char text[] = HEAD "Header {"
		" Metrics { Name: 'm' Filter { CollectionFilter { Importance: Required } } }"
		" Metrics { Name: 'n' Filter { CollectionFilter { CollectionScopes: Range Importance: Optional } } } }";

	(void)state;
	assert_string_equal(metrics_of(text, 80, GT_SCOPE_LAUNCH), "m!");
	assert_string_equal(metrics_of(text, 80, GT_SCOPE_RANGE), "m! n");
}

/* What a metric's filter says counts more than the section's; what it does not say is the section's. */
static void filter_of_the_metric_counts_more(void **state)
{
	static const char text[] = HEAD
		"Filter { MinArch: CC_80 CollectionFilter { CollectionScopes: CollectionScope_Range } }"
		" Header { Metrics { Name: 'as_section' } Metrics { Name: 'older' Filter { MaxArch: CC_75 } }"
		" Metrics { Name: 'launch'"
		"   Filter { CollectionFilter { CollectionScopes: CollectionScope_Launch } } } }";

	(void)state;
	assert_string_equal(metrics_of(text, 90, GT_SCOPE_RANGE), "as_section");
	assert_string_equal(metrics_of(text, 70, GT_SCOPE_RANGE), "older");
	assert_string_equal(metrics_of(text, 90, GT_SCOPE_LAUNCH), "launch");
	assert_string_equal(metrics_of(text, 0, GT_SCOPE_RANGE), "as_section older");
}

/* Wherever a metric may stand it is found; an item of a body has a filter of its own. */
static void metrics_are_found_everywhere(void **state)
{
	static const char text[] = HEAD
		"Metrics { Order: 2 Metrics { Name: 'group' } } Header { Metrics { Name: 'header' } }"
		" Body { Items { Table { Columns: 1 Metrics { Name: 'regex:t.*' } } }"
		" Items { Filter { MinArch: CC_90 } BarChart { Metrics { Name: 'bar' } } }"
		" Items { HorizontalContainer { Items { HistogramChart { Metric { Name: 'histogram' } } } } }"
		" Items { RooflineChart { AchievedValues { AchievedWork { Metric { Name: 'work' } }"
		"   AchievedTraffic { Constant: 1 } } } }"
		" Items { Timeline { MetricGroups { MetricRows { Metrics { Name: 'row' } } } } } }";

	(void)state;
	assert_string_equal(
		metrics_of(text, 90, GT_SCOPE_LAUNCH), "group header regex:t.*@ bar@ histogram@ work@ row@");
	assert_string_equal(metrics_of(text, 80, GT_SCOPE_LAUNCH), "group header regex:t.*@ histogram@ work@ row@");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wrong_file_harms_no_other, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(wrong_expression_is_named, make_folder, remove_folder),
		cmocka_unit_test(missing_folder_is_named),
		cmocka_unit_test(first_option_that_passes_takes_the_place),
		cmocka_unit_test(scope_and_importance_are_looked_at),
		cmocka_unit_test(words_may_lack_the_name_of_their_choice),
		cmocka_unit_test(filter_of_the_metric_counts_more),
		cmocka_unit_test(metrics_are_found_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
