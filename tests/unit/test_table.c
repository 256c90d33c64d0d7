/*
 * tests/unit/test_table.c - analysis/table: what a spreadsheet would take for a formula
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
#include <string.h>

#include <cmocka.h>

#include "analysis/table.h"

/* One row of a text and a number, as CSV. */
static void expect(const char *report, const char *text, const char *line)
{
	char *out = NULL, expected[100];
	size_t bytes = 0;
	FILE *file = open_memstream(&out, &bytes);
	struct gt_table *t = gt_table_new(report, "Title", "Name<|Change", GT_TABLE_CSV, file, false);

	assert_non_null(t);
	assert_int_equal(gt_table_row(t, (struct gt_cell[]){ gt_text(text), gt_integer(-1) }), 0);
	assert_int_equal(gt_table_end(t, 0), 0);
	fclose(file);
	snprintf(expected, sizeof expected, "Name,Change\n%s,-1\n", line);
	assert_string_equal(out, expected);
	free(out);
}

/* A number is a number, and a text anywhere but in front is only a text. */
static void a_formula_is_written_as_a_text(void **state)
{
	static const char *const own[] = { "opencl_kern_sum", "callers", "gpu_idle", "samples", "kernel_metric_sum",
		"osrt_wait_sum", "cuda_stream_sum", "cuda_sync_sum", "cuda_graph_sum", "cuda_mem_usage",
		"call_sites:rows=3" };

	(void)state;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		expect(own[i], "=1+2", "'=1+2");
		expect(own[i], "+1", "'+1");
		expect(own[i], "-1", "'-1");
		expect(own[i], "@sum", "'@sum");
		expect(own[i], "=a,b", "\"'=a,b\"");
		expect(own[i], "a=1", "a=1");
		expect(own[i], "", "");
	}
}

static void reports_of_nsys_have_the_names_that_it_has(void **state)
{
	static const char *const nsys[] = { "cuda_gpu_kern_sum", "cuda_gpu_kern_sum:base", "cuda_api_sum",
		"nvtx_sum", "nvtx_kern_sum", "um_sum", "osrt_sum", "openmp_sum" };

	(void)state;
	for (size_t i = 0; i < sizeof nsys / sizeof *nsys; i++) {
		expect(nsys[i], "=1+2", "=1+2");
		expect(nsys[i], "-1", "-1");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_formula_is_written_as_a_text),
		cmocka_unit_test(reports_of_nsys_have_the_names_that_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
