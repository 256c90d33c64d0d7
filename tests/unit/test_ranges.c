/*
 * tests/unit/test_ranges.c - NVTX records become ranges
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/nvtx/ranges.h"
#include "tests/tracebuild.h"

#define TRACE "ranges.gputap"

static const char table[] = "T\t1\n";

/* One process, one thread on the first stream; a tick is a nanosecond. */
static struct tb_stream *begin(struct tb **tb, struct tb_process **p)
{
	struct tb_stream *s;

	*tb = tb_open(TRACE);
	tb_table(*tb, table, sizeof table - 1);
	*p = tb_process(*tb, 100);
	tb_fact(*p, "start_tick", "1000");
	s = tb_stream(*p);
	tb_thread(s, 1000, 100, 1, "main");
	tb_clock(s, 1000, 1000);
	tb_clock(s, 1001000, 1001000);
	return s;
}

static struct gt_model *finish(struct tb *tb)
{
	struct gt_model *m;
	struct gt_err err = { 0 };

	tb_close(tb);
	assert_int_equal(gt_model_open(TRACE, NULL, &m, &err), 0);
	return m;
}

static void end(struct gt_model *m)
{
	gt_model_close(m);
	tb_remove(TRACE);
}

static uint64_t event(struct tb_stream *s, uint64_t tick, enum rec_nvtx_kind kind, int domain, const char *text)
{
	uint64_t words[64] = { tick, (uint64_t)kind | REC_NVTX_TEXT << 8 };

	return tb_record(s, REC_NVTX_EVENT, 0, domain, words, tb_put_text(words, 2, text, (uint32_t)strlen(text)));
}

static void pop(struct tb_stream *s, uint64_t tick, int domain)
{
	tb_record(s, REC_NVTX_POP, 0, domain, W(tick));
}

static const struct gt_range *named(const struct gt_model *m, const char *text)
{
	for (uint64_t i = 0; i < gt_model_range_count(m); i++) {
		const struct gt_range *g = gt_model_range(m, i);

		if (g->text.text && !strcmp(g->text.text, text))
			return g;
	}
	fail_msg("no range %s", text);
	return NULL;
}

static int64_t length(const struct gt_range *g) { return g->end_ns - g->start_ns; }

/* A pop ends the innermost push of its own domain, whatever other domains have open. */
static void pops_end_pushes_of_their_domain(void **state)
{
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *s = begin(&tb, &p);

	(void)state;
	event(s, 2000, REC_NVTX_PUSH, 0, "a");
	event(s, 2100, REC_NVTX_PUSH, 7, "other");
	event(s, 2200, REC_NVTX_PUSH, 0, "b");
	pop(s, 2300, 0);
	pop(s, 2400, 0);
	pop(s, 2500, 7);
	pop(s, 2600, 7);                /* one too many: ends nothing */
	struct gt_model *m = finish(tb);

	assert_int_equal(gt_model_range_count(m), 3);
	assert_int_equal(length(named(m, "a")), 400);
	assert_int_equal(length(named(m, "b")), 100);
	assert_int_equal(length(named(m, "other")), 400);
	assert_int_equal(named(m, "b")->level, 1);
	assert_int_equal(named(m, "other")->level, 0);
	assert_true(gt_model_complete(m));
	end(m);
}

/* A start may end on another thread, even one whose stream stands before it in the trace. */
static void ends_find_their_start_on_any_thread(void **state)
{
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *first = begin(&tb, &p), *second = tb_stream(p);
	uint64_t id, open;

	(void)state;
	tb_thread(second, 1500, 101, 0, "other");
	id = event(second, 2000, REC_NVTX_START, 0, "across");
	open = event(second, 2100, REC_NVTX_START, 0, "open");
	assert_int_not_equal(id, open);
	tb_record(first, REC_NVTX_END, 0, 0, W(2700, id));
	tb_record(first, REC_NVTX_END, 0, 0, W(2800, 12345));
	struct gt_model *m = finish(tb);
	const struct gt_range *g = named(m, "across");

	assert_int_equal(length(g), 700);
	assert_int_equal(gt_model_thread(m, g->thread)->tid, 101);
	assert_int_equal(gt_model_thread(m, g->end_thread)->tid, 100);
	assert_int_equal(g->id, id);
	assert_true(named(m, "open")->end_ns == GT_NO_TIME);
	end(m);
}

/* The next thread on a stream does not pop what the one before it left open. */
static void threads_on_one_stream_have_stacks_of_their_own(void **state)
{
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *s = begin(&tb, &p);

	(void)state;
	event(s, 2000, REC_NVTX_PUSH, 0, "left open");
	tb_thread_end(s, 2100, 100);
	tb_thread(s, 2200, 101, 0, "next");
	pop(s, 2300, 0);
	event(s, 2400, REC_NVTX_PUSH, 0, "own");
	pop(s, 2500, 0);
	struct gt_model *m = finish(tb);

	assert_true(named(m, "left open")->end_ns == GT_NO_TIME);
	assert_int_equal(length(named(m, "own")), 100);
	assert_int_equal(named(m, "own")->level, 0);
	end(m);
}

/* Color, payload and a registered string, defined by another thread, are all in one record. */
static void attributes_are_read(void **state)
{
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *s = begin(&tb, &p), *other = tb_stream(p);
	uint64_t words[16] = { 1600, (uint64_t)REC_NVTX_STRING | REC_NVTX_WIDE << 8, 5 };
	const uint32_t wide[] = { 'x', 0xe9, 0x1f680, 0xd800 };

	(void)state;
	tb_thread(other, 1500, 101, 0, "other");
	tb_record(other, REC_NVTX_NAME, 0, 0, words, tb_put_text(words, 3, (const char *)wide, sizeof wide));
	tb_record(s, REC_NVTX_EVENT, 0, 0,
		W(2000,
			(uint64_t)REC_NVTX_MARK | REC_NVTX_REGISTERED << 8 | (REC_NVTX_COLOR | REC_NVTX_PAYLOAD) << 16 |
				9ull << 32,
			0xff102030, PAIR(2, 8), (uint64_t)-3, 5));
	struct gt_model *m = finish(tb);

	assert_int_equal(gt_model_range_count(m), 1);
	const struct gt_range *g = gt_model_range(m, 0);

	assert_string_equal(g->text.text, "x\xc3\xa9\xf0\x9f\x9a\x80\xef\xbf\xbd");
	assert_true(g->registered && g->has_color);
	assert_int_equal(g->color, 0xff102030);
	assert_int_equal(g->category, 9);
	assert_int_equal(g->payload_type, 2);
	assert_true((int64_t)g->payload == -3);
	end(m);
}

/* A record whose parts do not fit in it is damage, counted, and makes no range. */
static void records_that_claim_too_much_are_damage(void **state)
{
	struct tb *tb;
	struct tb_process *p;
	struct tb_stream *s = begin(&tb, &p);

	(void)state;
	tb_record(s, REC_NVTX_EVENT, 0, 0, W(2000, REC_NVTX_MARK | REC_NVTX_TEXT << 8, 4000));
	tb_record(s, REC_NVTX_EVENT, 0, 0,
		W(2000, REC_NVTX_MARK | REC_NVTX_PAYLOAD << 16, PAIR(REC_NVTX_SCHEMA_DATA, UINT32_MAX)));
	tb_record(s, REC_NVTX_EVENT, 0, 0, W(2000, REC_NVTX_MARK | REC_NVTX_COLOR << 16));
	tb_record(s, REC_NVTX_EVENT, 0, 0, W(2000, 77));
	tb_record(s, REC_NVTX_EVENT, 0, 0, W(2000, REC_NVTX_MARK | REC_NVTX_REGISTERED << 8));
	tb_record(s, REC_NVTX_NAME, 0, 0, W(2000, REC_NVTX_CATEGORY | REC_NVTX_TEXT << 8, 1));
	event(s, 2100, REC_NVTX_MARK, 0, "good");
	struct gt_model *m = finish(tb);

	assert_int_equal(gt_model_range_count(m), 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_DAMAGED), 6);
	assert_int_equal(gt_model_range_name_count(m), 0);
	end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pops_end_pushes_of_their_domain),
		cmocka_unit_test(ends_find_their_start_on_any_thread),
		cmocka_unit_test(threads_on_one_stream_have_stacks_of_their_own),
		cmocka_unit_test(attributes_are_read),
		cmocka_unit_test(records_that_claim_too_much_are_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
