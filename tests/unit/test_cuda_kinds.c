/*
 * tests/unit/test_cuda_kinds.c - the tables of activity kinds: trace/format/cupti.def and model/cuda/kinds.def together
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/cudafixture.h"

#include "model/cuda/internal.h"

static const struct { uint32_t number, least, minimum; enum rec_cupti_sort sort; const char *text; } kinds[] = {
#define KIND(id, number, layout, least, minimum, sort, on, text) { number, least, minimum, REC_CUPTI_##sort, text },
#include "trace/format/cupti.def"
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* What the shim switches on has a meaning: it is shown, or defines what others name. */
static void every_kind_is_shown_or_defines(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		const struct gt_cuda_record *r = &gt_cuda_records[kinds[i].number];

		if (!r->shown != (kinds[i].sort == REC_CUPTI_DEFINES))
			fail_msg("%s", kinds[i].text);
		assert_int_equal(r->sort, kinds[i].sort);
		assert_true(kinds[i].minimum >= kinds[i].least);
	}
}

/* Calls and work of the device have a beginning, an end, and the id that leads from one to the other. */
static void calls_and_work_have_times(void **state)
{
	uint8_t record[GT_CUPTI_RECORD] = { 0 };

	(void)state;
	for (size_t i = 0; i < KINDS; i++) {
		const struct rec_activity a = { record, kinds[i].number, sizeof record, UINT32_MAX - 1 };
		bool timed = kinds[i].sort == REC_CUPTI_CALL || kinds[i].sort == REC_CUPTI_WORK;

		if (timed && gt_cuda_times_of(&a).timing != GT_CUDA_TOLD)
			fail_msg("%s", kinds[i].text);
		if (gt_cuda_records[a.kind].shown)
			assert_int_equal(gt_cuda_is_work((enum gt_cuda_kind)(gt_cuda_records[a.kind].shown - 1)),
				kinds[i].sort == REC_CUPTI_WORK);
	}
}

/* Each of the model's kinds has its names, all different: dump and info tell them apart by these. */
static void names_of_kinds_differ(void **state)
{
	(void)state;
	for (int i = 0; i < GT_CUDA_KINDS; i++)
		for (int k = 0; k < i; k++) {
			assert_string_not_equal(gt_cuda_kind_names[i].name, gt_cuda_kind_names[k].name);
			assert_string_not_equal(gt_cuda_kind_names[i].plural, gt_cuda_kind_names[k].plural);
		}
}

/* A library's newer kinds are stepped over by their size: counted as records, shown as nothing, no loss. */
static void a_kind_without_meaning_is_stepped_over_and_counted(void **state)
{
	enum { NEWER = 57 };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	assert_int_equal(gt_cuda_records[NEWER].sort, REC_CUPTI_UNKNOWN);
	fixture_begin(&f, 130100);
	add_call(&f, 5, 1, PID, 1, 100, 200);
	ACT(f.a, NEWER);
	add_call(&f, 5, 1, PID, 2, 300, 400);
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_library(c, 0)->records, 3);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_CALL), 2);
	for (int kind = GT_CUDA_CALL + 1; kind < GT_CUDA_KINDS; kind++)
		assert_int_equal(gt_cuda_count(c, (enum gt_cuda_kind)kind), 0);
	assert_int_equal(gt_model_lost(m, REC_LOSS_CUPTI_UNREAD), 0);
	fixture_close(&f, m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_shown_or_defines),
		cmocka_unit_test(calls_and_work_have_times),
		cmocka_unit_test(names_of_kinds_differ),
		cmocka_unit_test(a_kind_without_meaning_is_stepped_over_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
