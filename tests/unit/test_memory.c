/*
 * tests/unit/test_memory.c - common/memory.c: what was in an array that grows stays in it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "common/memory.h"

struct pair { uint32_t a, b; };

static void an_array_keeps_what_it_holds(void **state)
{
	uint32_t *v = NULL;
	size_t room = 0;

	(void)state;
	for (uint32_t n = 0; n < 1000; n++) {
		assert_true(gt_grow((void **)&v, n, &room, sizeof *v));
		assert_true(room > n);
		v[n] = n;
	}
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(v[n], n);
	free(v);
}

/* Sizes that cannot be: no memory is asked for, and nothing changes. */
static void an_array_that_cannot_grow_stays(void **state)
{
	uint32_t *v = NULL, *before;
	size_t room = 0;

	(void)state;
	assert_true(gt_grow((void **)&v, 0, &room, sizeof *v));
	before = v;
	room = SIZE_MAX / 4;
	assert_false(gt_grow((void **)&v, room, &room, sizeof *v));
	assert_ptr_equal(v, before);
	assert_int_equal(room, SIZE_MAX / 4);
	free(v);
}

static void elements_of_a_list_are_zero(void **state)
{
	GT_LIST(struct pair) list = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		assert_non_null(GT_LIST_ADD(&list));
		assert_int_equal(list.n, i + 1);
		assert_int_equal(list.v[i].a + list.v[i].b, 0);
		list.v[i].a = i + 1;
	}
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(list.v[i].a, i + 1);
	free(list.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_keeps_what_it_holds),
		cmocka_unit_test(an_array_that_cannot_grow_stays),
		cmocka_unit_test(elements_of_a_list_are_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
