/*
 * writers/sqlite/cuda_values.c - CUPTI's numbers as the schema's
 *
 * Copy kinds, synchronisation types, stream flags, migration causes, page fault accesses and memory pools have the same
 * numbers in both and are not here.
 * spec: nsys SQLite ENUM_CUDA_MEM_KIND, ENUM_CUDA_KERNEL_LAUNCH_TYPE, ENUM_CUDA_DEV_MEM_EVENT_OPER,
 * ENUM_CUPTI_OVERHEAD_TYPE
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/sqlite/cuda.h"

/* CUPTI counts from 0 = unknown, 1 = pageable; the schema from 0 = pageable, and unknown is last. */
int gt_sql_mem_kind(int cupti)
{
	return cupti >= 1 && cupti <= GT_MEM_UNKNOWN ? cupti - 1 : GT_MEM_UNKNOWN;
}

/* CUPTI: 0 regular, 1 and 2 cooperative; the schema has 0 = unknown before them. */
int gt_sql_launch_type(int64_t cupti)
{
	return cupti >= 0 && cupti <= 2 ? (int)cupti + 1 : 0;
}

int gt_sql_memory_operation(int cupti)
{
	return cupti == 1 || cupti == 2 ? cupti - 1 : -1;
}

int gt_sql_managed_copy(int counter)
{
	switch (counter) {
	case 1: return GT_COPYKIND_UVM_HTOD;
	case 2: return GT_COPYKIND_UVM_DTOH;
	case 8: return GT_COPYKIND_UVM_DTOD;
	default: return -1;
	}
}

/*
 * The labels of ENUM_CUPTI_OVERHEAD_TYPE say which are the profiler's. Names of 2<<16 and 3<<16, and of a flush, are
 * those that other tools' rules look for; types behind 6<<16 are younger than the enumeration.
 */
const struct gt_sql_overhead *gt_sql_overhead(int cupti)
{
	static const struct gt_sql_overhead known[] = {
		{ 1, 2, false, "Driver JIT compiler" },
		{ 1 << 16, 3, true, "CUDA profiling data flush overhead" },
		{ 2 << 16, 4, true, "CUPTI Instrumentation" },
		{ 3 << 16, 5, true, "CUPTI Resource Management" },
		{ 4 << 16, 6, false, "Runtime module loading" },
		{ 5 << 16, 7, false, "Lazy function loading" },
		{ 6 << 16, 8, false, "Command buffer full" },
		{ 7 << 16, 1, true, "CUPTI Buffer Request" },
		{ 8 << 16, 1, true, "Unified memory tracing initialization" },
		{ 0, 1, false, "Unknown" },
	};
	size_t i = 0;

	while (known[i].cupti && known[i].cupti != cupti)
		i++;
	return &known[i];
}

const char *gt_sql_jit_name(int operation)
{
	static const char *const names[] = { "JIT", "JIT cache load", "JIT cache store", "JIT compilation" };

	return names[operation >= 0 && operation < 4 ? operation : 0];
}
