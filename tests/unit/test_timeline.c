/*
 * tests/unit/test_timeline.c - one timeline: order, overlap, windows, counters, tracks, records that nobody knows
 *
 * Session time 0 is tick START; a tick is a nanosecond.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/cudafixture.h"

#include "ids.h"
#include "model/timeline.h"

#define DEVICE_CLOCK 7000000000ull /* device ns at tick 0 */
#define NO_FUNCTION 0xbf0u         /* in OpenCL's range; no table has it */

static const struct gt_timeline_options everything = {
	.process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .counters = true
};
static const struct gt_timeline_options uncounted = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };

/* ------------------------------------------------------------------ building */

static void begin(struct fixture *f)
{
	fixture_begin(f, 130001);
	tb_calibration(f->s, START, 0, DEVICE_CLOCK + START, 0, 2);
	tb_calibration(f->s, START + 1000000, 0, DEVICE_CLOCK + START + 1000000, 0, 2);
}

/* A launch without arguments; device times are those of the session. 0: none. */
static uint64_t launch(struct fixture *f, uint64_t at_ns, uint64_t ns, int64_t start, int64_t end)
{
	uint64_t link = tb_call_bare(f->s, FN_clEnqueueNDRangeKernel, START + at_ns, ns, 0);
	uint64_t zero = DEVICE_CLOCK + START;

	if (end)
		tb_command(f->s, link, zero + at_ns, zero + at_ns, zero + (uint64_t)start, zero + (uint64_t)end, 0);
	return link;
}

static void push(struct fixture *f, uint64_t at_ns, enum rec_nvtx_kind kind, const char *text)
{
	uint64_t words[64] = { START + at_ns, (uint64_t)kind | REC_NVTX_TEXT << 8 };

	tb_record(f->s, REC_NVTX_EVENT, 0, 0, words, tb_put_text(words, 2, text, (uint32_t)strlen(text)));
}

static void pop(struct fixture *f, uint64_t at_ns) { tb_record(f->s, REC_NVTX_POP, 0, 0, W(START + at_ns)); }

/* For processes that tests/cudasession.c adds. */
static void add_table(struct fixture *f)
{
	const char *build = getenv("GPUTAP_BUILD");
	char path[4096], *text = malloc(4u << 20);
	FILE *from;

	snprintf(path, sizeof path, "%s/gen/table.txt", build ? build : "build");
	from = fopen(path, "rb");
	assert_true(text && from);
	tb_table(f->tb, text, fread(text, 1, 4u << 20, from));
	fclose(from);
	free(text);
}

/* ------------------------------------------------------------------- reading */

static int64_t last_ns; /* of the item before, of the timeline that was opened last: one is open at a time */

static struct gt_timeline *open_timeline(struct gt_model *m, const struct gt_timeline_options *opt)
{
	struct gt_timeline *t;
	struct gt_err err = { 0 };

	if (gt_timeline_open(m, opt, &t, &err))
		fail_msg("%s", err.what);
	last_ns = INT64_MIN;
	return t;
}

/* Checks what holds for every item on the way. */
static bool next(struct gt_timeline *t, struct gt_item *out)
{
	const struct gt_item *item;
	const struct gt_track *track;
	struct gt_err err = { 0 };
	int rc = gt_timeline_next(t, &item, &err);

	if (rc < 0)
		fail_msg("%s", err.what);
	if (rc == 0)
		return false;
	assert_true(item->at_ns >= last_ns);
	last_ns = item->at_ns;
	track = gt_timeline_track(t, item->track);
	assert_non_null(track);
	assert_non_null(track->name.text);
	assert_true(track->parent == GT_NO_TRACK || track->parent < track->index);
	assert_non_null(item->name.text);
	if (item->timed && !item->never_ended)
		assert_true(item->end_ns >= item->start_ns);
	else
		assert_true(item->end_ns == GT_NO_TIME);
	*out = *item;
	return true;
}

/* "kind start-end kind start-end ...": what came, in order. */
static const char *told(struct gt_model *m, const struct gt_timeline_options *opt)
{
	static char text[4096];
	struct gt_timeline *t = open_timeline(m, opt);
	struct gt_item item;
	size_t n = 0;

	text[0] = 0;
	while (next(t, &item)) {
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", gt_item_facts[item.kind].name);
		if (item.kind == GT_ITEM_COUNTER)
			n += (size_t)snprintf(text + n, sizeof text - n, "=%lld", (long long)item.value);
		if (item.start_ns == GT_NO_TIME)
			continue;
		n += (size_t)snprintf(text + n, sizeof text - n, ":%lld", (long long)item.start_ns);
		if (item.end_ns != item.start_ns && item.end_ns != GT_NO_TIME)
			n += (size_t)snprintf(text + n, sizeof text - n, "-%lld", (long long)item.end_ns);
	}
	gt_timeline_close(t);
	return text;
}

static bool find(struct gt_model *m, enum gt_item_kind kind, struct gt_item *out)
{
	struct gt_timeline *t = open_timeline(m, &everything);
	bool found = false;

	while (!found && next(t, out))
		found = out->kind == kind;
	gt_timeline_close(t);
	return found;
}

/* --------------------------------------------------------------------- tests */

/* Calls, ranges, marks, commands and CUDA's work come in one order of time, whatever they were recorded as. */
static void everything_in_one_order(void **state)
{
	struct fixture f;
	struct gt_model *m;

	(void)state;
	begin(&f);
	push(&f, 100, REC_NVTX_PUSH, "step");
	launch(&f, 200, 50, 1000, 1500);
	launch(&f, 300, 50, 400, 900);
	push(&f, 350, REC_NVTX_MARK, "here");
	tb_call_bare(f.s, FN_clFinish, START + 600, 1000, 0);
	pop(&f, 2000);
	add_call(&f, 5, 211, PID, 1, 700, 800);
	add_kernel(&f, 1, 1200, 1300, 0);
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);

	assert_string_equal(told(m, &uncounted),
		"range:100-2000 call:200-250 call:300-350 mark:350 kernel:400-900 call:600-1600 call:700-800 "
		"kernel:1000-1500 kernel:1200-1300");
	fixture_close(&f, m);
}

/* What encloses stands before what begins with it; what runs on a device behind what runs on the host. */
static void at_one_time_the_longer_first_and_the_device_last(void **state)
{
	struct fixture f;
	struct gt_model *m;

	(void)state;
	begin(&f);
	launch(&f, 100, 50, 500, 3000);
	tb_call_bare(f.s, FN_clFlush, START + 500, 10, 0);
	push(&f, 500, REC_NVTX_PUSH, "a");
	pop(&f, 700);
	m = fixture_open(&f);

	assert_string_equal(told(m, &uncounted), "call:100-150 range:500-700 call:500-510 kernel:500-3000");
	fixture_close(&f, m);
}

/* A device clock that is off by its error cannot put a command before its call; its times stay as they are. */
static void a_command_stands_behind_its_call(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_item item;

	(void)state;
	begin(&f);
	tb_call_bare(f.s, FN_clFlush, START + 960, 10, 0);
	launch(&f, 1000, 50, 950, 990);
	m = fixture_open(&f);

	assert_string_equal(told(m, &uncounted), "call:960-970 call:1000-1050 kernel:950-990");
	assert_true(find(m, GT_ITEM_KERNEL, &item));
	assert_int_equal(item.at_ns, 1000);
	fixture_close(&f, m);
}

/* However long the trace: only what is enqueued and has not begun is kept. */
static void memory_is_bounded_by_overlap(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_timeline *t;
	struct gt_item item;
	unsigned n = 0;

	(void)state;
	begin(&f);
	for (uint64_t i = 0; i < 1000; i++)
		launch(&f, 1000 * i, 100, (int64_t)(1000 * i + 2500), (int64_t)(1000 * i + 3400));
	m = fixture_open(&f);
	t = open_timeline(m, &everything);
	while (next(t, &item))
		n += item.kind == GT_ITEM_KERNEL;
	assert_int_equal(n, 1000);
	assert_within(gt_timeline_most_pending(t), 3, 4);
	gt_timeline_close(t);
	fixture_close(&f, m);
}

/* All commands behind one gate are kept until it opens, and come in order then. */
static void what_waits_comes_in_order(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_timeline *t;
	struct gt_item item;
	unsigned n = 0;

	(void)state;
	begin(&f);
	for (uint64_t i = 0; i < 1000; i++)
		launch(&f, 100 * i, 50, (int64_t)(900000 - 10 * i), (int64_t)(900000 - 10 * i + 5));
	m = fixture_open(&f);
	t = open_timeline(m, &uncounted);
	while (next(t, &item))
		n += item.kind == GT_ITEM_KERNEL;
	assert_int_equal(n, 1000);
	assert_int_equal(gt_timeline_most_pending(t), 1000);
	gt_timeline_close(t);
	fixture_close(&f, m);
}

/* A call of an unknown function tells its times, any other unknown record only its number; the rest is read. */
static void unknown_records_are_items(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_item item;

	(void)state;
	begin(&f);
	tb_call_bare(f.s, FN_clFlush, START + 100, 10, 0);
	tb_call_bare(f.s, NO_FUNCTION, START + 200, 30, 0);
	tb_record(f.s, REC_TYPE_COUNT + 5, 0, 0, W(START + 250, 7));
	tb_call_bare(f.s, FN_clFlush, START + 300, 10, 0);
	m = fixture_open(&f);

	assert_string_equal(told(m, &everything), "other call:100-110 other:200-230 call:300-310");
	assert_true(find(m, GT_ITEM_OTHER, &item));
	assert_int_equal(item.type, REC_TYPE_COUNT + 5);
	assert_false(item.timed);
	assert_int_equal(gt_model_thread(m, item.thread)->tid, PID);
	fixture_close(&f, m);
}

/* A window keeps what overlaps it; a call also when its command does. */
static void a_window_keeps_what_overlaps(void **state)
{
	struct gt_timeline_options window = uncounted;
	struct fixture f;
	struct gt_model *m;

	(void)state;
	begin(&f);
	push(&f, 50, REC_NVTX_PUSH, "around");
	launch(&f, 100, 50, 1000, 1500);
	launch(&f, 200, 50, 260, 300);
	tb_call_bare(f.s, FN_clFinish, START + 1100, 100, 0);
	launch(&f, 1300, 50, 1700, 1800);
	push(&f, 1350, REC_NVTX_MARK, "inside");
	push(&f, 1650, REC_NVTX_MARK, "outside");
	pop(&f, 3000);
	add_call(&f, 5, 211, PID, 1, 300, 400);
	add_kernel(&f, 1, 450, 1010, 0);
	add_call(&f, 5, 211, PID, 2, 500, 600);
	add_kernel(&f, 2, 610, 900, 0);
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);

	window.from_ns = 1000;
	window.to_ns = 1600;
	assert_string_equal(told(m, &window),
		"range:50-3000 call:100-150 call:300-400 kernel:450-1010 kernel:1000-1500 call:1100-1200 "
		"call:1300-1350 mark:1350 kernel:1700-1800");
	fixture_close(&f, m);
}

/* Pending from the call's beginning to the command's end; of several changes at one time the sum. */
static void counters_tell_what_is_pending(void **state)
{
	struct gt_timeline_options window = everything;
	struct fixture f;
	struct gt_model *m;
	struct gt_item item;

	(void)state;
	begin(&f);
	launch(&f, 100, 50, 300, 500);
	launch(&f, 200, 50, 500, 700);
	launch(&f, 500, 50, 700, 800);
	m = fixture_open(&f);

	assert_string_equal(told(m, &everything),
		"call:100-150 counter=1:100 call:200-250 counter=2:200 kernel:300-500 call:500-550 counter=2:500 "
		"kernel:500-700 counter=1:700 kernel:700-800 counter=0:800");
	window.from_ns = 250;
	window.to_ns = 400;
	assert_string_equal(told(m, &window), "call:100-150 call:200-250 counter=2:250 kernel:300-500 kernel:500-700");
	assert_true(find(m, GT_ITEM_COUNTER, &item));
	fixture_close(&f, m);
}

/* CUDA's work counts from its call on, or from its own beginning when that is not known; copies count their bytes. */
static void cuda_work_is_pending_from_its_call_on(void **state)
{
	struct fixture f;
	struct gt_model *m;

	(void)state;
	begin(&f);
	add_call(&f, 5, 211, PID, 1, 100, 150);
	add_kernel(&f, 1, 300, 500, 0);
	add_kernel(&f, 9, 600, 700, 0);
	add_call(&f, 5, 31, PID, 2, 800, 810);
	ACT(f.a, 1, F(MEMCPY, start, at(900)), F(MEMCPY, end, at(950)), F(MEMCPY, bytes, 4096), F(MEMCPY, copyKind, 1),
		F(MEMCPY, correlationId, 2), F(MEMCPY, contextId, 1), F(MEMCPY, streamId, 7));
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);

	assert_string_equal(told(m, &everything),
		"call:100-150 counter=1:100 kernel:300-500 counter=0:500 kernel:600-700 counter=1:600 counter=0:700 "
		"call:800-810 counter=1:800 counter=4096:800 copy:900-950 counter=0:950 counter=0:950");
	fixture_close(&f, m);
}

/* A call and what came of it share a link that no other item of the trace has. */
static void links_lead_from_calls_to_work(void **state)
{
	uint64_t call[2] = { 0 }, work[2] = { 0 };
	uint32_t works[2] = { 0 };
	struct fixture f;
	struct gt_model *m;
	struct gt_timeline *t;
	struct gt_item item;

	(void)state;
	begin(&f);
	launch(&f, 100, 50, 300, 500);
	launch(&f, 600, 50, 0, 0);
	add_call(&f, 5, 211, PID, 1, 700, 800);
	add_kernel(&f, 1, 1200, 1300, 0);
	fixture_buffer(&f, 5000);
	m = fixture_open(&f);
	t = open_timeline(m, &uncounted);
	while (next(t, &item)) {
		if (item.kind == GT_ITEM_CALL && item.has_work)
			call[item.cuda != NULL] = item.link;
		if (item.kind == GT_ITEM_CALL)
			works[item.cuda != NULL] += item.works;
		if (item.kind == GT_ITEM_CALL && item.start_ns == 600)
			assert_false(item.has_work);
		if (item.kind == GT_ITEM_KERNEL && item.timed)
			work[item.cuda != NULL] = item.link;
	}
	gt_timeline_close(t);
	assert_int_equal(works[0], 1);
	assert_int_equal(works[1], 1);
	assert_true(call[0] && call[0] == work[0]);
	assert_true(call[1] && call[1] == work[1]);
	assert_true(call[0] != call[1]);
	fixture_close(&f, m);
}

/* A command whose times never came is told where its call is, without an end. */
static void work_without_times_is_told(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_item item;

	(void)state;
	begin(&f);
	launch(&f, 100, 50, 0, 0);
	m = fixture_open(&f);
	assert_true(find(m, GT_ITEM_KERNEL, &item));
	assert_false(item.timed);
	assert_int_equal(item.start_ns, 100);
	fixture_close(&f, m);
}

/* The call that a thread was inside when it died never ended; neither did a range without its pop. */
static void what_never_ended_has_no_end(void **state)
{
	struct fixture f;
	struct gt_model *m;
	struct gt_item item;

	(void)state;
	begin(&f);
	push(&f, 100, REC_NVTX_PUSH, "open");
	tb_call_bare(f.s, FN_clFlush, START + 200, 10, 0);
	tb_holder(f.s, PID);
	tb_slot(f.s, 0, FN_clFinish, REC_DOMAIN_OPENCL, START + 300, (const uint64_t[4]){ 0 });
	m = fixture_open(&f);

	assert_string_equal(told(m, &everything), "range:100 call:200-210 call:300");
	assert_true(find(m, GT_ITEM_RANGE, &item) && item.never_ended);
	fixture_close(&f, m);
}

/* Everything that CUPTI can tell comes once, and the tables' counts are the model's. */
static void nothing_of_cuda_is_left_out(void **state)
{
	unsigned n[GT_ITEM_COUNT] = { 0 };
	struct fixture f;
	struct gt_model *m;
	struct gt_timeline *t;
	struct gt_cuda *c;
	struct gt_item item;

	(void)state;
	begin(&f);
	add_table(&f);
	tb_cuda_session(f.tb, f.p, f.s, START + 1000, 0);
	m = fixture_open(&f);
	c = cuda_of(m);
	t = open_timeline(m,
		&(struct gt_timeline_options){
			.process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME, .cuda_nested = true });
	while (next(t, &item))
		n[item.kind]++;
	gt_timeline_close(t);
	assert_int_equal(n[GT_ITEM_CALL], gt_cuda_count(c, GT_CUDA_CALL));
	assert_int_equal(n[GT_ITEM_KERNEL], gt_cuda_count(c, GT_CUDA_KERNEL));
	assert_int_equal(n[GT_ITEM_COPY], gt_cuda_count(c, GT_CUDA_COPY));
	assert_int_equal(n[GT_ITEM_FILL], gt_cuda_count(c, GT_CUDA_FILL));
	assert_int_equal(n[GT_ITEM_GRAPH], gt_cuda_count(c, GT_CUDA_GRAPH));
	assert_int_equal(n[GT_ITEM_SYNC], gt_cuda_count(c, GT_CUDA_SYNC));
	assert_int_equal(n[GT_ITEM_MIGRATION], gt_cuda_count(c, GT_CUDA_MANAGED));
	assert_int_equal(n[GT_ITEM_OVERHEAD], gt_cuda_count(c, GT_CUDA_OVERHEAD) + gt_cuda_count(c, GT_CUDA_JIT));
	assert_int_equal(n[GT_ITEM_MOMENT],
		gt_cuda_count(c, GT_CUDA_MEMORY) + gt_cuda_count(c, GT_CUDA_POOL) +
			gt_cuda_count(c, GT_CUDA_GRAPH_EVENT) + gt_cuda_count(c, GT_CUDA_NODE_EVENT) +
			gt_cuda_count(c, GT_CUDA_EVENT_RECORD));
	fixture_close(&f, m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_in_one_order),
		cmocka_unit_test(at_one_time_the_longer_first_and_the_device_last),
		cmocka_unit_test(a_command_stands_behind_its_call),
		cmocka_unit_test(memory_is_bounded_by_overlap),
		cmocka_unit_test(what_waits_comes_in_order),
		cmocka_unit_test(unknown_records_are_items),
		cmocka_unit_test(a_window_keeps_what_overlaps),
		cmocka_unit_test(counters_tell_what_is_pending),
		cmocka_unit_test(cuda_work_is_pending_from_its_call_on),
		cmocka_unit_test(links_lead_from_calls_to_work),
		cmocka_unit_test(work_without_times_is_told),
		cmocka_unit_test(what_never_ended_has_no_end),
		cmocka_unit_test(nothing_of_cuda_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
