/*
 * tests/unit/test_map.c - common/map.c: what was added is found, what was removed is not, whatever lies beside it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "common/hash.h"
#include "common/map.h"

struct element { uint32_t key, value; };

static bool same(const void *element, const void *key, const void *ctx)
{
	(void)ctx;
	return ((const struct element *)element)->key == *(const uint32_t *)key;
}

/* bits: how many of the hash differ between keys; few make every search a long run */
static uint64_t hash(uint32_t key, unsigned bits)
{
	return gt_hash(GT_HASH, bits < 32 ? key & ((1u << bits) - 1) : key);
}

static struct element *find(const struct gt_map *m, uint32_t key, unsigned bits)
{
	return gt_map_find(m, sizeof(struct element), hash(key, bits), &key, same, NULL);
}

static struct element *add(struct gt_map *m, uint32_t key, unsigned bits, bool *fresh)
{
	return gt_map_add(m, sizeof(struct element), hash(key, bits), &key, same, NULL, fresh);
}

/* Against a plain array, over many random steps. */
static void agrees_with_an_array(unsigned bits)
{
	enum { KEYS = 600, STEPS = 60000 };
	uint32_t is[KEYS] = { 0 }, n = 0, seed = 1;
	struct gt_map m = { 0 };
	struct element *e;
	bool fresh;

	for (uint32_t step = 1; step <= STEPS; step++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t key = (seed >> 8) % KEYS;

		if (seed >> 31 && (e = find(&m, key, bits))) {
			gt_map_remove(&m, sizeof *e, e);
			is[key] = 0;
			n--;
		} else if (!(seed >> 31)) {
			e = add(&m, key, bits, &fresh);
			assert_non_null(e);
			assert_int_equal(fresh, !is[key]);
			if (fresh)
				assert_int_equal(e->key + e->value, 0);
			*e = (struct element){ key, step };
			is[key] = step;
			n += fresh;
		}
		assert_int_equal(m.n, n);
		key = (seed >> 16) % KEYS;
		e = find(&m, key, bits);
		assert_int_equal(e ? e->value : 0, is[key]);
	}
	for (e = NULL; (e = gt_map_next(&m, sizeof *e, e)); n--)
		assert_int_equal(e->value, is[e->key]);
	assert_int_equal(n, 0);
	gt_map_free(&m, sizeof *e);
}

static void elements_are_found_among_others(void **state)
{
	(void)state;
	agrees_with_an_array(32);
}

static void elements_of_one_hash_are_told_apart(void **state)
{
	(void)state;
	agrees_with_an_array(0);
	agrees_with_an_array(3);
}

static void an_empty_map_holds_nothing(void **state)
{
	struct gt_map m = { 0 };

	(void)state;
	assert_null(find(&m, 0, 32));
	assert_null(gt_map_next(&m, sizeof(struct element), NULL));
	gt_map_free(&m, sizeof(struct element));
}

/* Memory of the caller's; a map that cannot grow stays as it is. */
struct budget { size_t left, taken; };

static void *take(void *ctx, size_t bytes)
{
	struct budget *b = ctx;

	if (bytes > b->left)
		return NULL;
	b->left -= bytes;
	b->taken += bytes;
	return calloc(1, bytes);
}

static void give_back(void *ctx, void *at, size_t bytes)
{
	((struct budget *)ctx)->taken -= bytes;
	free(at);
}

static void without_memory_a_map_stays_as_it_is(void **state)
{
	struct budget b = { .left = 64 * 12 + 128 * 4 };        /* two words, then elements that do not fit */
	const struct gt_map_memory memory = { take, give_back, &b };
	struct gt_map m = { .memory = &memory };
	uint32_t key = 0;
	struct element *e;
	bool fresh;

	(void)state;
	for (; (e = add(&m, key, 32, &fresh)); key++)
		*e = (struct element){ key, key };
	assert_int_equal(key, 32);
	while (key--)
		assert_int_equal(find(&m, key, 32)->value, key);
	gt_map_free(&m, sizeof *e);
	assert_int_equal(b.taken, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_found_among_others),
		cmocka_unit_test(elements_of_one_hash_are_told_apart),
		cmocka_unit_test(an_empty_map_holds_nothing),
		cmocka_unit_test(without_memory_a_map_stays_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
