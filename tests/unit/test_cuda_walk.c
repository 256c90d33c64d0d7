/*
 * tests/unit/test_cuda_walk.c - CUDA calls in the walk: their place among other calls, their numbers, windows
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/unit/within.h"

#include "ids.h"
#include "model/cuda/cuda.h"
#include "tests/tracecuda.h"
#include "tests/unit/tablefixture.h"

#define TRACE "test_cuda_walk.gputap"
#define REAL 1000000000000000000ull       /* REALTIME - MONOTONIC, as tb_clock says */
#define TICKS_PER_NS 4                    /* a rate that ns can tell exactly */
#define TID 100

enum { KERNEL = 10, DRIVER = 4, RUNTIME = 5 };
enum { FREE = 22, MALLOC = 20, LAUNCH = 211, SYNCHRONIZE = 165, DRIVER_LAUNCH = 307 };

/* ------------------------------------------------------------------ building */

static int load_table(void **state)
{
	(void)state;
	return read_table();
}

static int drop_table(void **state)
{
	(void)state;
	free(table_text);
	tb_remove(TRACE);
	return 0;
}

/* Times are ns of CLOCK_MONOTONIC; session time 0 is at 1000. */
struct build { struct tb *tb; struct tb_process *p; struct tb_stream *s; struct tb_acts *a; };

static uint64_t tick(uint64_t ns) { return ns * TICKS_PER_NS; }

static void begin_process(struct build *b, int pid)
{
	b->p = tb_process(b->tb, pid);
	tb_fact(b->p, "start_tick", "4000");
	b->s = tb_stream(b->p);
	tb_thread(b->s, tick(1000), (uint32_t)pid, 1, "main");
	tb_clock(b->s, tick(1000), 1000);
	tb_clock(b->s, tick(101000), 101000);
	tb_clock(b->s, tick(1001000), 1001000);
	tb_cupti_library(b->s, tick(1000), 130001, 13000, 0, "libcupti.so.13");
	tb_cupti_clock(b->s, tick(1000), REAL + 1000, 30, REAL + 1000);
	tb_cupti_clock(b->s, tick(1001000), REAL + 1001000, 30, REAL + 1001000);
	tb_cupti_name(b->s, tick(1000), 2, FREE, "cudaFree_v3020");
	tb_cupti_name(b->s, tick(1000), 2, MALLOC, "cudaMalloc_v3020");
	tb_cupti_name(b->s, tick(1000), 2, LAUNCH, "cudaLaunchKernel_v7000");
	tb_cupti_name(b->s, tick(1000), 2, SYNCHRONIZE, "cudaDeviceSynchronize_v3020");
	tb_cupti_name(b->s, tick(1000), 1, DRIVER_LAUNCH, "cuLaunchKernel");
	b->a = tb_acts(130001);
}

static void begin(struct build *b)
{
	b->tb = tb_open(TRACE);
	tb_table(b->tb, table_text, table_bytes);
	begin_process(b, TID);
}

static void end_process(struct build *b)
{
	struct rec_cupti_buffer head = { .number = 1, .requested_tick = tick(1000), .completed_tick = tick(900000) };

	tb_cupti_buffer(tb_stream(b->p), b->a, &head);
	tb_acts_free(b->a);
}

static struct gt_model *finish(struct build *b)
{
	struct gt_model *m = NULL;
	struct gt_err err = { 0 };

	end_process(b);
	tb_close(b->tb);
	if (gt_model_open(TRACE, NULL, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

static void opencl(struct build *b, uint32_t fn, uint64_t start, uint64_t ns)
{
	tb_call_bare(b->s, fn, tick(start), tick(ns), 0);
}

static void cuda(struct build *b, uint32_t kind, uint32_t cbid, uint32_t correlation, uint64_t start, uint64_t ns,
	uint32_t result)
{
	ACT(b->a, kind, F(RUNTIME, cbid, cbid), F(RUNTIME, start, REAL + start), F(RUNTIME, end, REAL + start + ns),
		F(RUNTIME, processId, TID), F(RUNTIME, threadId, TID), F(RUNTIME, correlationId, correlation),
		F(RUNTIME, returnValue, result));
}

static void kernel(struct build *b, uint32_t correlation, uint64_t start, uint64_t ns)
{
	ACT(b->a, KERNEL, F(CONCURRENT_KERNEL, start, REAL + start), F(CONCURRENT_KERNEL, end, REAL + start + ns),
		F(CONCURRENT_KERNEL, correlationId, correlation), F(CONCURRENT_KERNEL, streamId, 7),
		F(CONCURRENT_KERNEL, contextId, 1));
}

/* ------------------------------------------------------------------ checking */

/* "name#id", with "!cmd_id" where there is one, of all calls that a walk gives. */
static const char *walked(struct gt_model *m, const struct gt_walk_options *o)
{
	static char text[2000];
	const struct gt_call *call;
	struct gt_err err = { 0 };
	struct gt_walk *w;
	int more;

	text[0] = 0;
	assert_int_equal(gt_walk_open(m, o, &w, &err), 0);
	while ((more = gt_walk_next(w, &call, &err)) == 1) {
		size_t n = strlen(text);

		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s#%llu", n ? " " : "", call->fn->name,
			(unsigned long long)call->id);
		if (call->cmd_id)
			snprintf(text + n, sizeof text - n, "!%llu", (unsigned long long)call->cmd_id);
	}
	assert_int_equal(more, 0);
	gt_walk_close(w);
	return text;
}

static struct gt_walk_options options(bool cuda_too, bool nested)
{
	return (struct gt_walk_options){
		.process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .cuda = cuda_too, .cuda_nested = nested
	};
}

/* A program that uses both, written down out of order. */
static struct gt_model *both(void)
{
	struct build b;

	begin(&b);
	opencl(&b, FN_clFlush, 2000, 100);
	opencl(&b, FN_clEnqueueBarrierWithWaitList, 4000, 100);
	opencl(&b, FN_clFinish, 6000, 100);
	cuda(&b, RUNTIME, LAUNCH, 3, 5000, 500, 0);
	cuda(&b, RUNTIME, MALLOC, 1, 1500, 200, 0);
	cuda(&b, DRIVER, DRIVER_LAUNCH, 3, 5100, 300, 0);
	cuda(&b, RUNTIME, LAUNCH, 2, 3000, 500, 0);
	cuda(&b, RUNTIME, LAUNCH, 4, 7000, 500, 9);
	cuda(&b, DRIVER, DRIVER_LAUNCH, 5, 8000, 500, 0);
	kernel(&b, 2, 50000, 1000);
	return finish(&b);
}

/* Calls of all domains come in one order of start and under one count; command ids too, for what succeeded. */
static void calls_of_both_come_in_one_order_and_count(void **state)
{
	struct gt_model *m = both();
	struct gt_walk_options o = options(true, false);

	(void)state;
	for (int again = 0; again < 2; again++) /* a second walk counts from the beginning */
		assert_string_equal(walked(m, &o),
			"cudaMalloc#1 clFlush#2 cudaLaunchKernel#3!1 clEnqueueBarrierWithWaitList#4!2 "
		        "cudaLaunchKernel#5!3 "
			"clFinish#6 cudaLaunchKernel#7 cuLaunchKernel#8!4");
	gt_model_close(m);
}

/* Who does not ask for CUDA calls sees what was there before there were any. */
static void without_the_option_nothing_changes(void **state)
{
	struct gt_model *m = both();
	struct gt_walk_options o = options(false, true);

	(void)state;
	assert_string_equal(walked(m, &o), "clFlush#1 clEnqueueBarrierWithWaitList#2!1 clFinish#3");
	gt_model_close(m);
}

/*
 * A driver call inside a runtime call of the same correlation id is given when asked for; the command stays the
 * runtime call's.
 */
static void nested_driver_calls_have_no_command_id(void **state)
{
	struct gt_model *m = both();
	struct gt_walk_options o = options(true, true);

	(void)state;
	assert_string_equal(walked(m, &o),
		"cudaMalloc#1 clFlush#2 cudaLaunchKernel#3!1 clEnqueueBarrierWithWaitList#4!2 cudaLaunchKernel#5!3 "
		"cuLaunchKernel#6 clFinish#7 cudaLaunchKernel#8 cuLaunchKernel#9!4");
	gt_model_close(m);
}

/* A window hides calls and changes no number; a call whose kernel runs in it is kept. */
static void windows_change_no_number(void **state)
{
	struct gt_model *m = both();
	struct gt_walk_options o = options(true, false);

	(void)state;
	o.from_ns = 3500;
	o.to_ns = 5500;
	assert_string_equal(walked(m, &o), "cudaLaunchKernel#5!3 clFinish#6");
	o.from_ns = 49500;
	o.to_ns = 49600;
	assert_string_equal(walked(m, &o), "cudaLaunchKernel#3!1");
	gt_model_close(m);
}

/* Of calls that begin together the one that ends last encloses the others. */
static void enclosing_call_comes_first(void **state)
{
	struct gt_walk_options o = options(true, false);
	struct gt_model *m;
	struct build b;

	(void)state;
	begin(&b);
	opencl(&b, FN_clFlush, 2000, 100);
	opencl(&b, FN_clFinish, 3000, 900);
	cuda(&b, RUNTIME, MALLOC, 1, 2000, 500, 0);
	cuda(&b, RUNTIME, FREE, 2, 3000, 300, 0);
	m = finish(&b);
	assert_string_equal(walked(m, &o), "cudaMalloc#1 clFlush#2 clFinish#3 cudaFree#4");
	gt_model_close(m);
}

/* The function, thread, times of all three clocks and the result of a call. */
static void call_says_what_it_is(void **state)
{
	struct gt_walk_options o = options(true, false);
	const struct gt_call *call;
	const struct gt_fn *fn;
	struct gt_err err = { 0 };
	struct gt_arg arg;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	begin(&b);
	cuda(&b, RUNTIME, LAUNCH, 1, 50000, 700, 4);
	cuda(&b, DRIVER, DRIVER_LAUNCH, 2, 60000, 700, 0);
	m = finish(&b);
	assert_int_equal(gt_walk_open(m, &o, &w, &err), 0);
	assert_int_equal(gt_walk_next(w, &call, &err), 1);
	fn = call->fn;
	assert_string_equal(fn->name, "cudaLaunchKernel");
	assert_string_equal(fn->ret_type, "cudaError_t");
	assert_int_equal(fn->domain, REC_DOMAIN_CUDA_RUNTIME);
	assert_int_equal(fn->id, REC_FN_CUDA_RUNTIME + LAUNCH);
	assert_int_equal(call->result, 4);
	assert_int_equal(call->start_ns, 49000);
	assert_int_equal(call->end_ns, 49700);
	assert_int_equal(call->start_mono_ns, 50000);
	assert_int_equal(gt_model_mono_ns(m, 0, call->end_ns), call->end_mono_ns);
	assert_within(call->start_tick, tick(50000) - 2, tick(50000) + 2);
	assert_within(call->end_tick, tick(50700) - 2, tick(50700) + 2);
	assert_int_equal(gt_call_tid(call), TID);
	assert_int_equal(call->cuda->correlation, 1);
	assert_false(gt_call_arg(call, 0, &arg));
	assert_int_equal(gt_walk_next(w, &call, &err), 1);
	assert_string_equal(call->fn->ret_type, "CUresult");
	assert_int_equal(call->fn->id, REC_FN_CUDA_DRIVER + DRIVER_LAUNCH);
	assert_int_equal(gt_walk_next(w, &call, &err), 0);
	gt_walk_close(w);
	assert_string_equal(fn->name, "cudaLaunchKernel"); /* as long as the model */
	gt_model_close(m);
}

/* A walk of one process gives its calls alone, and each process counts for itself. */
static void processes_count_for_themselves(void **state)
{
	struct gt_walk_options o = options(true, false);
	struct gt_model *m;
	struct build b;

	(void)state;
	begin(&b);
	cuda(&b, RUNTIME, LAUNCH, 1, 50000, 700, 0);
	end_process(&b);
	begin_process(&b, TID + 1);
	cuda(&b, RUNTIME, LAUNCH, 1, 40000, 700, 0);
	cuda(&b, RUNTIME, FREE, 2, 60000, 700, 0);
	m = finish(&b);
	assert_string_equal(walked(m, &o), "cudaLaunchKernel#1!1 cudaLaunchKernel#1!1 cudaFree#2");
	o.process = 1;
	assert_string_equal(walked(m, &o), "cudaLaunchKernel#1!1 cudaFree#2");
	gt_model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_both_come_in_one_order_and_count),
		cmocka_unit_test(without_the_option_nothing_changes),
		cmocka_unit_test(nested_driver_calls_have_no_command_id),
		cmocka_unit_test(windows_change_no_number),
		cmocka_unit_test(enclosing_call_comes_first),
		cmocka_unit_test(call_says_what_it_is),
		cmocka_unit_test(processes_count_for_themselves),
	};

	return cmocka_run_group_tests(tests, load_table, drop_table);
}
