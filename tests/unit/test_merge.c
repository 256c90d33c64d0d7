/*
 * tests/unit/test_merge.c - trace/read/merge.c, cursor.c and fetch.c on built traces
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/tracebuild.h"
#include "tests/unit/onetrace.h"
#include "tests/unit/randomness.h"
#include "trace/read/merge.h"
#include "trace/read/reader.h"

#define FN 0x433u

static struct gt_merge *open_merge(struct gt_reader *r, int process, int64_t from, int64_t to)
{
	struct gt_merge *m = NULL;
	struct gt_err err = { 0 };

	if (gt_merge_open(r, process, from, to, &m, &err) < 0)
		fail_msg("%s", err.what);
	return m;
}

static int next(struct gt_merge *m, struct gt_rec *rec)
{
	struct gt_err err = { 0 };
	int rc = gt_merge_next(m, rec, &err);

	if (rc < 0)
		fail_msg("%s", err.what);
	return rc;
}

/* A process whose ticks are ns of CLOCK_MONOTONIC; starts at 1000. */
static struct tb_process *process_at(struct tb *tb, int pid)
{
	struct tb_process *p = tb_process(tb, pid);

	tb_fact(p, "start_tick", "1000");
	return p;
}

static void clocks(struct tb_stream *s)
{
	tb_clock(s, 1000, 1000);
	tb_clock(s, 1001000, 1001000);
}

/*
 * Calls written at their end come out by their start; of two that start together, the enclosing one first, but for one
 * that took no tick: it was over before the others began.
 */
static void enclosing_call_comes_first(void **state)
{
	struct tb *tb = tb_open(path);
	struct tb_stream *s = tb_stream(process_at(tb, 10));
	static const uint64_t expect[] = { 9, 4, 1, 2, 3, 5 };
	struct gt_reader *r;
	struct gt_merge *m;
	struct gt_rec rec;

	(void)state;
	clocks(s);
	tb_call(s, FN, 5000, 10, 0, W(2));
	tb_call(s, FN, 5000, 10, 0, W(3));
	tb_call(s, FN, 5000, 100, 0, W(1));
	tb_call(s, FN, 5000, 0, 0, W(4));
	tb_call(s, FN, 5001, 0, 0, W(5));
	tb_call(s, FN, 4000, 9000, 0, W(9));
	tb_close(tb);

	r = open_reader();
	m = open_merge(r, -1, GT_NO_TIME, GT_NO_TIME);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(next(m, &rec), 1);
		assert_int_equal(rec.args[0], expect[i]);
	}
	assert_int_equal(next(m, &rec), 0);
	gt_merge_close(m);
	gt_reader_close(r);
}

#define STREAMS 3
#define CALLS 20000

/* Three streams over many blocks and chunks; every 1000th call spans all before it. Arguments: stream, number. */
static void build_three_streams(void)
{
	struct tb *tb = tb_open(path);
	struct tb_process *p = process_at(tb, 10);
	struct tb_stream *s[STREAMS];
	uint64_t now[STREAMS];

	for (unsigned i = 0; i < STREAMS; i++) {
		s[i] = tb_stream(p);
		now[i] = 2000;
		tb_thread(s[i], 1500, 100 + i, i == 0, "worker");
	}
	clocks(s[0]);
	for (uint32_t n = 0; n < CALLS; n++) {
		for (unsigned i = 0; i < STREAMS; i++) {
			uint64_t duration = random_below(50);

			now[i] += random_below(3);        /* ties within and between streams */
			if (n % 1000 == 999)
				tb_call(s[i], FN, 2000 + n / 1000, now[i] - 2000, 0, W(i, n));
			else
				tb_call(s[i], FN, now[i], duration, 0, W(i, n));
			now[i] += duration / 2;
			if (n % 5000 == 4000)
				tb_thread(s[i], now[i], 200 + n, 0, "next");
		}
	}
	tb_close(tb);
}

static bool in_order(const struct gt_rec *a, const struct gt_rec *b)
{
	if (a->start_tick != b->start_tick)
		return a->start_tick < b->start_tick;
	if ((a->end_tick == a->start_tick) != (b->end_tick == b->start_tick))
		return a->end_tick == a->start_tick;
	if (a->end_tick != b->end_tick)
		return a->end_tick > b->end_tick;
	return a->stream != b->stream ? a->stream < b->stream : a->offset < b->offset;
}

/* Each call once, in strict order, with its own thread; returns a hash of the row of links. */
static uint64_t check_merge(struct gt_reader *r, size_t limit)
{
	static bool seen[STREAMS][CALLS];
	struct gt_merge *m = open_merge(r, -1, GT_NO_TIME, GT_NO_TIME);
	struct gt_rec rec, last;
	uint64_t hash = 0;
	unsigned count = 0;

	memset(seen, 0, sizeof(seen));
	gt_merge_limit(m, limit);
	while (next(m, &rec)) {
		if (count++ && !in_order(&last, &rec))
			fail_msg("call %u is out of order", count);
		assert_false(seen[rec.args[0]][rec.args[1]]);
		seen[rec.args[0]][rec.args[1]] = true;
		assert_int_equal(rec.stream, rec.args[0]);
		assert_int_equal(rec.holder,
			1 + (rec.args[1] + 999) / 5000 + (rec.args[1] % 5000 > 4000) -
				(rec.args[1] % 5000 > 4000 ? 1 : 0));
		hash = hash * 0x100000001b3u ^ rec_link(rec.stream, rec.offset);
		last = rec;
	}
	assert_int_equal(count, STREAMS * CALLS);
	assert_true(gt_merge_done(m) > 0.999);
	gt_merge_close(m);
	return hash;
}

/* Three interleaved streams come out in one order, each call once, with the thread that made it. */
static void streams_are_interleaved_in_order(void **state)
{
	struct gt_reader *r;

	(void)state;
	build_three_streams();
	r = open_reader();
	check_merge(r, GT_MERGE_LOADED_MAX);
	gt_reader_close(r);
}

/* However little memory it may use, the merge hands out the same records in the same order. */
static void memory_limit_does_not_change_the_order(void **state)
{
	struct gt_reader *r;
	uint64_t hash;

	(void)state;
	build_three_streams();
	r = open_reader();
	hash = check_merge(r, GT_MERGE_LOADED_MAX);
	assert_true(check_merge(r, 400000) == hash);
	gt_reader_close(r);
}

/* A window keeps what overlaps it, ends included, and nothing else. */
static void window_keeps_what_overlaps(void **state)
{
	struct gt_reader *r;
	struct gt_merge *m;
	struct gt_rec rec;
	unsigned expected = 0, got = 0;

	(void)state;
	build_three_streams();
	r = open_reader();
	m = open_merge(r, -1, GT_NO_TIME, GT_NO_TIME);
	while (next(m, &rec))
		expected += gt_reader_tick_ns(r, 0, rec.end_tick) >= 50000 &&
			gt_reader_tick_ns(r, 0, rec.start_tick) <= 60000;
	gt_merge_close(m);
	m = open_merge(r, -1, 50000, 60000);
	while (next(m, &rec)) {
		assert_true(gt_reader_tick_ns(r, 0, rec.end_tick) >= 50000);
		assert_true(gt_reader_tick_ns(r, 0, rec.start_tick) <= 60000);
		got++;
	}
	assert_true(expected > 100);
	assert_int_equal(got, expected);
	gt_merge_close(m);
	gt_reader_close(r);
}

/* A link finds its record; an offset beside a record's start finds nothing. */
static void link_finds_its_record(void **state)
{
	struct gt_reader *r;
	struct gt_merge *m;
	struct gt_rec rec, found;
	struct gt_err err = { 0 };
	unsigned n = 0;

	(void)state;
	build_three_streams();
	r = open_reader();
	m = open_merge(r, -1, GT_NO_TIME, GT_NO_TIME);
	while (next(m, &rec)) {
		if (n++ % 7)
			continue;
		assert_int_equal(gt_reader_fetch(r, 0, rec_link(rec.stream, rec.offset), &found, &err), 1);
		assert_int_equal(found.args[1], rec.args[1]);
		assert_int_equal(found.start_tick, rec.start_tick);
		assert_int_equal(found.holder, rec.holder);
		assert_int_equal(gt_reader_fetch(r, 0, rec_link(rec.stream, rec.offset + 8), &found, &err), 0);
	}
	assert_int_equal(gt_reader_fetch(r, 0, rec_link(77, 4160), &found, &err), 0);
	assert_int_equal(gt_reader_fetch(r, 0, rec_link(0, 1ull << 34), &found, &err), 0);
	assert_int_equal(gt_reader_fetch(r, 0, 0, &found, &err), 0);
	gt_merge_close(m);
	gt_reader_close(r);
}

/* The cursor hands out every record of every stream, in file order. */
static void cursor_sees_all_in_file_order(void **state)
{
	struct gt_reader *r;
	struct gt_cursor *c;
	struct gt_rec rec;
	struct gt_err err = { 0 };
	unsigned calls = 0, threads = 0, sets = 0, next_number[STREAMS] = { 0 };

	(void)state;
	build_three_streams();
	r = open_reader();
	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1) {
		calls += rec.id == FN;
		threads += rec.id == REC_THREAD;
		sets += rec.id == REC_CLOCK;
		if (rec.id == FN)
			assert_int_equal(rec.args[1], next_number[rec.stream]++);
	}
	assert_int_equal(calls, STREAMS * CALLS);
	assert_int_equal(threads, STREAMS * 5);
	assert_int_equal(sets, 2);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_DAMAGED), 0);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_TRUNCATED), 0);
	gt_cursor_close(c);
	gt_reader_close(r);
}

/* Of several processes each call carries its own; process N alone is that one's calls. */
static void processes_are_merged_or_taken_alone(void **state)
{
	struct tb *tb = tb_open(path);
	struct gt_reader *r;
	struct gt_merge *m;
	struct gt_rec rec;
	unsigned all = 0, one = 0;
	int pid, instance;

	(void)state;
	for (int pid_made = 12; pid_made >= 10; pid_made--) {
		struct tb_process *p = tb_process(tb, pid_made);
		struct tb_stream *s = tb_stream(p);
		char start[16];

		snprintf(start, sizeof(start), "%d", 1000 + 100 * pid_made);
		tb_fact(p, "start_tick", start);
		clocks(s);
		for (uint32_t i = 0; i < 100; i++)
			tb_call(s, FN, 3000 + 10 * i + (uint32_t)pid_made, 5, 0, W((uint32_t)pid_made));
	}
	tb_close(tb);

	r = open_reader();
	assert_int_equal(gt_reader_process_count(r), 3);
	gt_reader_process_id(r, 0, &pid, &instance); /* sorted by start */
	assert_int_equal(pid, 10);
	m = open_merge(r, -1, GT_NO_TIME, GT_NO_TIME);
	for (uint64_t last = 0; next(m, &rec); last = rec.start_tick, all++) {
		assert_true(rec.start_tick >= last);
		assert_int_equal(rec.process + 10, rec.args[0]);
	}
	gt_merge_close(m);
	m = open_merge(r, 1, GT_NO_TIME, GT_NO_TIME);
	for (; next(m, &rec); one++)
		assert_int_equal(rec.args[0], 11);
	assert_int_equal(all, 300);
	assert_int_equal(one, 100);
	gt_merge_close(m);
	gt_reader_close(r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
	const struct CMUnitTest tests[] = {
		TEST(enclosing_call_comes_first),
		TEST(streams_are_interleaved_in_order),
		TEST(memory_limit_does_not_change_the_order),
		TEST(window_keeps_what_overlaps),
		TEST(link_finds_its_record),
		TEST(cursor_sees_all_in_file_order),
		TEST(processes_are_merged_or_taken_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
