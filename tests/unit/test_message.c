/*
 * tests/unit/test_message.c - analysis/sections: messages from text and bytes, what is refused and where
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "analysis/sections/message.h"

struct fixture { struct gt_arena arena; struct gt_err err; char notes[1000]; };

static void note(void *ctx, const char *path, uint32_t line, uint32_t column, const char *what)
{
	struct fixture *f = ctx;
	size_t used = strlen(f->notes);

	assert_string_equal(path, "a.section");
	snprintf(f->notes + used, sizeof f->notes - used, "%u:%u: %s\n", line, column, what);
}

static const struct gt_message *parse(struct fixture *f, const char *text, bool strict)
{
	const struct gt_text_notes notes = { note, f };
	struct gt_message *m;

	memset(f, 0, sizeof *f);
	if (gt_message_parse(&f->arena, &gt_type_ProfilerSection, "a.section", text, strlen(text), strict, &notes, &m,
		    &f->err))
		return NULL;
	return m;
}

static bool text_is(struct gt_string s, const char *is)
{
	return s.bytes == strlen(is) && !memcmp(s.text, is, s.bytes);
}

/* spec: NCU "Section Files", the second example, in the forms that section files use */
static const char guide[] =
	"Identifier: \"SampleSection\"\n"
	"DisplayName: 'Sample' \" Section\" # in two pieces\n"
	"Order: 0x10;\n"
	"Sets { Identifier: \"full\" } Sets { Identifier: \"basic\" }\n"
	"Header {\n"
	"  Metrics { Label: \"Active Warps\" Name: \"smsp__active_warps_avg\" },\n"
	"  Metrics: < Label: \"Active \\x43ycles\\041\" Name: \"smsp__active_cycles_avg\" ShowInstances: 1 >\n"
	"}\n"
	"Body { Items { Table { Label: \"Metrics Table\" Columns: 2 Order: ColumnMajor\n"
	"  Metrics { Name: \"regex:.*__elapsed_cycles_sum\" Groups: [\"a\", \"b\"]\n"
	"    Filter { MinArch: CC_121 MaxArch: 80\n"
	"      CollectionFilter { CollectionScopes: CollectionScope_Launch } } } } } }\n"
	"Filter { Items { MinArch: CC_70 } }\n";

static void forms_of_section_files_are_read(void **state)
{
	const struct gt_message *m, *table, *metric, *filter;
	const struct gt_message_value *v;
	struct fixture f;

	(void)state;
	m = parse(&f, guide, true);
	if (!m)
		fail_msg("%s", f.err.what);
	assert_true(text_is(gt_message_text(m, "Identifier"), "SampleSection"));
	assert_true(text_is(gt_message_text(m, "DisplayName"), "Sample Section"));
	assert_int_equal(gt_message_integer(m, "Order", 0), 16);
	v = gt_message_next(m, "Sets", gt_message_next(m, "Sets", NULL));
	assert_true(text_is(gt_message_text(v->part, "Identifier"), "basic"));
	v = gt_message_next(gt_message_part(m, "Header"), "Metrics", NULL);
	v = gt_message_next(NULL, "Metrics", v);
	assert_true(text_is(gt_message_text(v->part, "Label"), "Active Cycles!"));
	assert_int_equal(gt_message_integer(v->part, "ShowInstances", 0), 1);
	assert_int_equal(v->line, 7);
	assert_int_equal(v->column, 3);
	table = gt_message_part(gt_message_part(gt_message_part(m, "Body"), "Items"), "Table");
	assert_int_equal(gt_message_integer(table, "Order", 0), 1);
	metric = gt_message_part(table, "Metrics");
	v = gt_message_next(metric, "Groups", gt_message_next(metric, "Groups", NULL));
	assert_true(text_is(v->text, "b"));
	filter = gt_message_part(metric, "Filter");
	assert_int_equal(gt_message_integer(filter, "MinArch", 0), 121);
	assert_int_equal(gt_message_integer(filter, "MaxArch", 0), 80);
	assert_string_equal(f.notes, "");
	gt_arena_free(&f.arena);
}

/* Newer files write the description of a metric as a text. */
static void part_with_a_text_may_be_a_text(void **state)
{
	const struct gt_message *m;
	struct fixture f;

	(void)state;
	m = parse(&f, "Identifier: 'a' DisplayName: 'A' Header { Metrics { Name: 'm' Description: 'why' } }", true);
	assert_non_null(m);
	m = gt_message_part(gt_message_part(gt_message_part(m, "Header"), "Metrics"), "Description");
	assert_true(text_is(gt_message_text(m, "Text"), "why"));
	gt_arena_free(&f.arena);
}

static void unknown_field_is_left_out_and_told(void **state)
{
	static const char text[] =
		"Identifier: 'a' DisplayName: 'A'\nColour { deep: [1, <x: 'y'>] more {} }\nFlag: true Order: 3\n";
	const struct gt_message *m;
	struct fixture f;

	(void)state;
	m = parse(&f, text, false);
	assert_non_null(m);
	assert_int_equal(gt_message_integer(m, "Order", 0), 3);
	assert_string_equal(f.notes, "2:1: ProfilerSection has no field Colour: it is left out\n"
				     "3:1: ProfilerSection has no field Flag: it is left out\n");
	gt_arena_free(&f.arena);
	assert_null(parse(&f, text, true));
	assert_string_equal(f.err.what, "a.section:2:1: ProfilerSection has no field Colour");
	gt_arena_free(&f.arena);
}

/* Each is wrong in one place, which the message names. */
static void what_is_wrong_is_named_with_its_place(void **state)
{
	static const struct { const char *text, *says; } cases[] = {
		{ "DisplayName: \"a\"", "a.section:1:1: ProfilerSection lacks Identifier" },
		{ "Identifier \"a\"", "a.section:1:12: a ':' is missing after Identifier" },
		{ "Identifier: \"a", "a.section:1:13: a text without its end" },
		{ "Identifier: \"a\\", "a.section:1:15: a text without its end" },
		{ "Identifier: \"\\q\"", "a.section:1:14: an unknown escape in a text" },
		{ "Identifier: a", "a.section:1:13: Identifier wants a text in quotes, not a" },
		{ "Identifier: \"a\" Identifier: \"b\"", "a.section:1:17: Identifier stands twice in ProfilerSection" },
		{ "Identifier: \"a\"\nOrder: -1",
			"a.section:2:8: Order wants an integer that is not negative, not -1" },
		{ "Identifier: \"a\"\nOrder: 4294967296",
			"a.section:2:8: Order wants a number of 32 bits, not 4294967296" },
		{ "Identifier: \"a\"\nOrder: x", "a.section:2:8: Order wants an integer that is not negative, not x" },
		{ "Identifier: \"a\"\nHeader: 3", "a.section:2:9: Header wants a message in { }" },
		{ "Identifier: \"a\"\nHeader { Rows: 1", "a.section:2:9: ProfilerSectionHeader without its '}'" },
		{ "Identifier: \"a\" }", "a.section:1:17: '}' stands where the name of a field should" },
		{ "Identifier: \"a\"\nBody { Items { Table { Label: \"t\" } } }",
			"a.section:2:23: ProfilerSectionTable lacks Columns" },
		{ "Identifier: \"a\"\nFilter { MinArch: CC_7x }",
			"a.section:2:19: MinArch: no GpuArch is called CC_7x" },
		{ "Identifier: \"a\"\nBody { SetDefault: 2 }",
			"a.section:2:20: SetDefault wants true or false, not 2" },
		{ "Identifier: \"a\" Sets [ { Identifier: \"b\" }", "a.section:1:43: a list of Sets without its ]" },
		{ "Identifier: \"a\" Unknown: {", "a.section:1:27: the text ends inside a message" },
		{ "Identifier: \"a\" Unknown: }", "a.section:1:26: a value is missing" },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (parse(&f, cases[i].text, false))
			fail_msg("taken: %s", cases[i].text);
		assert_string_equal(f.err.what, cases[i].says);
		gt_arena_free(&f.arena);
	}
}

static void depth_is_bounded(void **state)
{
	char text[4000] = "Identifier: \"a\" Body { Items {";
	struct fixture f;

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(text, "HorizontalContainer{Items{");
	assert_null(parse(&f, text, false));
	assert_non_null(strstr(f.err.what, "more than 64 messages inside each other"));
	gt_arena_free(&f.arena);
}

/* Any one byte changed, and any end cut off: an answer, never a crash (the sanitizers' build looks at memory). */
static void broken_texts_have_an_answer(void **state)
{
	char text[sizeof guide];
	struct fixture f;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof guide; i++)
		for (const char *c = "\"{}<>[]:,;#\\\n\xff"; *c; c++) {
			memcpy(text, guide, sizeof guide);
			text[i] = *c;
			parse(&f, text, false);
			gt_arena_free(&f.arena);
			text[i] = 0;
			parse(&f, text, true);
			gt_arena_free(&f.arena);
		}
}

/* ------------------------------------------------------------------ bytes */

static struct gt_message *decode(struct fixture *f, const struct gt_message_type *type, const void *data, size_t n)
{
	struct gt_message *m;

	memset(f, 0, sizeof *f);
	return gt_message_decode(&f->arena, type, "r.ncu-rep", 100, data, n, &m, &f->err) ? NULL : m;
}

/* The head of every report: version 7. */
static void number_of_a_version_is_two_bytes(void **state)
{
	struct gt_arena a = { 0 };
	struct gt_text t = { 0 };
	struct gt_message *m = gt_message_new(&a, &gt_type_FileHeader);

	(void)state;
	assert_true(gt_message_add_integer(&a, m, "Version", 7));
	gt_message_encode(&t, m);
	assert_int_equal(t.used, 2);
	assert_memory_equal(t.data, "\x08\x07", 2);
	gt_text_free(&t);
	gt_arena_free(&a);
}

static void what_was_written_is_read_again(void **state)
{
	struct gt_text once = { 0 }, twice = { 0 };
	struct fixture f, g, broken;
	struct gt_message *again;
	const struct gt_message *m;

	(void)state;
	m = parse(&f, guide, true);
	gt_message_encode(&once, m);
	again = decode(&g, &gt_type_ProfilerSection, once.data, once.used);
	assert_non_null(again);
	assert_true(text_is(gt_message_text(again, "DisplayName"), "Sample Section"));
	gt_message_encode(&twice, again);
	assert_int_equal(once.used, twice.used);
	assert_memory_equal(once.data, twice.data, once.used);
	for (size_t n = 0; n < once.used; n++)      /* cut off anywhere, or one byte changed */
		for (int byte = 0; byte < 256; byte += 17) {
			char keep = once.data[n];

			decode(&broken, &gt_type_ProfilerSection, once.data, n);
			gt_arena_free(&broken.arena);
			once.data[n] = (char)byte;
			decode(&broken, &gt_type_ProfilerSection, once.data, once.used);
			gt_arena_free(&broken.arena);
			once.data[n] = keep;
		}
	gt_text_free(&once);
	gt_text_free(&twice);
	gt_arena_free(&f.arena);
	gt_arena_free(&g.arena);
}

/* Field 1000 of a message, a fixed number and a text: extensions of others. */
static void last_of_a_number_that_stands_there_twice_counts(void **state)
{
	struct fixture f;
	struct gt_message *m = decode(&f, &gt_type_FileHeader, "\x08\x07\x08\x08", 4);

	(void)state;
	assert_non_null(m);
	assert_int_equal(gt_message_integer(m, "Version", 0), 8);
	gt_arena_free(&f.arena);
}

static void unknown_fields_in_bytes_are_skipped(void **state)
{
	static const char data[] = "\xc2\x3e\x03xyz\xc1\x3e\1\2\3\4\5\6\7\x8\x08\x07";
	struct fixture f;
	struct gt_message *m = decode(&f, &gt_type_FileHeader, data, sizeof data - 1);

	(void)state;
	assert_non_null(m);
	assert_int_equal(gt_message_integer(m, "Version", 0), 7);
	gt_arena_free(&f.arena);
}

static void damaged_bytes_are_named_with_their_place(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(decode(&f, &gt_type_FileHeader, "\x08\x07\x08\x80", 4));
	assert_string_equal(f.err.what, "r.ncu-rep: damaged at byte 102: a number without its end");
	gt_arena_free(&f.arena);
	assert_null(decode(&f, &gt_type_ProfilerSection, "\x0a\x05" "ab", 4));
	assert_string_equal(f.err.what, "r.ncu-rep: damaged at byte 100: a field is longer than what holds it");
	gt_arena_free(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_section_files_are_read),
		cmocka_unit_test(part_with_a_text_may_be_a_text),
		cmocka_unit_test(unknown_field_is_left_out_and_told),
		cmocka_unit_test(what_is_wrong_is_named_with_its_place),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(broken_texts_have_an_answer),
		cmocka_unit_test(number_of_a_version_is_two_bytes),
		cmocka_unit_test(what_was_written_is_read_again),
		cmocka_unit_test(unknown_fields_in_bytes_are_skipped),
		cmocka_unit_test(last_of_a_number_that_stands_there_twice_counts),
		cmocka_unit_test(damaged_bytes_are_named_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
