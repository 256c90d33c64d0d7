/*
 * tests/unit/test_sqlite_cuda.c - writers/sqlite_cuda_values.c: CUPTI's numbers as the schema's, every value of each
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "writers/sqlite_cuda.h"

/* Does the default edition's enumeration have a row with that id and label? */
static bool has_value(const char *table, int64_t id, const char *label)
{
	bool here = false;

	for (const struct gt_schema_value *v = gt_schema_enums(GT_SCHEMA_DEFAULT); v->table; v++) {
		if (!v->name)
			here = !strcmp(v->table, table);
		else if (here && v->id == id && !strcmp(v->label, label))
			return true;
	}
	return false;
}

static void memory_kinds_are_one_less_and_unknown_is_last(void **state)
{
	static const char *const labels[] = { "Unknown", "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static" };

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_true(has_value("ENUM_CUDA_MEM_KIND", gt_sql_mem_kind(i), labels[i]));
	assert_int_equal(gt_sql_mem_kind(-1), 7);
	assert_int_equal(gt_sql_mem_kind(8), 7);        /* one that CUPTI may have some day */
}

static void launch_types_are_one_more(void **state)
{
	static const char *const labels[] = { "Regular", "Coop Single Device", "Coop Multi Device", "Unknown" };

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_true(has_value("ENUM_CUDA_KERNEL_LAUNCH_TYPE", gt_sql_launch_type(i), labels[i]));
	assert_int_equal(gt_sql_launch_type(-1), 0);
}

static void memory_operations_are_one_less(void **state)
{
	(void)state;
	assert_true(has_value("ENUM_CUDA_DEV_MEM_EVENT_OPER", gt_sql_memory_operation(1), "Allocation"));
	assert_true(has_value("ENUM_CUDA_DEV_MEM_EVENT_OPER", gt_sql_memory_operation(2), "Deallocation"));
	assert_int_equal(gt_sql_memory_operation(0), -1);
	assert_int_equal(gt_sql_memory_operation(3), -1);
}

/* Of CUPTI's counters of unified memory three are transfers. */
static void transfers_of_unified_memory_are_copies(void **state)
{
	(void)state;
	assert_true(has_value("ENUM_CUDA_MEMCPY_OPER", gt_sql_managed_copy(1), "Unified Host-to-Device"));
	assert_true(has_value("ENUM_CUDA_MEMCPY_OPER", gt_sql_managed_copy(2), "Unified Device-to-Host"));
	assert_true(has_value("ENUM_CUDA_MEMCPY_OPER", gt_sql_managed_copy(8), "Unified Device-to-Device"));
	for (int i = 3; i < 8; i++)
		assert_int_equal(gt_sql_managed_copy(i), -1);
	assert_int_equal(gt_sql_managed_copy(0), -1);
}

/* The label of each type says whose time it is; what it says decides the table. */
static void overhead_of_the_profiler_is_told_from_cudas(void **state)
{
	static const struct { int cupti; const char *label; } types[] = {
		{ 1, "Driver JIT compiler (CUDA)" }, { 1 << 16, "Buffer flush (Profiler)" }, { 2 << 16, "Instrumentation (Profiler)" },
		{ 3 << 16, "Resource creation/destruction (Profiler)" }, { 4 << 16, "Runtime module loading (CUDA)" },
		{ 5 << 16, "Lazy function loading (CUDA)" }, { 6 << 16, "Command buffer full (CUDA)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		const struct gt_sql_overhead *o = gt_sql_overhead(types[i].cupti);

		assert_true(has_value("ENUM_CUPTI_OVERHEAD_TYPE", o->type, types[i].label));
		assert_int_equal(o->profiler, strstr(types[i].label, "(Profiler)") != NULL);
	}
	assert_true(gt_sql_overhead(7 << 16)->profiler);        /* younger than the enumeration: unknown there, not lost */
	assert_true(has_value("ENUM_CUPTI_OVERHEAD_TYPE", gt_sql_overhead(7 << 16)->type, "Unknown"));
	assert_string_equal(gt_sql_overhead(99 << 16)->name, "Unknown");
	assert_string_equal(gt_sql_jit_name(3), "JIT compilation");
	assert_string_equal(gt_sql_jit_name(4), "JIT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_kinds_are_one_less_and_unknown_is_last), cmocka_unit_test(launch_types_are_one_more),
		cmocka_unit_test(memory_operations_are_one_less), cmocka_unit_test(transfers_of_unified_memory_are_copies),
		cmocka_unit_test(overhead_of_the_profiler_is_told_from_cudas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
