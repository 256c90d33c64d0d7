/*
 * tests/unit/test_sqlite_cuda.c - writers/sqlite_cuda*.c: CUPTI's numbers as the schema's, and what golden files do not
 * show
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include <sqlite3.h>

#include "cli/options.h"
#include "tests/tracecuda.h"
#include "tests/unit/sqlitequery.h"
#include "writers/sqlite/cuda.h"

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
	static const char *const labels[] = { "Unknown", "Pageable", "Pinned", "Device", "Array", "Managed",
		"Device Static", "Managed Static" };

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
		{ 1, "Driver JIT compiler (CUDA)" }, { 1 << 16, "Buffer flush (Profiler)" },
		{ 2 << 16, "Instrumentation (Profiler)" },
		{ 3 << 16, "Resource creation/destruction (Profiler)" }, { 4 << 16, "Runtime module loading (CUDA)" },
		{ 5 << 16, "Lazy function loading (CUDA)" }, { 6 << 16, "Command buffer full (CUDA)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		const struct gt_sql_overhead *o = gt_sql_overhead(types[i].cupti);

		assert_true(has_value("ENUM_CUPTI_OVERHEAD_TYPE", o->type, types[i].label));
		assert_int_equal(o->profiler, strstr(types[i].label, "(Profiler)") != NULL);
	}
	/* younger than the enumeration: unknown there, not lost */
	assert_true(gt_sql_overhead(7 << 16)->profiler);
	assert_true(has_value("ENUM_CUPTI_OVERHEAD_TYPE", gt_sql_overhead(7 << 16)->type, "Unknown"));
	assert_string_equal(gt_sql_overhead(99 << 16)->name, "Unknown");
	assert_string_equal(gt_sql_jit_name(3), "JIT compilation");
	assert_string_equal(gt_sql_jit_name(4), "JIT");
}

/* ------------------------------------------------------------ built traces */

enum { RUNTIME = 5, DEVICE = 8, CONTEXT = 9, KERNEL = 10, GREEN_CONTEXT = 59 };     /* CUPTI's activity kinds */
enum { LAUNCH = 211 };                                          /* a callback id */
enum { CUPTI = 130201 };                                        /* the oldest with all kinds */
#define T0 1000000000ull                  /* the session's zero in ticks of 1 ns */
#define AT(ns) (1000000000000000000ull + T0 + (ns))             /* that moment on CUPTI's clock: tb_clock's REALTIME */
#define NAME 0x7f1000002000ull

struct fixture {
	char dir[64], trace[96], out[96];
	struct tb *tb;
	struct tb_acts *acts;
	sqlite3 *db;
	int64_t from_ns, to_ns;
};
struct image { struct tb_process *p; struct tb_stream *s, *buffers; int pid; };

static const char table[] = "T\t1\n";    /* CUDA's functions are not in it */

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	if (!f)
		return -1;
	snprintf(f->dir, sizeof f->dir, "/tmp/gputap-sqlcuda-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	snprintf(f->trace, sizeof f->trace, "%s/t.gputap", f->dir);
	snprintf(f->out, sizeof f->out, "%s/t.sqlite", f->dir);
	f->from_ns = f->to_ns = GT_NO_TIME;
	f->tb = tb_open(f->trace);
	tb_table(f->tb, table, strlen(table));
	f->acts = tb_acts(CUPTI);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sqlite3_close(f->db);
	tb_acts_free(f->acts);
	tb_remove(f->dir);
	free(f);
	return 0;
}

/* An image of a process with CUDA: device 0, context 1. */
static struct image begin_image(struct fixture *f, int pid)
{
	struct image x = { .p = tb_process(f->tb, pid), .pid = pid };

	tb_fact(x.p, "start_tick", "1000000000");
	x.s = tb_stream(x.p);
	x.buffers = tb_stream(x.p);
	tb_thread(x.s, T0, (uint32_t)pid, REC_THREAD_MAIN, "main");
	tb_clock(x.s, T0, T0);
	tb_clock(x.s, T0 + 1000000, T0 + 1000000);
	tb_cupti_library(x.s, T0 + 100, CUPTI, 13000, 0, "libcupti.so.13");
	tb_cupti_clock(x.s, T0 + 200, AT(200), 20, AT(200));
	tb_cupti_name(x.s, T0 + 300, 2, LAUNCH, "cudaLaunchKernel_v7000");
	tb_cupti_string(x.s, T0 + 400, NAME, "_Z4workv");
	ACT(f->acts, DEVICE, F(DEVICE, id, 0), F(DEVICE, numMultiprocessors, 8), F(DEVICE, uuidLow, 1));
	ACT(f->acts, CONTEXT, F(CONTEXT, contextId, 1), F(CONTEXT, deviceId, 0), F(CONTEXT, nullStreamId, 7),
		F(CONTEXT, parentContextId, UINT32_MAX));
	return x;
}

static void call(struct fixture *f, const struct image *x, uint32_t correlation, uint64_t start, uint64_t end)
{
	ACT(f->acts, RUNTIME, F(RUNTIME, cbid, LAUNCH), F(RUNTIME, start, AT(start)),
		F(RUNTIME, end, end ? AT(end) : 0), F(RUNTIME, processId, x->pid), F(RUNTIME, threadId, x->pid),
		F(RUNTIME, correlationId, correlation));
}

static void kernel(
	struct fixture *f, uint32_t device, uint32_t context, uint32_t correlation, uint64_t start, uint64_t end)
{
	ACT(f->acts, KERNEL, F(CONCURRENT_KERNEL, start, AT(start)), F(CONCURRENT_KERNEL, end, AT(end)),
		F(CONCURRENT_KERNEL, deviceId, device), F(CONCURRENT_KERNEL, contextId, context),
		F(CONCURRENT_KERNEL, streamId, 7), F(CONCURRENT_KERNEL, correlationId, correlation),
		F(CONCURRENT_KERNEL, name, NAME));
}

static void end_image(struct fixture *f, struct image *x)
{
	struct rec_cupti_buffer head = { .number = 1, .requested_tick = T0 + 300, .completed_tick = T0 + 900000 };

	tb_cupti_buffer(x->buffers, f->acts, &head);
}

static void export(struct fixture *f)
{
	struct gt_err err = { 0 };
	struct gt_options o;
	struct gt_export x = {
		.from_ns = f->from_ns, .to_ns = f->to_ns, .path = f->out, .final_path = "t.sqlite", .options = &o
	};

	tb_close(f->tb);
	assert_int_equal(gt_options_init(&o, &gt_option_list, REC_SCOPE_E, &err), 0);
	if (gt_model_open(f->trace, NULL, &x.model, &err) || gt_writer_find("sqlite")->write(&x, &err))
		fail_msg("%s (%s)", err.what, err.why);
	gt_model_close(x.model);
	gt_options_free(&o);
	assert_int_equal(sqlite3_open_v2(f->out, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* CUPTI numbers each image of a pid from 1: the second one's ids are 2^33 more. */
static void images_of_one_pid_have_ids_of_their_own(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 2; i++) {
		struct image x = begin_image(f, 100);

		call(f, &x, 5, 1000 + 10000 * (uint64_t)i, 2000 + 10000 * (uint64_t)i);
		kernel(f, 0, 1, 5, 3000 + 10000 * (uint64_t)i, 4000 + 10000 * (uint64_t)i);
		end_image(f, &x);
	}
	export(f);
	expect_rows(f,
		"SELECT correlationId, r.start, k.start FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN "
	        "CUPTI_ACTIVITY_KIND_KERNEL k USING (correlationId)",
		"5|1000|3000\n8589934597|11000|13000\n");
}

static void check_green_work(struct fixture *f, struct image x)
{
	kernel(f, 0, 2, 1, 3000, 4000);
	kernel(f, 0, 1, 2, 5000, 6000);
	end_image(f, &x);
	export(f);
	expect_rows(f, "SELECT contextId, greenContextId FROM CUPTI_ACTIVITY_KIND_KERNEL", "1|2\n1|NULL\n");
	expect_rows(f,
		"SELECT contextId, parentContextId, isGreenContext, numMultiprocessors FROM "
	        "TARGET_INFO_CUDA_CONTEXT_INFO",
		"1|0|0|0\n2|1|1|4\n");
}

/* The context that the green one is a part of is where older consumers look. */
static void green_work_stands_in_its_context(void **state)
{
	struct fixture *f = *state;
	struct image x = begin_image(f, 100);

	ACT(f->acts, CONTEXT, F(CONTEXT, contextId, 2), F(CONTEXT, deviceId, 0), F(CONTEXT, nullStreamId, 9),
		F(CONTEXT, parentContextId, 1), F(CONTEXT, isGreenContext, 1), F(CONTEXT, numMultiprocessors, 4));
	check_green_work(f, x);
}

/* As CUDA 13.2 and newer tell of it; a plain record of the same context behind it takes nothing away. */
static void green_work_by_the_record_of_its_own_does_too(void **state)
{
	struct fixture *f = *state;
	struct image x = begin_image(f, 100);

	ACT(f->acts, GREEN_CONTEXT, F(GREEN_CONTEXT, contextId, 2), F(GREEN_CONTEXT, parentContextId, 1),
		F(GREEN_CONTEXT, deviceId, 0), F(GREEN_CONTEXT, numMultiprocessors, 4));
	ACT(f->acts, CONTEXT, F(CONTEXT, contextId, 2), F(CONTEXT, deviceId, 0), F(CONTEXT, nullStreamId, 9));
	check_green_work(f, x);
}

/* Joins with TARGET_INFO_GPU lose nothing, whatever CUPTI left undescribed. */
static void a_device_that_nobody_described_has_a_row(void **state)
{
	struct fixture *f = *state;
	struct image x = begin_image(f, 100);

	kernel(f, 6, 3, 1, 3000, 4000);
	end_image(f, &x);
	export(f);
	expect_rows(f,
		"SELECT deviceId, contextId, name FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN TARGET_INFO_GPU ON id = "
	        "deviceId",
		"-1|3|[Unknown]\n");
}

/* The process died inside: nobody knows when the call would have ended, or with what. */
static void a_call_that_never_came_back_says_so(void **state)
{
	struct fixture *f = *state;
	struct image x = begin_image(f, 100);

	call(f, &x, 1, 1000, 0);
	end_image(f, &x);
	export(f);
	expect_rows(f, "SELECT start, end, returnValue FROM CUPTI_ACTIVITY_KIND_RUNTIME", "1000|1000|-1\n");
}

/* Clocks disagree by their error; consumers subtract. */
static void work_is_not_shown_before_its_call(void **state)
{
	struct fixture *f = *state;
	struct image x = begin_image(f, 100);

	call(f, &x, 1, 1000, 2000);
	kernel(f, 0, 1, 1, 990, 995);
	end_image(f, &x);
	export(f);
	expect_rows(f, "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL", "1000|1000\n");
	expect_rows(f,
		"SELECT text FROM DIAGNOSTIC_EVENT WHERE text LIKE '%moved%' AND severity = 2 AND text NOT LIKE "
	        "'complete%'",
		"2 times moved in an output that needs an order\n");
}

/* A window takes a call for its work's sake, and all work of a call for the call's. */
static void a_window_keeps_calls_and_their_work_together(void **state)
{
	struct fixture *f = *state;
	struct image x = begin_image(f, 100);

	call(f, &x, 1, 1000, 2000);
	kernel(f, 0, 1, 1, 5000, 6000);           /* in the window, its call is not */
	call(f, &x, 2, 5500, 5600);
	kernel(f, 0, 1, 2, 8000, 9000);           /* the other way round */
	call(f, &x, 3, 7000, 7100);
	kernel(f, 0, 1, 3, 9100, 9200);           /* neither */
	end_image(f, &x);
	f->from_ns = 5500;
	f->to_ns = 5900;
	export(f);
	expect_rows(f, "SELECT correlationId, start FROM CUPTI_ACTIVITY_KIND_RUNTIME", "1|1000\n2|5500\n");
	expect_rows(f, "SELECT correlationId, start FROM CUPTI_ACTIVITY_KIND_KERNEL", "1|5000\n2|8000\n");
}

int main(void)
{
#define TRACE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_kinds_are_one_less_and_unknown_is_last),
		cmocka_unit_test(launch_types_are_one_more),
		cmocka_unit_test(memory_operations_are_one_less),
		cmocka_unit_test(transfers_of_unified_memory_are_copies),
		cmocka_unit_test(overhead_of_the_profiler_is_told_from_cudas),
		TRACE(images_of_one_pid_have_ids_of_their_own),
		TRACE(green_work_stands_in_its_context),
		TRACE(green_work_by_the_record_of_its_own_does_too),
		TRACE(a_device_that_nobody_described_has_a_row),
		TRACE(a_call_that_never_came_back_says_so),
		TRACE(work_is_not_shown_before_its_call),
		TRACE(a_window_keeps_calls_and_their_work_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
