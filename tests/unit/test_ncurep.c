/*
 * tests/unit/test_ncurep.c - analysis/sections/report_write.c, report_read.c: what is written is read, damage is named
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

#include "analysis/sections/page.h"
#include "analysis/sections/report_file.h"

static const struct gt_ncurep_session session = { .pid = 10, .created_s = 1700000000, .host = "h", .process = "app",
	.os = "Linux", .arch = "x86_64", .version = "1.0" };

static struct gt_string str(const char *s) { return (struct gt_string){ s, strlen(s) }; }

static struct gt_action_metric *add(struct gt_action *a, const char *name, const char *unit)
{
	struct gt_action_metric *m = gt_action_add(a, str(name));

	assert_non_null(m);
	m->unit = str(unit);
	return m;
}

/* Two kernels with every kind of value. */
static void make(struct gt_actions *as)
{
	struct gt_instance *pcs;
	struct gt_action *a;

	*as = (struct gt_actions){ 0 };
	pcs = gt_arena_alloc(&as->arena, 2 * sizeof *pcs);
	pcs[0] = (struct gt_instance){ gt_metric_integer(0x7f00001000), gt_metric_integer(3) };
	pcs[1] = (struct gt_instance){ { .type = GT_METRIC_TEXT, .text = "FFMA" }, gt_metric_double(0.5) };
	for (int i = 0; i < 2; i++) {
		a = GT_LIST_ADD(&as->all);
		assert_non_null(a);
		*a = (struct gt_action){ .pid = 10, .thread = 11, .process = str("app"), .host = str("h"), .call = 7,
			.function = str("f"), .demangled = str("f(int)"), .mangled = str("_Z1fi"), .dims = 3,
			.grid = { 4, 2, 1 }, .block = { 128, 1, 1 }, .has_context = true, .context = 1,
			.has_stream = true, .stream = 7, .stream_name = str("Stream 7"), .created_s = 1700000001 };
		add(a, "launch__grid_size", "blocks")->value.regular = gt_metric_integer(8);
		add(a, "launch__waves_per_multiprocessor", "")->value.regular = gt_metric_double(2);
		add(a, "device__attribute_compute_capability_major", "")->value.regular = gt_metric_integer(9);
		add(a, "device__attribute_compute_capability_minor", "")->value.regular = gt_metric_integer(0);
		add(a, "device__attribute_display_name", "")->value.regular =
			(struct gt_metric_value){ .type = GT_METRIC_TEXT, .text = "GPU" };
		add(a, "inst_executed", "")->value = (struct gt_instanced){ gt_metric_integer(18446744073709551615ull),
			pcs, 2 };
		add(a, "dram__bytes.sum", "bytes")->why = str("not collected");
	}
	add(&as->all.v[1], "only__second", "")->value.regular = gt_metric_double(-0.25);
}

static struct gt_text file_of(const struct gt_actions *as)
{
	struct gt_text t = { 0 };

	gt_ncurep_put(&t, as, &session);
	assert_false(t.failed);
	return t;
}

static char *raw_page(const struct gt_actions *as)
{
	const struct gt_page_options o = { .page = GT_PAGE_RAW };
	struct gt_text t = { 0 };

	gt_page_put(&t, as, &o);
	gt_text_char(&t, 0);
	assert_false(t.failed);
	return t.data;
}

static void what_is_written_is_read(void **state)
{
	struct gt_actions as, back = { 0 };
	struct gt_ncurep_facts facts;
	const struct gt_action_metric *m;
	struct gt_text file;
	struct gt_err err;
	char *is, *should;

	(void)state;
	make(&as);
	file = file_of(&as);
	assert_memory_equal(file.data, "NVR\0\2\0\0\0\10\7", 10);
	if (gt_ncurep_parse(&back, "t", file.data, file.used, &facts, &err))
		fail_msg("%s", err.what);
	assert_int_equal(facts.blocks, 3);
	assert_int_equal(facts.strings, 8);
	assert_int_equal(facts.results[GT_WORK_KERNEL], 2);
	assert_int_equal(back.all.n, 2);
	assert_int_equal(back.all.v[0].capability, 90);
	assert_int_equal(back.all.v[0].grid[1], 2);
	assert_int_equal(back.all.v[1].created_s, 1700000001);
	m = gt_action_metric(&back.all.v[1], str("inst_executed"));
	assert_int_equal(m->value.n, 2);
	assert_int_equal(m->value.instances[0].id.integer, 0x7f00001000);
	assert_string_equal(m->value.instances[1].id.text, "FFMA");
	assert_true(m->value.instances[1].value.real == 0.5);
	m = gt_action_metric(&back.all.v[0], str("dram__bytes.sum"));
	assert_false(gt_action_available(m));
	assert_int_equal(m->why.bytes, 13);
	assert_null(gt_action_metric(&back.all.v[0], str("only__second")));
	/* The device's name came back from its metric. */
	for (uint32_t i = 0; i < as.all.n; i++) {
		as.all.v[i].capability = 90;
		as.all.v[i].device_name = str("GPU");
	}
	should = raw_page(&as);
	is = raw_page(&back);
	assert_string_equal(is, should);
	free(is);
	free(should);
	gt_text_free(&file);
	gt_actions_close(&as);
	gt_actions_close(&back);
}

/* Texts of a program may be anything, those of a report are UTF-8. */
static void texts_are_utf8(void **state)
{
	struct gt_actions as, back = { 0 };
	struct gt_text file;
	struct gt_err err;

	(void)state;
	make(&as);
	as.all.v[0].function = str("a\xff\xc3\xa4\xc3");
	file = file_of(&as);
	assert_int_equal(gt_ncurep_parse(&back, "t", file.data, file.used, NULL, &err), 0);
	assert_int_equal(back.all.v[0].function.bytes, 9);
	assert_memory_equal(back.all.v[0].function.text, "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd", 9);
	gt_text_free(&file);
	gt_actions_close(&as);
	gt_actions_close(&back);
}

/* Genuine files have names in a block behind the result; and fields that nobody here knows. */
static void names_may_come_later(void **state)
{
	static const char file[] =
		"NVR\0" "\2\0\0\0" "\x08\x07"
		/* a block with one result: NumResults 1, PayloadSize 12 + 4 */
		"\4\0\0\0" "\x10\x01" "\x28\x10"
		"\x0c\0\0\0" "\x6a\x04" "\x08\x00" "\x12\x00" "\xa2\x3f\x03" "abc"
		/* a block with the string "x" */
		"\5\0\0\0" "\x22\x03" "\x0a\x01" "x";
	struct gt_actions as = { 0 };
	struct gt_err err;

	(void)state;
	if (gt_ncurep_parse(&as, "t", file, sizeof file - 1, NULL, &err))
		fail_msg("%s", err.what);
	assert_int_equal(as.all.n, 1);
	assert_int_equal(as.all.v[0].metrics.n, 1);
	assert_non_null(gt_action_metric(&as.all.v[0], str("x")));
	gt_actions_close(&as);
	/* without the second block the name is not there */
	assert_int_equal(gt_ncurep_parse(&as, "t", file, sizeof file - 10, NULL, &err), -1);
	assert_string_equal(err.what, "t: a metric's name is text 0 of 0");
	gt_actions_close(&as);
}

static void expect_error(const char *file, size_t bytes, const char *what)
{
	struct gt_actions as = { 0 };
	struct gt_err err = { 0 };

	assert_int_equal(gt_ncurep_parse(&as, "t", file, bytes, NULL, &err), -1);
	assert_string_equal(err.what, what);
	assert_int_equal(err.kind, GT_EXIT_INPUT);
	gt_actions_close(&as);
}

static void damage_is_named_with_its_byte(void **state)
{
	(void)state;
	expect_error("NVQ", 4, "t: no report: it does not begin with NVR");
	expect_error("", 0, "t: no report: it does not begin with NVR");
	expect_error("NVR\0\2\0\0\0\10\6", 10, "t: a report of version 6; 7 is the oldest that is read");
	expect_error("NVR\0\2\0", 6, "t: damaged at byte 4: the file's header claims 4 bytes, 2 are left");
	expect_error("NVR\0\2\0\0\0\10\7\xff\0\0\0", 14,
		"t: damaged at byte 10: a block's header claims 255 bytes, 0 are left");
	expect_error("NVR\0\2\0\0\0\10\7\2\0\0\0\x28\x7f", 16,
		"t: damaged at byte 10: a block claims 127 bytes, 0 are left");
	expect_error("NVR\0\2\0\0\0\10\7\2\0\0\0\x10\x01", 16,
		"t: damaged at byte 16: an entry of a block claims 4 bytes, 0 are left");
	expect_error("NVR\0\2\0\0\0\10\7\2\0\0\0\x0a\x7f", 16,
		"t: damaged at byte 14: a field is longer than what holds it");
}

/* Cut anywhere, and changed anywhere: an error or another report, with pages, and never more. */
static void any_damage_ends_well(void **state)
{
	struct gt_actions as;
	struct gt_text file;
	uint64_t random = 88172645463325252ull;
	char *copy;

	(void)state;
	make(&as);
	file = file_of(&as);
	copy = malloc(file.used);
	for (unsigned n = 0; n < 20000; n++) {
		struct gt_actions back = { 0 };
		size_t bytes = n < file.used ? n : file.used;
		struct gt_err err;

		memcpy(copy, file.data, file.used);
		for (unsigned i = 0; n >= file.used && i < 1 + n % 3; i++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			copy[random % file.used] = (char)(random >> 40);
		}
		if (!gt_ncurep_parse(&back, "t", copy, bytes, NULL, &err))
			free(raw_page(&back));
		gt_actions_close(&back);
	}
	free(copy);
	gt_text_free(&file);
	gt_actions_close(&as);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(texts_are_utf8),
		cmocka_unit_test(names_may_come_later),
		cmocka_unit_test(damage_is_named_with_its_byte),
		cmocka_unit_test(any_damage_ends_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
