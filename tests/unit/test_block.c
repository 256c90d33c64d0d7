/*
 * tests/unit/test_block.c - trace/read/block.c and the cursor over it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "trace/read/block.h"

#define HEAD(id, words, flags) rec_head(id, words, (flags) | REC_COMPLETE, 0)

static struct gt_findings found;

/* A walk over a private copy of exactly n words, so that a sanitizer sees a step outside. */
static unsigned walk(const uint64_t *words, uint32_t n, struct gt_rec *last, bool cut)
{
	uint64_t *copy = malloc(n ? n * sizeof(*copy) : 1);
	struct gt_block b = { .words = copy, .n = n, .offset = 4160, .found = &found, .cut = cut };
	struct gt_rec rec;
	unsigned count = 0;

	memset(&found, 0, sizeof(found));
	memcpy(copy, words, n * sizeof(*copy));
	while (gt_block_next(&b, &rec)) {
		count++;
		if (last)
			*last = rec;
	}
	free(copy);
	return count;
}

/* Fixed words of a call come out as start, end, upper half and arguments. */
static void call_is_decoded(void **state)
{
	const uint64_t words[] = { rec_head(0x400, 5, REC_COMPLETE, -5), 1000, 30 | 7ull << 32, 11, 22, 0 };
	struct gt_rec rec;

	(void)state;
	assert_int_equal(walk(words, 6, &rec, false), 1);
	assert_int_equal(rec.id, 0x400);
	assert_int_equal(rec.result, -5);
	assert_int_equal(rec.start_tick, 1000);
	assert_int_equal(rec.end_tick, 1030);
	assert_int_equal(rec.first_u32, 7);
	assert_int_equal(rec.n_args, 2);
	assert_int_equal(rec.offset, 4160);
}

/* The high half of a slow call's duration is added, and the arguments begin behind it. */
static void slow_call_has_a_long_duration(void **state)
{
	const uint64_t words[] = { HEAD(0x400, 5, REC_SLOW), 1000, 30, 2, 99 };
	struct gt_rec rec;

	(void)state;
	assert_int_equal(walk(words, 5, &rec, false), 1);
	assert_int_equal(rec.end_tick, 1030 + (2ull << 32));
	assert_int_equal(rec.n_args, 1);
}

/* A record of more than 255 words keeps its size in its second word. */
static void long_record_is_read_whole(void **state)
{
	uint64_t words[400] = { HEAD(0x401, 0, REC_LONG), 300, 50, 5, 77 };
	struct gt_rec rec;

	(void)state;
	words[300] = HEAD(0x402, 3, 0);
	words[301] = 60;
	assert_int_equal(walk(words, 303, NULL, false), 2);
	assert_int_equal(walk(words, 300, &rec, false), 1);
	assert_int_equal(rec.n_args, 296);
}

/* What a kill or a longjmp left unfinished is stepped over and counted. */
static void incomplete_record_is_stepped_over(void **state)
{
	const uint64_t words[] = { rec_claim(4), 1, 2, 3, HEAD(0x400, 3, 0), 10, 1, rec_claim(2), 0 };

	(void)state;
	assert_int_equal(walk(words, 9, NULL, false), 1);
	assert_int_equal(found.lost[REC_LOSS_INCOMPLETE_RECORD], 2);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 0);
}

/* Padding is no record, wherever it ends. */
static void padding_is_stepped_over(void **state)
{
	const uint64_t words[] = { HEAD(REC_PAD, 2, 0), 5, HEAD(0x400, 3, 0), 10, 1, HEAD(REC_PAD, 1, 0) };

	(void)state;
	assert_int_equal(walk(words, 6, NULL, false), 1);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 0);
}

/* A zero header ends the block: what lies behind was never written. */
static void zero_header_is_the_end(void **state)
{
	const uint64_t words[] = { HEAD(0x400, 3, 0), 10, 1, 0, HEAD(0x400, 3, 0), 10, 1 };

	(void)state;
	assert_int_equal(walk(words, 7, NULL, false), 1);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 0);
}

/* Each way a header can lie ends the block there, counted once; what stood before stays. */
static void damaged_header_ends_the_block(void **state)
{
	const uint64_t bad[][3] = {
		{ HEAD(0x400, 9, 0), 10, 1 },                              /* more than is left */
		{ HEAD(0x400, 2, 0), 10, 1 },                              /* too short for a call */
		{ HEAD(0x400, 0, 0), 10, 1 },                              /* no size */
		{ HEAD(0x400, 0, REC_LONG), UINT64_MAX, 1 },               /* sizes that overflow 32 and 64 bits */
		{ HEAD(0x400, 0, REC_LONG), 0x2000000000000003u, 1 },
		{ HEAD(0x400, 0, REC_LONG), 0x100000003u, 1 },
		{ HEAD(0x400, 0, REC_LONG), 1, 1 },
		{ HEAD(0x400, 0, REC_LONG), 3, 1 },                        /* long, but without room for its times */
		{ rec_head(0x400, 3, 0, 0), 10, 1 },                       /* neither complete nor incomplete */
		{ rec_head(0x400, 3, REC_COMPLETE | REC_INCOMPLETE, 0), 10, 1 },
		{ HEAD(0x400, 5, REC_LONG), 4, 1 },                        /* two sizes */
		{ rec_head(0x400, 0, REC_INCOMPLETE, 3), 10, 1 },          /* no claim of ours */
		{ rec_head(0, 0, REC_INCOMPLETE, 0), 10, 1 },              /* claims nothing */
		{ rec_head(0, 0, REC_INCOMPLETE, -1), 10, 1 },             /* claims 32 GiB */
		{ HEAD(0, 3, 0), 10, 1 },                                  /* no such type */
		{ HEAD(0x400, 3, 0), UINT64_MAX, 1 },                      /* ends before it starts */
		{ HEAD(0x400, 3, REC_SLOW), 10, 1 },
		{ HEAD(REC_CLOCK, 3, 0), 10, 1 },                          /* shorter than its type */
		{ HEAD(REC_COMMAND, 3, 0), 10, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t words[9] = { HEAD(0x400, 3, 0), 10, 1 };

		memcpy(words + 3, bad[i], sizeof(bad[i]));
		words[6] = HEAD(0x400, 3, 0);
		assert_int_equal(walk(words, 9, NULL, false), 1);
		assert_int_equal(found.lost[REC_LOSS_DAMAGED], 1);
	}
}

/* A text may not reach beyond its record. */
static void text_stays_inside_its_record(void **state)
{
	uint64_t words[] = { HEAD(REC_THREAD, 5, 0), 10, 4711 | 1ull << 32, 12, 0 };

	(void)state;
	assert_int_equal(walk(words, 5, NULL, false), 1);
	words[3] = 13;
	assert_int_equal(walk(words, 5, NULL, false), 0);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 1);
	words[3] = UINT32_MAX;
	assert_int_equal(walk(words, 5, NULL, false), 0);
}

/* A record of a type of later versions is handed out with its words and counted. */
static void unknown_type_is_counted(void **state)
{
	const uint64_t words[] = { HEAD(200, 3, 0), 10, 1, HEAD(0x400, 3, 0), 10, 1 };

	(void)state;
	assert_int_equal(walk(words, 6, NULL, false), 2);
	assert_int_equal(found.lost[REC_LOSS_UNKNOWN_RECORD], 1);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 0);
}

/* So is one of a type that went: its number is not used again. */
static void type_that_went_is_counted(void **state)
{
	const uint64_t words[] = { HEAD(12, 2, 0), 10, HEAD(0x400, 3, 0), 10, 1 };

	(void)state;
	assert_int_equal(walk(words, 5, NULL, false), 2);
	assert_int_equal(found.lost[REC_LOSS_UNKNOWN_RECORD], 1);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 0);
}

/* A record that the end of the file cut is a cut stream, not a damaged one. */
static void cut_record_is_truncation(void **state)
{
	const uint64_t words[] = { HEAD(0x400, 3, 0), 10, 1, HEAD(0x400, 4, 0), 10, 1 };

	(void)state;
	assert_int_equal(walk(words, 6, NULL, true), 1);
	assert_int_equal(found.lost[REC_LOSS_TRUNCATED], 1);
	assert_int_equal(found.lost[REC_LOSS_DAMAGED], 0);
}

/* holder tells how many threads have held the stream before the record. */
static void holder_counts_threads(void **state)
{
	const uint64_t words[] = { HEAD(REC_THREAD, 4, 0), 10, 1, 0, HEAD(0x400, 3, 0), 10, 1, HEAD(REC_THREAD, 4, 0),
		20, 2, 0, HEAD(0x400, 3, 0), 20, 1 };
	struct gt_rec rec;

	(void)state;
	walk(words, 7, &rec, false);
	assert_int_equal(rec.holder, 1);
	assert_int_equal(walk(words, 14, &rec, false), 4);
	assert_int_equal(rec.holder, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(call_is_decoded),
		cmocka_unit_test(slow_call_has_a_long_duration),
		cmocka_unit_test(long_record_is_read_whole),
		cmocka_unit_test(incomplete_record_is_stepped_over),
		cmocka_unit_test(padding_is_stepped_over),
		cmocka_unit_test(zero_header_is_the_end),
		cmocka_unit_test(damaged_header_ends_the_block),
		cmocka_unit_test(text_stays_inside_its_record),
		cmocka_unit_test(unknown_type_is_counted),
		cmocka_unit_test(type_that_went_is_counted),
		cmocka_unit_test(cut_record_is_truncation),
		cmocka_unit_test(holder_counts_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
