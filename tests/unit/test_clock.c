/*
 * tests/unit/test_clock.c - trace/read/clock.c and session.c
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

#include "tests/unit/onetrace.h"
#include "tests/unit/randomness.h"
#include "tests/unit/within.h"

#include "tests/tracebuild.h"
#include "trace/read/clock.h"
#include "trace/read/reader.h"

#define GHZ3(ns) ((uint64_t)(ns) * 3)     /* ticks of a 3 GHz counter */
#define SECOND 1000000000

static struct gt_clock_set set(uint64_t tick, int64_t mono)
{
	return (struct gt_clock_set){
		.tick = tick, .mono_ns = mono, .raw_ns = mono, .real_ns = mono + 1000, .boot_ns = mono, .bracket = 60
	};
}

static struct gt_clock fit(struct gt_clock_set *sets, size_t n, double fallback)
{
	struct gt_clock c;

	assert_int_equal(gt_clock_fit(&c, sets, n, fallback), 0);
	return c;
}

/* The map goes through every knot, and straight on before and behind. */
static void map_passes_through_its_knots(void **state)
{
	struct gt_clock_set sets[] = { set(GHZ3(1000000), 500000), set(GHZ3(3000000), 2500000),
		set(GHZ3(10000000), 9500000) };
	struct gt_clock c = fit(sets, 3, 0);

	(void)state;
	assert_int_equal(c.breaks, 0);
	assert_int_equal(gt_clock_mono_ns(&c, GHZ3(1000000)), 500000);
	assert_within(gt_clock_mono_ns(&c, GHZ3(2000000)), 1499999, 1500000);
	assert_int_equal(gt_clock_mono_ns(&c, GHZ3(3000000)), 2500000);
	assert_within(gt_clock_mono_ns(&c, GHZ3(600000)), 99998, 100001);
	assert_within(gt_clock_mono_ns(&c, GHZ3(20000000)), 19499990, 19500010);
	gt_clock_free(&c);
}

/* A later tick never has an earlier time, whatever the sets say. */
static void order_of_ticks_is_order_of_times(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct gt_clock_set sets[20];
		uint64_t tick = random_below(1u << 30), ticks[2000];
		int64_t mono = (int64_t)random_below(1u << 30), last = INT64_MIN;
		struct gt_clock c;

		for (unsigned i = 0; i < 20; i++) {
			tick += random_below(1ull << (10 + i % 3 * 12));
			mono += (int64_t)random_below(1ull << (10 + i % 5 * 7)) - (round % 3 ? 0 : 300000);
			sets[i] = set(tick, mono);
			sets[i].boot_ns += random_below(10) ? 0 : 5000000;
		}
		c = fit(sets, 20, 0);
		for (unsigned i = 0; i < 2000; i++)
			ticks[i] = i < 1000 ? tick / 1000 * i : random_below(tick * 2);
		ticks[0] = 0;
		for (unsigned i = 0; i < 2000; i++) { /* each against its neighbours one tick away */
			int64_t at = gt_clock_mono_ns(&c, ticks[i]);

			assert_true(gt_clock_mono_ns(&c, ticks[i] + 1) >= at);
			if (i < 1000)
				assert_true(at >= last);
			last = at;
		}
		gt_clock_free(&c);
	}
}

/* A time that a tick has leads back to a tick of that time; any other time to the first tick behind it. */
static void times_lead_back_to_their_ticks(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		struct gt_clock_set sets[6];
		uint64_t tick = random_below(1u << 20);
		int64_t mono = (int64_t)random_below(1u << 30);
		struct gt_clock c;

		for (unsigned i = 0; i < 6; i++) {
			tick += (1u << 22) + random_below(1u << (22 + round % 8));
			/* rates from far below to far above a nanosecond */
			mono += (1 << 20) + (int64_t)random_below(1u << (20 + round % 5));
			sets[i] = set(tick, mono);
		}
		c = fit(sets, round % 7, 1.0 / 3);
		for (unsigned i = 0; i < 500; i++) {
			uint64_t at = random_below(tick * 2), back;
			int64_t ns = gt_clock_mono_ns(&c, at), any = (int64_t)random_below((uint64_t)mono * 2);

			assert_int_equal(gt_clock_mono_ns(&c, gt_clock_tick(&c, ns)), ns);
			back = gt_clock_tick(&c, any);
			assert_true(gt_clock_mono_ns(&c, back) >= any);
			assert_true(!back || gt_clock_mono_ns(&c, back - 1) < any || gt_clock_mono_ns(&c, back) == any);
		}
		gt_clock_free(&c);
	}
}

/* 50 us off the line is a new segment; 40 us is not. */
static void knot_off_the_line_is_a_break(void **state)
{
	(void)state;
	for (int off = 40000; off <= 60000; off += 20000) {
		struct gt_clock_set sets[] = { set(GHZ3(1 * (uint64_t)SECOND), SECOND),
			set(GHZ3(2 * (uint64_t)SECOND), 2ll * SECOND),
			set(GHZ3(3 * (uint64_t)SECOND), 3ll * SECOND + off),
			set(GHZ3(4 * (uint64_t)SECOND), 4ll * SECOND + off) };
		struct gt_clock c = fit(sets, 4, 0);

		assert_int_equal(c.breaks, off > 50000);
		assert_int_equal(gt_clock_mono_ns(&c, sets[3].tick), 4ll * SECOND + off);
		gt_clock_free(&c);
	}
}

/*
 * Two sets a millisecond apart cannot promise where a third lies an hour later: what their brackets explain is no
 * break.
 */
static void short_baseline_makes_no_break(void **state)
{
	struct gt_clock_set sets[] = { set(GHZ3(SECOND), SECOND), set(GHZ3(SECOND + 1000000), SECOND + 1000015),
	                               set(GHZ3(11ull * SECOND), 11ll * SECOND) };
	struct gt_clock c = fit(sets, 3, 0);

	(void)state;
	assert_int_equal(c.breaks, 0);
	gt_clock_free(&c);
}

/* While the machine slept the counter ran and CLOCK_MONOTONIC stood: what ran before keeps its time. */
static void sleep_is_a_break(void **state)
{
	struct gt_clock_set sets[] = { set(GHZ3(1ull * SECOND), 1ll * SECOND), set(GHZ3(2ull * SECOND), 2ll * SECOND),
		set(GHZ3(103ull * SECOND), 3ll * SECOND), set(GHZ3(104ull * SECOND), 4ll * SECOND) };
	struct gt_clock c;

	(void)state;
	sets[2].boot_ns = 103ll * SECOND;
	sets[3].boot_ns = 104ll * SECOND;
	c = fit(sets, 4, 0);
	assert_int_equal(c.breaks, 1);
	assert_within(gt_clock_mono_ns(&c, GHZ3(2500000000ull)), 2500000000ll - 2, 2500000000ll + 2);
	assert_int_equal(gt_clock_mono_ns(&c, GHZ3(50ull * SECOND)), 3ll * SECOND);
	assert_within(gt_clock_mono_ns(&c, GHZ3(103500000000ull)), 3500000000ll - 2, 3500000000ll + 2);
	gt_clock_free(&c);
}

/* One set alone borrows a rate; with none at all the answer is marked as a guess. */
static void too_few_sets_are_told(void **state)
{
	struct gt_clock_set one = set(GHZ3(SECOND), SECOND);
	struct gt_clock c = fit(&one, 1, 1.0 / 3);

	(void)state;
	assert_false(c.guessed);
	assert_within(gt_clock_mono_ns(&c, GHZ3(2ull * SECOND)), 2000000000ll - 2, 2000000000ll + 2);
	gt_clock_free(&c);
	c = fit(&one, 1, 0);
	assert_true(c.guessed);
	gt_clock_free(&c);
	c = fit(NULL, 0, 0);
	assert_true(c.guessed);
	assert_int_equal(gt_clock_mono_ns(&c, 77), 77);
}

/* The widest bracket that was used is the error: half of it, in ns. */
static void error_is_half_the_widest_bracket(void **state)
{
	struct gt_clock_set sets[] = { set(GHZ3(1000000), 1000000), set(GHZ3(9000000), 9000000) };
	struct gt_clock c;

	(void)state;
	sets[1].bracket = 6000;
	c = fit(sets, 2, 0);
	assert_within(c.error_ns, 1000, 1001);
	gt_clock_free(&c);
}

/* Extreme values neither overflow nor crash (the sanitizers watch). */
static void extreme_sets_are_survived(void **state)
{
	static const uint64_t edge[] = { 0, 1, 1ull << 31, 1ull << 60, (1ull << 62) - 1, INT64_MAX, 1ull << 63,
		UINT64_MAX };
	struct gt_clock c;

	(void)state;
	for (unsigned i = 0; i < 8 * 8 * 8; i++) {
		struct gt_clock_set sets[] = { set(edge[i % 8], 1000),
			set(edge[i / 8 % 8], (int64_t)(edge[i / 64] >> 4)) };

		sets[0].bracket = edge[i / 64];
		c = fit(sets, 2, 0);
		for (unsigned k = 0; k < 8; k++)
			gt_clock_mono_ns(&c, edge[k]);
		gt_clock_free(&c);
	}
}

/* ---- sessions ---- */

/* Session time 0 is the earliest start of a process; UTC is told for it. */
static void session_begins_with_the_first_process(void **state)
{
	struct tb *tb = tb_open(path);
	struct tb_process *late = tb_process(tb, 10), *early = tb_process(tb, 20);
	struct tb_stream *s;
	struct gt_reader *r;

	(void)state;
	tb_fact(late, "start_tick", "9000000");
	tb_fact(early, "start_tick", "6000000");
	s = tb_stream(late);
	tb_clock_full(s, 9000000, 5000000, 5000000, 1700000005000000, 5000000, 40);
	tb_clock_full(s, 18000000, 8000000, 8000000, 1700000008000000, 8000000, 40);
	tb_stream(early);                         /* no set of its own: same counter, same map */
	tb_close(tb);

	r = open_reader();
	assert_within(gt_reader_tick_ns(r, 0, 6000000) + 2, 1, 3);
	assert_within(gt_reader_tick_ns(r, 1, 9000000), 999998, 1000002);
	assert_within(gt_reader_tick_mono_ns(r, 0, 9000000), 5000000, 5000000);
	assert_within(gt_reader_utc_ns(r), 1700000003999998, 1700000004000002);
	assert_int_equal(gt_reader_clock_error_ns(r, 0), 7);
	gt_reader_close(r);
}

/* A killed child needs no set of its own: the launcher's serve it. */
static void launcher_clock_serves_a_killed_child(void **state)
{
	struct tb *tb = tb_open(path);
	struct tb_process *p = tb_process(tb, 10);
	struct tb_stream *s = tb_stream(p);
	struct gt_reader *r;

	(void)state;
	tb_run_fact(tb, "clock", "3000000 1000000 1000000 1700000001000000 1000000 30");
	tb_run_fact(tb, "clock", "6000000 2000000 2000000 1700000002000000 2000000 30");
	tb_fact(p, "start_tick", "4500000");
	tb_call(s, 0x433, 4500000, 10, 0, W(1));
	tb_close(tb);

	r = open_reader();
	assert_within(gt_reader_tick_mono_ns(r, 0, 4500000), 1499999, 1500001);
	assert_within(gt_reader_clock_error_ns(r, 0), 5, 6);
	gt_reader_close(r);
}

/* A process that had to use CLOCK_MONOTONIC_RAW is placed by the launcher's raw values. */
static void raw_ticks_are_placed_by_raw_values(void **state)
{
	struct tb *tb = tb_open(path);
	struct tb_process *p = tb_process(tb, 10);
	struct gt_reader *r;

	(void)state;
	tb_run_fact(tb, "clock_source", "tsc");
	tb_run_fact(tb, "clock", "3000000 1000000 71000000 1700000001000000 1000000 30");
	tb_run_fact(tb, "clock", "6000000 2000000 72000000 1700000002000000 2000000 30");
	tb_fact(p, "clock_source", "monotonic_raw");
	tb_fact(p, "start_tick", "71500000");
	tb_stream(p);
	tb_close(tb);

	r = open_reader();
	assert_within(gt_reader_tick_mono_ns(r, 0, 71500000), 1499999, 1500001);
	gt_reader_close(r);
}

/* Processes of another boot are placed by the time of day. */
static void other_boot_is_placed_by_time_of_day(void **state)
{
	struct tb *tb = tb_open(path);
	struct gt_reader *r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tb_process *p = tb_process(tb, 10 + i);
		struct tb_stream *s = tb_stream(p);
		int64_t mono = i ? 1000000 : 900000000;

		tb_fact(p, "boot_id", i ? "b" : "a");
		tb_fact(p, "start_tick", "3000000");
		/* b starts 5 ms later */
		tb_clock_full(s, 3000000, mono, mono, 1700000000000000 + 5000000 * i, mono, 40);
		tb_clock_full(s, 6000000, mono + 1000000, mono, 1700000001000000 + 5000000 * i, mono + 1000000, 40);
	}
	tb_close(tb);

	r = open_reader();
	assert_int_equal(gt_reader_tick_ns(r, 0, 3000000), 0);
	assert_int_equal(gt_reader_tick_ns(r, 1, 3000000), 5000000);
	gt_reader_close(r);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_passes_through_its_knots),
		cmocka_unit_test(order_of_ticks_is_order_of_times),
		cmocka_unit_test(times_lead_back_to_their_ticks),
		cmocka_unit_test(knot_off_the_line_is_a_break),
		cmocka_unit_test(short_baseline_makes_no_break),
		cmocka_unit_test(sleep_is_a_break),
		cmocka_unit_test(too_few_sets_are_told),
		cmocka_unit_test(error_is_half_the_widest_bracket),
		cmocka_unit_test(extreme_sets_are_survived),
		TEST(session_begins_with_the_first_process),
		TEST(launcher_clock_serves_a_killed_child),
		TEST(raw_ticks_are_placed_by_raw_values),
		TEST(other_boot_is_placed_by_time_of_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
