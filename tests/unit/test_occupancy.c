/*
 * tests/unit/test_occupancy.c - analysis/metrics/occupancy.c: the vendor's answers to 2 000 launches, and what has none
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
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/unit/occupancy_shapes.h"

/* occupancy_shapes.txt was written by occupancy_oracle.c: shape i stands in line i + 1. */
static void kept_answers_of_the_vendor_are_ours(void **state)
{
	const char *tests = getenv("GPUTAP_TESTS");
	char path[4096];
	FILE *f;

	(void)state;
	snprintf(path, sizeof path, "%s/unit/occupancy_shapes.txt", tests ? tests : "tests");
	f = fopen(path, "r");
	assert_non_null(f);
	for (uint32_t i = 0; i < SHAPES_KEPT; i++) {
		struct gt_occupancy_device d;
		struct gt_occupancy_launch l;
		struct gt_occupancy o;
		unsigned long long shared;
		unsigned v[8];

		shape(i, &d, &l);
		assert_true(gt_occupancy(&d, &l, &o));
		assert_int_equal(fscanf(f, "%u %u %u %u %u %u %u %u %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
					 &v[6], &v[7], &shared), 9);
		assert_int_equal(o.blocks, v[0]);
		assert_int_equal(o.limit[GT_LIMIT_WARPS], v[1]);
		assert_int_equal(o.limit[GT_LIMIT_REGISTERS], v[2]);
		assert_int_equal(o.limit[GT_LIMIT_SHARED], v[3]);
		assert_int_equal(o.limit[GT_LIMIT_BLOCKS], v[4]);
		assert_int_equal(o.limit[GT_LIMIT_BARRIERS], v[5]);
		assert_int_equal(o.limit[GT_LIMIT_VIRTUAL], v[6]);
		assert_int_equal(o.registers_per_block, v[7]);
		assert_int_equal(o.shared_per_block, shared);
	}
	assert_int_equal(fgetc(f), '\n');
	assert_int_equal(fgetc(f), EOF);
	fclose(f);
}

static struct gt_occupancy of_launch(uint32_t major, uint32_t minor, struct gt_occupancy_launch l)
{
	struct gt_occupancy_device d = { .major = major, .minor = minor };
	struct gt_occupancy o;

	l.carveout = -1;
	l.barriers = 1;
	assert_true(gt_occupancy_device(&d));
	assert_true(gt_occupancy(&d, &l, &o));
	return o;
}

/* Worked out by hand: 256 threads are 8 warps; 64 of them fit, so 8 blocks do; 40 registers take 1280 of a warp, 12
 * warps of a part's 16 Ki, 48 in all: 6 blocks. */
static void smallest_limit_decides_and_is_named(void **state)
{
	struct gt_occupancy o = of_launch(9, 0, (struct gt_occupancy_launch){ .block_threads = 256, .registers = 40 });

	(void)state;
	assert_int_equal(o.blocks, 6);
	assert_int_equal(o.limiters, 1u << GT_LIMIT_REGISTERS);
	assert_int_equal(o.warps_per_block, 8);
	assert_int_equal(o.warps_per_sm, 64);
	assert_true(o.share == 0.75);
	o = of_launch(9, 0, (struct gt_occupancy_launch){ .block_threads = 256, .registers = 32 });
	assert_int_equal(o.blocks, 8);
	assert_int_equal(o.limiters, 1u << GT_LIMIT_REGISTERS | 1u << GT_LIMIT_WARPS);
	assert_true(o.share == 1.0);
}

static void block_that_is_too_large_fits_nowhere(void **state)
{
	struct gt_occupancy o = of_launch(8, 6, (struct gt_occupancy_launch){ .block_threads = 1025, .registers = 16 });

	(void)state;
	assert_int_equal(o.blocks, 0);
	assert_int_equal(o.limiters, 1u << GT_LIMIT_WARPS);
	assert_true(o.share == 0.0);
}

static void unknown_capability_has_no_answer(void **state)
{
	struct gt_occupancy_launch l = { .block_threads = 32, .registers = 1, .carveout = -1 };
	struct gt_occupancy_device d = { .major = 99 };
	struct gt_occupancy o;

	(void)state;
	assert_false(gt_occupancy_device(&d));
	assert_int_equal(gt_occupancy_max_blocks(99, 0), 0);
	d = (struct gt_occupancy_device){ 99, 0, 32, 1024, 2048, 65536, 65536, 49152, 65536, 0, 0 };
	assert_false(gt_occupancy(&d, &l, &o));
	d.major = 9;
	assert_true(gt_occupancy(&d, &l, &o));
	l.block_threads = 0;
	assert_false(gt_occupancy(&d, &l, &o));
}

/* What a recording tells of its device holds; only what it does not tell comes from the table. */
static void what_is_known_of_a_device_stays(void **state)
{
	struct gt_occupancy_device d = { .major = 9, .registers_per_sm = 1234, .shared_reserved = 7 };

	(void)state;
	assert_true(gt_occupancy_device(&d));
	assert_int_equal(d.registers_per_sm, 1234);
	assert_int_equal(d.shared_reserved, 7);
	assert_int_equal(d.threads_per_sm, 2048);
	assert_int_equal(d.shared_per_sm, 228 * 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept_answers_of_the_vendor_are_ours),
		cmocka_unit_test(smallest_limit_decides_and_is_named),
		cmocka_unit_test(block_that_is_too_large_fits_nowhere),
		cmocka_unit_test(unknown_capability_has_no_answer),
		cmocka_unit_test(what_is_known_of_a_device_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
