/*
 * tests/unit/test_steps.c - opening a trace takes work and memory by its size, whatever is in it
 *
 * What opens a trace, and the report on threads, is compiled once more for this program with a call at every branch
 * (tests/tests.mk, STEPS): the steps are counted, no time is measured. Twice as much input may take twice the steps and
 * a little for sorting.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/reports/report.h"
#include "model/cuda/cuda.h"
#include "model/nvtx/ranges.h"
#include "opencl_values.h"
#include "tests/tracebuild.h"
#include "tests/tracecuda.h"

#define TRACE "steps.gputap"

enum { SOME = 3000 };

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { steps++; }

struct place { struct tb *tb; struct tb_process *p; struct tb_stream *s; };

static struct place begin(void)
{
	struct place at = { .tb = tb_open(TRACE) };

	tb_table(at.tb, "T\t1\n", 4);
	at.p = tb_process(at.tb, 100);
	tb_fact(at.p, "start_tick", "1000");
	at.s = tb_stream(at.p);
	tb_thread(at.s, 1000, 100, 1, "main");
	tb_clock(at.s, 1000, 1000);
	tb_clock(at.s, 1001000, 1001000);
	return at;
}

static uint64_t event(struct tb_stream *s, uint64_t tick, enum rec_nvtx_kind kind, uint32_t domain)
{
	return tb_record(s, REC_NVTX_EVENT, 0, (int)domain, W(tick, (uint64_t)kind | REC_NVTX_NO_MESSAGE << 8));
}

static void arguments(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		tb_run_fact(at.tb, "arg", "word");
}

static void clocks_of_run(struct place at, uint32_t n)
{
	char line[128];

	tb_run_fact(at.tb, "clock_source", "tsc");
	for (uint32_t i = 0; i < n; i++) {
		snprintf(line, sizeof line, "%u %u %u %u %u 40", 1000 + i, 1000 + i, 1000 + i, 1000 + i, 1000 + i);
		tb_run_fact(at.tb, "clock", line);
	}
}

static void threads_again(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		tb_thread(at.s, 2000 + i, 200 + i, REC_THREAD_AGAIN, "again");
}

static void open_pushes(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		event(at.s, 2000 + i, REC_NVTX_PUSH, 0);
}

static void nested_pushes(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		event(at.s, 2000 + i, REC_NVTX_PUSH, 0);
	for (uint32_t i = 0; i < n; i++)
		tb_record(at.s, REC_NVTX_POP, 0, 0, W(900000 + i));
}

/* The outermost is popped first: each is of another domain. */
static void domains_with_pushes(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		event(at.s, 2000 + i, REC_NVTX_PUSH, i + 1);
	for (uint32_t i = 0; i < n; i++)
		tb_record(at.s, REC_NVTX_POP, 0, (int)(i + 1), W(900000 + i));
}

static void ends_of_one_start(struct place at, uint32_t n)
{
	uint64_t id = event(at.s, 2000, REC_NVTX_START, 0);

	for (uint32_t i = 0; i < n; i++)
		tb_record(at.s, REC_NVTX_END, 0, 0, W(1500, id));
}

static void devices(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		tb_object(at.s, REC_OBJECT_DEVICE, 0x1000 + 16ull * i);
		tb_attr_text(at.s, CL_DEVICE_NAME, "all alike");
		tb_attr_u64(at.s, REC_ATTR_PLATFORM, 0x500);
		tb_object_end(at.s);
	}
}

static void facts_of_one_platform(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		tb_object(at.s, REC_OBJECT_PLATFORM, 0x500);
		tb_attr_u32(at.s, 77, i);
		tb_object_end(at.s);
	}
	devices(at, n);
}

/* CUDA's activities of one kind, each of an object of its own. */
static void cuda(struct place at, uint32_t n, void (*put)(struct tb_acts *a, uint32_t i))
{
	struct tb_stream *buffers = n ? tb_stream(at.p) : NULL;
	struct rec_cupti_buffer head = { .completed_tick = 900000 };

	tb_cupti_library(at.s, 1000, 130001, 13000, 0, "libcupti.so");
	tb_cupti_clock(at.s, 1000, 5000, 10, 0);
	for (uint32_t i = 0; i < n; head.number++) {
		struct tb_acts *a = tb_acts(130001);

		for (uint32_t k = 0; k < 200 && i < n; k++, i++)
			put(a, i);
		tb_cupti_buffer(buffers, a, &head);
		tb_acts_free(a);
	}
}

static void put_device(struct tb_acts *a, uint32_t i) { ACT(a, 8, F(DEVICE, id, i)); }
static void put_context(struct tb_acts *a, uint32_t i) { ACT(a, 9, F(CONTEXT, contextId, i + 1)); }
static void put_kernel(struct tb_acts *a, uint32_t i)
{
	ACT(a, 10, F(CONCURRENT_KERNEL, start, 6000 + 10 * i), F(CONCURRENT_KERNEL, end, 6005 + 10 * i),
		F(CONCURRENT_KERNEL, correlationId, i + 1), F(CONCURRENT_KERNEL, streamId, i));
}
static void put_call(struct tb_acts *a, uint32_t i)
{
	ACT(a, 5, F(RUNTIME, cbid, 211), F(RUNTIME, start, 6000 + 10 * i), F(RUNTIME, end, 6005 + 10 * i),
		F(RUNTIME, threadId, 1000 + i), F(RUNTIME, correlationId, i + 1));
}
static void put_jit(struct tb_acts *a, uint32_t i)
{
	ACT(a, 52, F(JIT, start, 6000 + 10 * i), F(JIT, end, 6005 + 10 * i), F(JIT, threadId, 1000 + i));
}
static void cuda_devices(struct place at, uint32_t n) { cuda(at, n, put_device); }
static void cuda_contexts(struct place at, uint32_t n) { cuda(at, n, put_context); }
static void cuda_streams(struct place at, uint32_t n) { cuda(at, n, put_kernel); }
static void cuda_threads(struct place at, uint32_t n) { cuda(at, n, put_call); }

/* An activity says its thread by number alone. */
static void cuda_threads_by_number(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		tb_thread(at.s, 2000 + i, 1000 + i, REC_THREAD_AGAIN, "by number");
	cuda(at, n, put_jit);
}

/* One thread, woken by as many others. */
static void wakers_of_one_thread(struct place at, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		tb_record(at.s, REC_WAKING, 0, 0, W(2000 + i, 100, (1000ull + i) | 100ull << 32));
}

static void print_wakers(struct gt_model *m, struct gt_err *err)
{
	struct gt_report_request request;
	struct gt_report_run run = { .model = m, .reports = &request, .n_reports = 1, .format = GT_TABLE_CSV,
		.from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };

	assert_int_equal(gt_report_parse("sched_sum", &request, err), 0);
	run.out = fopen("/dev/null", "w");
	assert_non_null(run.out);
	assert_int_equal(gt_reports_run(&run, err), 0);
	fclose(run.out);
}

/* Reads what the trace says of each activity. */
static void decode_all(struct gt_cuda *c)
{
	struct gt_cuda_event e;
	struct gt_err err = { 0 };

	for (int kind = 0; kind < GT_CUDA_KINDS; kind++)
		for (uint64_t i = 0; i < gt_cuda_count(c, (enum gt_cuda_kind)kind); i++)
			assert_int_equal(gt_cuda_get(c, (enum gt_cuda_kind)kind, i, &e, &err), 0);
}

static uint64_t steps_for(void (*put)(struct place, uint32_t), uint32_t n)
{
	struct place at = begin();
	struct gt_err err = { 0 };
	struct gt_model *m;

	put(at, n);
	tb_close(at.tb);
	steps = 0;
	assert_int_equal(gt_model_open(TRACE, &(struct gt_model_options){ .jobs = 1 }, &m, &err), 0);
	assert_non_null(gt_model_cuda(m, &err));
	decode_all(gt_model_cuda(m, &err));
	print_wakers(m, &err);
	gt_model_close(m);
	tb_remove(TRACE);
	return steps;
}

static void work_follows_the_input(void **state)
{
	static const struct { const char *what; void (*put)(struct place, uint32_t); } cases[] = {
		{ "arg= lines", arguments },
		{ "clock= lines", clocks_of_run },
		{ "threads told again", threads_again },
		{ "open pushes", open_pushes },
		{ "nested pushes", nested_pushes },
		{ "domains with pushes", domains_with_pushes },
		{ "ends of one start", ends_of_one_start },
		{ "devices that look alike", devices },
		{ "devices of a platform with many facts", facts_of_one_platform },
		{ "CUDA devices", cuda_devices },
		{ "CUDA contexts", cuda_contexts },
		{ "CUDA streams", cuda_streams },
		{ "CUDA calls of threads that nobody named", cuda_threads },
		{ "CUDA activities of threads by number", cuda_threads_by_number },
		{ "wakers of one thread", wakers_of_one_thread },
	};
	unsigned wrong = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t base = steps_for(cases[i].put, 0), once = steps_for(cases[i].put, SOME) - base,
			 twice = steps_for(cases[i].put, 2 * SOME) - base;

		print_message("%s: %llu steps, doubled %llu\n", cases[i].what, (unsigned long long)once,
			(unsigned long long)twice);
		assert_true(once > SOME);
		wrong += twice > once * 5 / 2;
	}
	assert_int_equal(wrong, 0);
}

/* Bytes that malloc has given out. glibc before 2.33 counts them in int: enough for what a test takes. */
static size_t held(void)
{
#if __GLIBC_PREREQ(2, 33)
	struct mallinfo2 m = mallinfo2();
#else
	struct mallinfo m = mallinfo();
#endif

	return (size_t)m.uordblks + (size_t)m.hblkhd;
}

/* A stream's number is a name: the highest there may be costs what stream 0 costs. */
static void memory_does_not_follow_the_number_of_a_stream(void **state)
{
	struct place at = begin();
	struct gt_err err = { 0 };
	struct gt_model *m;
	size_t taken;

	(void)state;
	event(at.s, 2000, REC_NVTX_MARK, 0);
	tb_close(at.tb);
	assert_int_equal(rename(TRACE "/100.1/0.str", TRACE "/100.1/4194303.str"), 0);
	taken = held();
	assert_int_equal(gt_model_open(TRACE, &(struct gt_model_options){ .jobs = 1 }, &m, &err), 0);
	taken = held() - taken;
	print_message("%zu bytes are held\n", taken);
	assert_int_equal(gt_model_range_count(m), 1);
	assert_true(taken < 8u << 20);
	gt_model_close(m);
	tb_remove(TRACE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_follows_the_input),
		cmocka_unit_test(memory_does_not_follow_the_number_of_a_stream),
	};

	return cmocka_run_group_tests_name("steps", tests, NULL, NULL);
}
