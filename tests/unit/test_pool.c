/*
 * tests/unit/test_pool.c - lists that outgrow memory
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/samples.h"

enum { MANY = 12 << 20 };              /* 96 MiB of 8-byte elements: three times what stays in memory */

static void add(struct gt_list *l, struct gt_pool *a, uint64_t value)
{
	uint64_t *slot = gt_list_add(l, a, sizeof *slot);

	assert_non_null(slot);
	*slot = value;
}

/* Elements come out in the order they went in, also those that were in the file in between. */
static void a_list_keeps_its_order_when_it_spills(void **state)
{
	struct gt_pool *a = gt_pool_new();
	struct gt_list l = { 0 }, other = { 0 };
	struct gt_list_reader r = { .pool = a, .list = &l };
	const uint64_t *v;
	uint64_t next = 0;
	size_t bytes;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++) {
		add(&l, a, i);
		if (i % 3 == 0)
			add(&other, a, ~i);
	}
	assert_non_null(l.extents);
	while ((v = gt_list_next(&r, &bytes)))
		for (size_t i = 0; i < bytes / sizeof *v; i++)
			assert_true(v[i] == next++);
	assert_true(next == MANY);
	assert_false(gt_pool_failed(a));
	gt_pool_free(a);
}

/* Samples that are added, and folded, while a spilled list is read leave what is being read alone. */
static void a_reader_is_not_disturbed_by_samples(void **state)
{
	struct gt_pool *a = gt_pool_new();
	struct gt_samples s = { 0 };
	struct gt_list l = { 0 };
	struct gt_list_reader r = { .pool = a, .list = &l };
	const uint64_t *v;
	uint64_t next = 0;
	size_t bytes;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		add(&l, a, i);
	while ((v = gt_list_next(&r, &bytes)))
		for (size_t i = 0; i < bytes / sizeof *v; i++) {
			assert_true(v[i] == next++);
			assert_int_equal(gt_samples_add(&s, a, (int64_t)(v[i] % 1000)), 0);
		}
	assert_true(next == MANY);
	assert_non_null(s.counts);        /* it was folded */
	assert_true(gt_samples_median(&s) == 499);
	gt_pool_free(a);
}

/* What is taken out piece by piece is all of it, once. */
static void taking_out_gives_each_element_once(void **state)
{
	struct gt_pool *a = gt_pool_new();
	struct gt_list l = { 0 };
	uint64_t sum = 0, n = 0;
	const uint64_t *v;
	size_t bytes;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		add(&l, a, i);
	while ((v = gt_list_pop(&l, a, &bytes)))
		for (size_t i = 0; i < bytes / sizeof *v; i++, n++)
			sum += v[i];
	assert_true(n == MANY && sum == (uint64_t)MANY * (MANY - 1) / 2);
	add(&l, a, 5);                    /* and it can be used again */
	assert_true(*(const uint64_t *)gt_list_pop(&l, a, &bytes) == 5 && bytes == sizeof *v);
	gt_pool_free(a);
}

/* A block that was given back comes again for the same size, zeroed like any other. */
static void a_block_given_back_is_zeroed_when_taken_again(void **state)
{
	struct gt_pool *a = gt_pool_new();
	enum { BYTES = 1 << 20 };
	unsigned char *p = gt_pool_take(a, BYTES), *q;

	(void)state;
	memset(p, 0xff, BYTES);
	gt_pool_give_back(a, p, BYTES);
	assert_ptr_not_equal(gt_pool_take(a, BYTES / 2), p);
	q = gt_pool_take(a, BYTES);
	assert_ptr_equal(q, p);
	for (int i = 0; i < BYTES; i++)
		assert_int_equal(q[i], 0);
	gt_pool_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_keeps_its_order_when_it_spills),
		cmocka_unit_test(a_reader_is_not_disturbed_by_samples),
		cmocka_unit_test(taking_out_gives_each_element_once),
		cmocka_unit_test(a_block_given_back_is_zeroed_when_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
