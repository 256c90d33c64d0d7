/*
 * tests/unit/test_cuda.c - model/cuda*.c: order, times, threads, joins and losses of CUDA activities
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/cudafixture.h"

#define NAME 0x7000
#define RUNTIME 5
#define DRIVER 4

static void activities_come_in_order_of_their_starts(void **state)
{
	enum { N = 3000 };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_string(f.s, START, NAME, "k");
	for (uint32_t i = 0; i < N; i++) {
		uint32_t k = i * 1237 % N;

		add_kernel(&f, k + 1, 1000 + k * 10, 1000 + k * 10 + 5, NAME);
		if (i % 200 == 199)
			fixture_buffer(&f, 500000);
	}
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_KERNEL), N);
	for (uint32_t i = 0; i < N; i++) {
		struct gt_cuda_event e = event_at(c, GT_CUDA_KERNEL, i);

		assert_int_equal(e.start_ns, 1000 + i * 10);
		assert_int_equal(e.end_ns, 1005 + i * 10);
		assert_int_equal(e.correlation, i + 1);
		assert_int_equal(gt_cuda_lower_bound(c, GT_CUDA_KERNEL, e.start_ns), i);
		assert_int_equal(gt_cuda_lower_bound(c, GT_CUDA_KERNEL, e.start_ns + 1), i + 1);
	}
	assert_int_equal(gt_cuda_lower_bound(c, GT_CUDA_KERNEL, GT_NO_TIME), 0);
	assert_int_equal(gt_model_process(m, 0)->kernels, N);
	assert_int_equal(gt_model_process(m, 0)->commands, N);
	fixture_close(&f, m);
}

/* Of two that start together the longer stands first; then the earlier place. */
static void equal_starts_are_told_apart_by_end_and_place(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	add_kernel(&f, 1, 1000, 1500, NAME);
	add_kernel(&f, 2, 1000, 1500, NAME);
	add_kernel(&f, 3, 1000, 2000, NAME);
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(event_at(c, GT_CUDA_KERNEL, 0).correlation, 3);
	assert_int_equal(event_at(c, GT_CUDA_KERNEL, 1).correlation, 1);
	assert_int_equal(event_at(c, GT_CUDA_KERNEL, 2).correlation, 2);
	fixture_close(&f, m);
}

static void driver_calls_inside_a_runtime_call_are_nested(void **state)
{
	struct gt_cuda_event e;
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_name(f.s, START, 2, 211, "cudaLaunchKernel_v7000");
	tb_cupti_name(f.s, START, 1, 307, "cuLaunchKernel");
	add_call(&f, DRIVER, 307, PID, 5, 1100, 1200);          /* inside, recorded first */
	add_call(&f, RUNTIME, 211, PID, 5, 1000, 1300);
	add_call(&f, DRIVER, 307, PID, 6, 2100, 2200);          /* of its own */
	add_call(&f, RUNTIME, 211, PID, 7, 3000, 3100);
	add_call(&f, DRIVER, 307, PID, 7, 3200, 3300);          /* the same id, but behind it */
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_CALL), 5);
	e = event_at(c, GT_CUDA_CALL, 0);
	assert_int_equal(e.call.domain, REC_DOMAIN_CUDA_RUNTIME);
	assert_string_equal(e.call.name.text, "cudaLaunchKernel_v7000");
	assert_string_equal(e.call.base.text, "cudaLaunchKernel");
	assert_string_equal(gt_cuda_fn(c, &e)->name, "cudaLaunchKernel");
	assert_false(e.call.nested);
	e = event_at(c, GT_CUDA_CALL, 1);
	assert_true(e.call.nested);
	assert_string_equal(e.call.base.text, "cuLaunchKernel");
	assert_false(event_at(c, GT_CUDA_CALL, 2).call.nested);
	assert_false(event_at(c, GT_CUDA_CALL, 4).call.nested);
	assert_true(gt_cuda_call_of(c, 0, 5, GT_NO_TIME, &e));
	assert_int_equal(e.call.domain, REC_DOMAIN_CUDA_RUNTIME);
	assert_true(gt_cuda_call_of(c, 0, 6, GT_NO_TIME, &e));
	assert_int_equal(e.call.domain, REC_DOMAIN_CUDA_DRIVER);
	assert_false(gt_cuda_call_of(c, 0, 8, GT_NO_TIME, &e));
	assert_int_equal(gt_model_process(m, 0)->calls, 4);     /* what a call does inside is not counted again */
	assert_int_equal(gt_model_thread(m, 0)->calls, 4);
	fixture_close(&f, m);
}

static void work_is_found_by_its_calls_correlation_id(void **state)
{
	struct gt_cuda_place place[4];
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	for (uint32_t i = 1; i < 200; i++) {              /* ids with gaps of all sizes */
		uint32_t id = i * i;

		add_call(&f, RUNTIME, 211, PID, id, 1000 + i * 100, 1050 + i * 100);
		add_kernel(&f, id, 1060 + i * 100, 1070 + i * 100, NAME);
		if (i % 100 == 99)
			fixture_buffer(&f, 50000);
	}
	ACT(f.a, 1, F(MEMCPY, start, at(90000)), F(MEMCPY, end, at(90100)), F(MEMCPY, correlationId, 49));
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (uint32_t id = 1; id < 200 * 200; id++) {
		uint32_t root = 0, n = gt_cuda_work_of(c, 0, id, GT_NO_TIME, place, 4);
		struct gt_cuda_event e;

		while (root * root < id)
			root++;
		if (root * root != id || root == 200) {
			assert_int_equal(n, 0);
			assert_false(gt_cuda_call_of(c, 0, id, GT_NO_TIME, &e));
			continue;
		}
		assert_int_equal(n, id == 49 ? 2 : 1);
		assert_int_equal(place[0].kind, GT_CUDA_KERNEL);
		assert_int_equal(event_at(c, GT_CUDA_KERNEL, place[0].index).correlation, id);
		assert_true(gt_cuda_call_of(c, 0, id, GT_NO_TIME, &e));
		assert_int_equal(e.correlation, id);
	}
	gt_cuda_work_of(c, 0, 49, GT_NO_TIME, place, 4);
	assert_int_equal(place[1].kind, GT_CUDA_COPY);
	assert_int_equal(gt_cuda_work_of(c, 0, 49, GT_NO_TIME, place, 1), 2);
	fixture_close(&f, m);
}

static void unusable_times_say_why_and_stand_at_their_call(void **state)
{
	static const struct { uint64_t start, end; enum rec_loss reason;
	} bad[] = { { 0, 0, REC_LOSS_TIME_ZERO }, { 0, 5000, REC_LOSS_TIME_ZERO },
		{ 6000, 5000, REC_LOSS_TIME_REVERSED }, { 6000, 0, REC_LOSS_NOT_FINISHED } };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	for (uint32_t i = 0; i < 4; i++) {
		add_call(&f, RUNTIME, 211, PID, i + 1, 1000 + i * 100, 1050 + i * 100);
		add_kernel(&f, i + 1, bad[i].start, bad[i].end, NAME);
	}
	add_kernel(&f, 77, 0, 0, NAME);                   /* and no call to stand at */
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(event_at(c, GT_CUDA_KERNEL, 0).start_ns, GT_NO_TIME);
	for (uint32_t i = 0; i < 4; i++) {
		struct gt_cuda_event e = event_at(c, GT_CUDA_KERNEL, i + 1);

		assert_false(e.timed);
		assert_int_equal(e.start_ns, 1000 + i * 100);
		assert_int_equal(e.end_ns, GT_NO_TIME);
		assert_int_equal(e.reason, bad[i].reason);
	}
	assert_int_equal(gt_model_lost(m, REC_LOSS_TIME_ZERO), 3);
	assert_int_equal(gt_model_lost(m, REC_LOSS_TIME_REVERSED), 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_NOT_FINISHED), 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_UNMATCHED_COMMAND), 1);
	assert_false(gt_model_complete(m));
	fixture_close(&f, m);
}

/* Behind the window's end nothing is a loss, but what lies among its calls is one; begun: a beginning is told, too. */
static void work_without_calls(bool begun, bool ended, uint64_t lost)
{
	struct fixture f;
	struct gt_model *m;

	fixture_begin(&f, 130000);
	if (begun)
		tb_cupti_event(f.s, START + 900, REC_CUPTI_RESUMED, 0, 0, 0, 0, 0, 0, 0);
	add_call(&f, RUNTIME, 211, PID, 6, 500, 950);   /* under way when it began */
	for (uint32_t i = 10; i < 20; i += 2)
		add_call(&f, RUNTIME, 211, PID, i, 1000 + i * 100, 1050 + i * 100);
	for (uint32_t i = 8; i < 22; i++)
		add_kernel(&f, i, 1020 + i * 100, 1040 + i * 100, NAME);
	if (ended)
		tb_cupti_event(f.s, START + 9000, REC_CUPTI_PAUSED, 0, 0, 0, 0, 0, 0, 0);
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	assert_int_equal(gt_model_lost(m, REC_LOSS_UNMATCHED_COMMAND), lost);
	fixture_close(&f, m);
}

static void work_of_calls_outside_the_window_is_no_loss(void **state)
{
	(void)state;
	work_without_calls(false, false, 4 + 2 + 3);
	work_without_calls(true, false, 4 + 3);
	work_without_calls(false, true, 4 + 2);
	work_without_calls(true, true, 4);
}

/* Without API records nothing can be missing its call. */
static void kernels_alone_are_complete(void **state)
{
	struct fixture f;
	struct gt_model *m;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_string(f.s, START, NAME, "k");
	add_kernel(&f, 5, 1000, 2000, NAME);
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	assert_true(gt_model_complete(m));
	fixture_close(&f, m);
}

static void threads_without_a_stream_appear(void **state)
{
	struct tb_stream *late;
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	late = tb_stream(f.p);
	tb_thread(late, START + 5000, 200, 0, "late");            /* its stream was opened behind its first CUDA call */
	add_call(&f, RUNTIME, 1, PID, 1, 1000, 1100);
	add_call(&f, RUNTIME, 1, 300, 2, 1200, 1300);
	add_call(&f, RUNTIME, 1, 200, 3, 1400, 1500);
	add_call(&f, RUNTIME, 1, 300, 4, 1600, 1700);
	add_call(&f, RUNTIME, 1, 301, 5, 1800, 1900);
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_model_thread_count(m), 4);
	assert_int_equal(gt_model_process(m, 0)->n_threads, 4);
	assert_int_equal(gt_model_thread(m, 2)->tid, 300);
	assert_int_equal(gt_model_thread(m, 2)->calls, 2);
	assert_false(gt_model_thread(m, 2)->main);
	assert_string_equal(gt_model_thread(m, 2)->name, "");
	for (uint64_t i = 0; i < 5; i++) {
		struct gt_cuda_event e = event_at(c, GT_CUDA_CALL, i);

		assert_int_equal(gt_model_thread(m, e.thread)->tid, e.tid);
	}
	assert_string_equal(gt_model_thread(m, event_at(c, GT_CUDA_CALL, 2).thread)->name, "late");
	fixture_close(&f, m);
}

/* A tid that two threads had, one behind the other, means the one that lived then. */
static void reused_thread_ids_are_told_apart_by_time(void **state)
{
	struct tb_stream *other;
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	other = tb_stream(f.p);
	tb_thread(other, START + 1000, 200, 0, "first");
	tb_thread_end(other, START + 2000, 200);
	tb_thread(other, START + 3000, 200, 0, "second");
	add_call(&f, RUNTIME, 1, 200, 2, 3200, 3300);
	add_call(&f, RUNTIME, 1, 200, 1, 1200, 1300);
	fixture_buffer(&f, 50000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_string_equal(gt_model_thread(m, event_at(c, GT_CUDA_CALL, 0).thread)->name, "first");
	assert_string_equal(gt_model_thread(m, event_at(c, GT_CUDA_CALL, 1).thread)->name, "second");
	fixture_close(&f, m);
}

/* An address stands for what it led to when the buffer came back; of a buffer that never did, for the last text. */
static void strings_hold_for_the_buffers_of_their_time(void **state)
{
	static const char *const expected[] = { "first", "first", "second", "second" };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_string(f.s, START + 1000, NAME, "first");
	add_kernel(&f, 1, 100, 200, NAME);
	fixture_buffer(&f, 1000);                         /* at that very tick */
	add_kernel(&f, 2, 300, 400, NAME);
	fixture_buffer(&f, 1999);
	tb_cupti_string(f.s, START + 2000, NAME, "second");
	add_kernel(&f, 3, 500, 600, NAME);
	fixture_buffer(&f, 2500);
	add_kernel(&f, 4, 700, 800, NAME);
	fixture_buffer(&f, 0);
	add_kernel(&f, 5, 900, 950, NAME);
	fixture_buffer(&f, 999);                          /* before anything was told of it */
	m = fixture_open(&f);
	c = cuda_of(m);
	for (uint64_t i = 0; i < 4; i++) {
		struct gt_cuda_event e = event_at(c, GT_CUDA_KERNEL, i);

		assert_true(e.kernel.has_name);
		assert_string_equal(e.kernel.mangled.text, expected[i]);
	}
	assert_false(event_at(c, GT_CUDA_KERNEL, 4).kernel.has_name);
	assert_int_equal(gt_model_lost(m, REC_LOSS_CUPTI_NAME_GONE), 1);
	assert_int_equal(gt_cuda_library(c, 0)->uncompleted, 1);
	fixture_close(&f, m);
}

/* A kill may fall into the midst of a record: it is none, and is counted; what stands behind it is there. */
static void records_that_a_kill_cut_are_counted(void **state)
{
	struct fixture f;
	struct gt_model *m;

	(void)state;
	fixture_begin(&f, 130001);
	add_kernel(&f, 1, 100, 200, NAME);
	ACT(f.a, 10, F(CONCURRENT_KERNEL, start, CUPTI_EPOCH + 300));
	ACT(f.a, 1, F(MEMCPY, copyKind, 1));
	ACT(f.a, 5, F(RUNTIME, cbid, 211), F(RUNTIME, start, CUPTI_EPOCH + 310));
	add_kernel(&f, 2, 400, 500, NAME);
	fixture_buffer(&f, 0);
	m = fixture_open(&f);
	assert_int_equal(gt_cuda_count(cuda_of(m), GT_CUDA_KERNEL), 2);
	assert_int_equal(gt_cuda_count(cuda_of(m), GT_CUDA_COPY), 0);
	assert_int_equal(gt_cuda_count(cuda_of(m), GT_CUDA_CALL), 0);
	assert_int_equal(gt_model_lost(m, REC_LOSS_INCOMPLETE_RECORD), 3);
	assert_int_equal(gt_model_lost(m, REC_LOSS_TIME_ZERO), 0);
	fixture_close(&f, m);
}

/*
 * CUPTI's clock runs 1000 ns ahead at one pair and 3000 at the next: straight between them, with a rate of 1 outside.
 */
static void times_follow_the_pairs(void **state)
{
	static const struct { uint64_t cupti; int64_t session;
	} points[] = { { 500, -500 }, { 1000, 0 }, { 1000 + 5000100, 5000000 }, { 1000 + 10000200, 10000000 },
		{ 1000 + 10000700, 10000500 } };
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_clock(f.s, START, CUPTI_EPOCH + 1000, 10, 0);
	tb_cupti_clock(f.s, START + 10000000, CUPTI_EPOCH + 1000 + 10000200, 30, 0);
	for (unsigned i = 0; i < 5; i++)
		ACT(f.a, 10, F(CONCURRENT_KERNEL, start, CUPTI_EPOCH + points[i].cupti),
			F(CONCURRENT_KERNEL, end, CUPTI_EPOCH + points[i].cupti + 10));
	fixture_buffer(&f, 20000000);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(event_at(c, GT_CUDA_KERNEL, i).start_ns, points[i].session);
	/* half of the wider bracket, and the host's own */
	assert_within(gt_cuda_library(c, 0)->clock_error_ns, 15, 60);
	assert_int_equal(gt_model_lost(m, REC_LOSS_CLOCK_BREAK), 0);
	fixture_close(&f, m);
}

/* A step of CUPTI's clock by a millisecond is a break; nothing runs backwards. */
static void steps_of_the_clock_are_counted(void **state)
{
	int64_t last = GT_NO_TIME;
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_clock(f.s, START, CUPTI_EPOCH, 10, 0);
	tb_cupti_clock(f.s, START + 10000000, CUPTI_EPOCH + 10000000, 10, 0);
	tb_cupti_clock(f.s, START + 20000000, CUPTI_EPOCH + 21000000, 10, 0);
	tb_cupti_clock(f.s, START + 30000000, CUPTI_EPOCH + 31000000, 10, 0);
	for (unsigned i = 0; i < 80; i++)
		ACT(f.a, 10, F(CONCURRENT_KERNEL, start, CUPTI_EPOCH + 1 + i * 400000),
			F(CONCURRENT_KERNEL, end, CUPTI_EPOCH + 2 + i * 400000),
			F(CONCURRENT_KERNEL, correlationId, i + 1));
	fixture_buffer(&f, 40000000);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (unsigned i = 0; i < 80; i++) {
		struct gt_cuda_event e = event_at(c, GT_CUDA_KERNEL, i);

		assert_int_equal(e.correlation, i + 1);
		assert_true(e.start_ns >= last);
		assert_true(e.end_ns >= e.start_ns);
		last = e.start_ns;
	}
	assert_int_equal(event_at(c, GT_CUDA_KERNEL, 60).start_ns, 1 + 60 * 400000 - 1000000);
	assert_int_equal(gt_model_lost(m, REC_LOSS_CLOCK_BREAK), 1);
	fixture_close(&f, m);
}

/* A process whose clock was never read together with CUPTI's has REALTIME of the clock sets. */
static void without_pairs_times_are_realtime(void **state)
{
	struct gt_cuda_event e;
	struct fixture f;
	struct gt_model *m;

	(void)state;
	fixture_begin(&f, 130001);
	add_kernel(&f, 1, 7000, 8000, NAME);
	fixture_buffer(&f, 20000);
	m = fixture_open(&f);
	e = event_at(cuda_of(m), GT_CUDA_KERNEL, 0);
	assert_int_equal(e.start_ns, 7000);
	assert_int_equal(e.end_ns, 8000);
	assert_int_equal(gt_model_session(m)->duration_ns, 8000);
	fixture_close(&f, m);
}

static void calls_known_by_their_arguments_alone_are_calls(void **state)
{
	const uint64_t params[2] = { 0x10, 64 };
	struct gt_cuda_event e;
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;
	uint64_t link;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_name(f.s, START, 2, 20, "cudaMalloc_v3020");
	tb_cupti_name(f.s, START, 1, 243, "cuMemAlloc_v2");
	link = tb_cuda_call(f.s, REC_FN_CUDA_RUNTIME + 20, START + 1010, 80, 0, 1, params, sizeof params, 0, NULL, 0);
	tb_cuda_call(f.s, REC_FN_CUDA_DRIVER + 243, START + 2020, 30, 2, 2, params, sizeof params, 0, NULL, 0);
	tb_cuda_call(f.s, REC_FN_CUDA_RUNTIME + 20, START + 2010, 80, 2, 2, params, sizeof params, 0, NULL, 0);
	add_call(&f, RUNTIME, 20, PID, 1, 1000, 1100);
	add_kernel(&f, 2, 3000, 4000, NAME);
	fixture_buffer(&f, 20000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_CALL), 3);
	e = event_at(c, GT_CUDA_CALL, 0);
	assert_true(e.call.has_args);
	assert_true(e.call.args_link == link);
	assert_int_equal(e.start_ns, 1000);               /* the activity's times count */
	e = event_at(c, GT_CUDA_CALL, 1);
	assert_int_equal(e.start_ns, 2010);
	assert_int_equal(e.end_ns, 2090);
	assert_true(e.timed);
	assert_int_equal(e.call.result, 2);
	assert_true(e.call.has_result);
	assert_string_equal(e.call.base.text, "cudaMalloc");
	assert_int_equal(e.tid, PID);
	assert_true(event_at(c, GT_CUDA_CALL, 2).call.nested);
	assert_int_equal(gt_model_lost(m, REC_LOSS_UNMATCHED_COMMAND), 0);
	assert_int_equal(gt_model_thread(m, 0)->calls, 2);
	fixture_close(&f, m);
}

static void graph_events_are_moments_of_their_calls(void **state)
{
	struct gt_cuda_event e;
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_name(f.s, START, 2, 301, "cudaGraphClone_v10000");
	add_call(&f, RUNTIME, 301, PID, 9, 1000, 2000);
	fixture_buffer(&f, 20000);
	tb_cupti_event(f.s, START + 1500, REC_CUPTI_GRAPH_CLONED, 0, 1, 9, 2, 1, 0, 0);
	tb_cupti_event(f.s, START + 1600, REC_CUPTI_NODE_CLONED, 0, 1, 9, 0x200000001, 0x100000001, 2, 1);
	tb_cupti_event(f.s, START + 1700, REC_CUPTI_NODE_DEPENDS, 0, 1, 9, 0x200000002, 0x200000001, 2, 0);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_GRAPH_EVENT), 1);
	assert_int_equal(gt_cuda_count(c, GT_CUDA_NODE_EVENT), 1);
	e = event_at(c, GT_CUDA_GRAPH_EVENT, 0);
	assert_int_equal(e.start_ns, 1500);
	assert_int_equal(e.end_ns, 1500);
	assert_int_equal(e.graph, 2);
	assert_true(e.graph_event.original == 1);
	assert_string_equal(e.graph_event.name.text, "cudaGraphClone_v10000");
	assert_int_equal(e.thread, 0);
	e = event_at(c, GT_CUDA_NODE_EVENT, 0);
	assert_true(e.graph_node == 0x200000001);
	assert_int_equal(e.graph, 2);
	assert_int_equal(e.graph_event.node_type, 1);
	fixture_close(&f, m);
}

static void one_device_of_two_processes_has_one_number(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	/* more than can be told */
	ACT(f.a, 8, F(DEVICE, id, 1), F(DEVICE, uuidLow, 22), F(DEVICE, globalMemoryBandwidth, 1ull << 63));
	ACT(f.a, 8, F(DEVICE, id, 0), F(DEVICE, globalMemoryBandwidth, 3350), F(DEVICE, uuidLow, 11));
	ACT(f.a, 9, F(CONTEXT, contextId, 3), F(CONTEXT, deviceId, 1));
	ACT(f.a, 37, F(STREAM, contextId, 3), F(STREAM, streamId, 9), F(STREAM, priority, 0));
	ACT(f.a, 37, F(STREAM, contextId, 3), F(STREAM, streamId, 9), F(STREAM, priority, -2));         /* told again */
	fixture_buffer(&f, 20000);
	tb_acts_free(f.a);
	fixture_process(&f, PID + 1, 22);
	ACT(f.a, 8, F(DEVICE, id, 0), F(DEVICE, uuidLow, 22));
	ACT(f.a, 8, F(DEVICE, id, 1), F(DEVICE, uuidLow, 0));           /* none known */
	fixture_buffer(&f, 20000);
	m = fixture_open(&f);
	c = cuda_of(m);
	assert_int_equal(gt_cuda_device_count(c), 4);
	assert_int_equal(gt_cuda_device_of(c, 0, 0)->index, 0);
	assert_int_equal(gt_cuda_device_of(c, 0, 1)->index, 1);
	assert_int_equal(gt_cuda_device_of(c, 0, 1)->memory_bandwidth, -1);
	assert_int_equal(gt_cuda_device_of(c, 0, 0)->memory_bandwidth, 3350000);
	assert_int_equal(gt_cuda_device_of(c, 1, 0)->index, 1);
	assert_int_equal(gt_cuda_device_of(c, 1, 1)->index, 2);
	assert_null(gt_cuda_device_of(c, 1, 2));
	assert_int_equal(gt_cuda_context_of(c, 0, 3)->device, 1);
	assert_int_equal(gt_cuda_stream_count(c), 1);
	assert_int_equal(gt_cuda_stream(c, 0)->priority, -2);
	fixture_close(&f, m);
}

/* Slices report the UUID of their device; a process may have the second of them alone. */
static void devices_of_one_uuid_are_told_apart(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;

	(void)state;
	fixture_begin(&f, 130001);
	ACT(f.a, 8, F(DEVICE, id, 0), F(DEVICE, uuidLow, 33), F(DEVICE, numMultiprocessors, 7));
	ACT(f.a, 8, F(DEVICE, id, 1), F(DEVICE, uuidLow, 33), F(DEVICE, numMultiprocessors, 9));
	ACT(f.a, 8, F(DEVICE, id, 2), F(DEVICE, uuidLow, 33), F(DEVICE, numMultiprocessors, 9));
	fixture_buffer(&f, 20000);
	tb_acts_free(f.a);
	fixture_process(&f, PID + 1, 22);
	ACT(f.a, 8, F(DEVICE, id, 0), F(DEVICE, uuidLow, 33), F(DEVICE, numMultiprocessors, 9));
	fixture_buffer(&f, 20000);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(gt_cuda_device_of(c, 0, i)->index, i);
	assert_int_equal(gt_cuda_device_of(c, 1, 0)->index, 1);
	fixture_close(&f, m);
}

static void dropped_activities_are_counted(void **state)
{
	struct fixture f;
	struct gt_model *m;

	(void)state;
	fixture_begin(&f, 130001);
	tb_cupti_dropped(f.s, START + 10, 3);
	tb_cupti_dropped(f.s, START + 20, 4);
	m = fixture_open(&f);
	assert_int_equal(gt_model_lost(m, REC_LOSS_CUPTI_DROPPED), 7);
	assert_int_equal(gt_cuda_library(cuda_of(m), 0)->dropped, 7);
	assert_false(gt_model_complete(m));
	fixture_close(&f, m);
}

static void a_trace_without_cuda_has_none(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_cuda *c;
	struct gt_cuda_event e;
	struct gt_cuda_place place;

	(void)state;
	fixture_begin(&f, 0);
	m = fixture_open(&f);
	c = cuda_of(m);
	for (int kind = 0; kind < GT_CUDA_KINDS; kind++)
		assert_int_equal(gt_cuda_count(c, (enum gt_cuda_kind)kind), 0);
	assert_null(gt_cuda_library(c, 0));
	assert_false(gt_cuda_call_of(c, 0, 1, GT_NO_TIME, &e));
	assert_int_equal(gt_cuda_work_of(c, 0, 1, GT_NO_TIME, &place, 1), 0);
	assert_true(gt_model_complete(m));
	fixture_close(&f, m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(activities_come_in_order_of_their_starts),
		cmocka_unit_test(equal_starts_are_told_apart_by_end_and_place),
		cmocka_unit_test(driver_calls_inside_a_runtime_call_are_nested),
		cmocka_unit_test(work_is_found_by_its_calls_correlation_id),
		cmocka_unit_test(unusable_times_say_why_and_stand_at_their_call),
		cmocka_unit_test(work_of_calls_outside_the_window_is_no_loss),
		cmocka_unit_test(kernels_alone_are_complete),
		cmocka_unit_test(threads_without_a_stream_appear),
		cmocka_unit_test(reused_thread_ids_are_told_apart_by_time),
		cmocka_unit_test(strings_hold_for_the_buffers_of_their_time),
		cmocka_unit_test(records_that_a_kill_cut_are_counted),
		cmocka_unit_test(times_follow_the_pairs),
		cmocka_unit_test(steps_of_the_clock_are_counted),
		cmocka_unit_test(without_pairs_times_are_realtime),
		cmocka_unit_test(calls_known_by_their_arguments_alone_are_calls),
		cmocka_unit_test(graph_events_are_moments_of_their_calls),
		cmocka_unit_test(one_device_of_two_processes_has_one_number),
		cmocka_unit_test(devices_of_one_uuid_are_told_apart),
		cmocka_unit_test(dropped_activities_are_counted),
		cmocka_unit_test(a_trace_without_cuda_has_none),
	};

	return cmocka_run_group_tests_name("cuda", tests, NULL, NULL);
}
