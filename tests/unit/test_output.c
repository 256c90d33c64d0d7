/*
 * tests/unit/test_output.c - writers/output.c: which calls a file's walk gives
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

#include "cli/options.h"
#include "ids.h"
#include "tests/tracebuild.h"
#include "tests/unit/tablefixture.h"
#include "writers/output.h"

#define TRACE "test_output.gputap"

/* Two processes; the first made two calls, the second three. */
static struct gt_model *built(void)
{
	struct tb *tb = tb_open(TRACE);
	struct gt_model *m = NULL;
	struct gt_err err = { 0 };

	tb_table(tb, table_text, table_bytes);
	for (int i = 0; i < 2; i++) {
		struct tb_process *p = tb_process(tb, 100 + i);
		struct tb_stream *s = tb_stream(p);

		tb_fact(p, "start_tick", "1000");
		tb_thread(s, 1000, (uint32_t)(100 + i), 1, "main");
		tb_clock(s, 1000, 1000);
		tb_clock(s, 1001000, 1001000);
		for (int n = 0; n < 2 + i; n++)
			tb_call_bare(s, FN_clFinish, 2000 + 1000 * (uint64_t)n, 10, 0);
	}
	tb_close(tb);
	if (gt_model_open(TRACE, NULL, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

static unsigned walked(const struct gt_export *x)
{
	const struct gt_walk_options options = gt_output_walk_options(x);
	const struct gt_call *call;
	struct gt_walk *walk;
	struct gt_err err;
	unsigned n = 0;

	assert_int_equal(gt_walk_open(x->model, &options, &walk, &err), 0);
	while (gt_walk_next(walk, &call, &err) == 1)
		n++;
	gt_walk_close(walk);
	return n;
}

/* A file of one process gets its calls; a file of all, whose export has no process, gets everybody's. */
static void a_file_of_all_walks_all_processes(void **state)
{
	struct gt_export x = { .model = built(), .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	struct gt_options options;
	struct gt_err err;

	(void)state;
	assert_int_equal(gt_options_init(&options, &gt_option_list, REC_SCOPE_E, &err), 0);
	x.options = &options;
	assert_int_equal(walked(&x), 5);
	for (uint32_t i = 0; i < 2; i++) {
		x.process = gt_model_process(x.model, i);
		assert_int_equal(walked(&x), 2 + i);
	}
	/* Of a window: the second and third call of each. */
	x.process = NULL;
	x.from_ns = 1500;
	assert_int_equal(walked(&x), 3);
	gt_options_free(&options);
	gt_model_close(x.model);
	tb_remove(TRACE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_all_walks_all_processes),
	};

	if (read_table())
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(table_text);
	return failed;
}
