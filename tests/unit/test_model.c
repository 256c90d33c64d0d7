/*
 * tests/unit/test_model.c - model/: objects, commands, joins, clocks and the walk, on traces built word by word
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/unit/within.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "ids.h"
#include "model/checks/checks.h"
#include "model/model.h"
#include "tests/tracebuild.h"
#include "tests/unit/tablefixture.h"

#define PATH "test_model.gputap"
#define PLATFORM 0x1000
#define DEVICE 0x2000
#define CONTEXT 0x3000
#define QUEUE 0x4000
#define PROGRAM 0x5000
#define KERNEL 0x6000
#define BUFFER 0x7000
#define EVENT 0x8000
#define DEVICE_CLOCK 7000000000ull        /* device ns at tick 0 */

/* ------------------------------------------------------------------ building */

static struct gt_fntable *table;

static int load_table(void **state)
{
	struct gt_err err;

	(void)state;
	return read_table() ? -1 : gt_fntable_parse(table_text, table_bytes, &table, &err);
}

static int drop_table(void **state)
{
	(void)state;
	gt_fntable_free(table);
	free(table_text);
	tb_remove(PATH);
	return 0;
}

/* One trace with one process and one thread, and a clock on which a tick is a nanosecond. */
struct build { struct tb *tb; struct tb_process *p; struct tb_stream *s; };

static void begin(struct build *b)
{
	b->tb = tb_open(PATH);
	tb_table(b->tb, table_text, table_bytes);
	b->p = tb_process(b->tb, 100);
	tb_fact(b->p, "start_tick", "1000");
	b->s = tb_stream(b->p);
	tb_thread(b->s, 1000, 100, 1, "main");
	tb_clock(b->s, 1000, 1000);
	tb_clock(b->s, 100001000, 100001000);
}

static struct gt_model *finish(struct build *b)
{
	struct gt_model *m = NULL;
	struct gt_err err = { 0 };

	tb_close(b->tb);
	if (gt_model_open(PATH, NULL, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

/* A call whose fixed arguments are laid out by the table; copies are appended as they lie in the record. */
struct args { const struct gt_fn *fn; uint32_t first, n; uint64_t w[64]; };

static struct args args_of(uint32_t id, const uint64_t *values, uint32_t n)
{
	struct args a = { .fn = gt_fntable_find(table, id) };

	assert_non_null(a.fn);
	assert_int_equal(n, a.fn->n_params);
	a.n = a.fn->fixed_words;
	for (uint32_t i = 0; i < n; i++) {
		const struct gt_param *p = &a.fn->params[i];

		if (p->position == 1)
			a.first = (uint32_t)values[i];
		else if (p->position >= 2)
			a.w[p->position / 2 - 1] |=
				p->bytes == 8 ? values[i] : (values[i] & 0xffffffffu) << (p->position % 2 * 32);
	}
	return a;
}

static void copy(struct args *a, const void *data, uint32_t bytes)
{
	memcpy(a->w + a->n, data, bytes);
	a->n += (bytes + 7) / 8;
}

static void copy_word(struct args *a, uint64_t v) { copy(a, &v, 8); }
static void returns(struct args *a, uint64_t v) { a->w[a->fn->ret_position / 2 - 1] = v; }

static uint64_t call(struct build *b, const struct args *a, uint64_t start, uint64_t duration, int32_t result)
{
	return tb_call_u32(b->s, a->fn->id, start, duration, result, a->first, a->w, a->n);
}
#define ARGS(id, ...) args_of(id, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

static void make_devices(struct build *b, uint64_t at)
{
	struct args a = ARGS(FN_clGetPlatformIDs, 1, 0x10, REC_COUNT_WORD | 1);

	copy_word(&a, PLATFORM);
	call(b, &a, at, 10, 0);
	a = ARGS(FN_clGetDeviceIDs, PLATFORM, CL_DEVICE_TYPE_ALL, 1, 0x10, 0x20);
	copy_word(&a, 1);
	copy_word(&a, DEVICE);
	call(b, &a, at + 20, 10, 0);
}

static void make_context(struct build *b, uint64_t at)
{
	struct args a = ARGS(FN_clCreateContext, 0, 1, 0x10, 0, 0, 0);

	copy_word(&a, DEVICE);
	returns(&a, CONTEXT);
	call(b, &a, at, 10, 0);
}

static void make_queue(struct build *b, uint64_t at, uint64_t handle, uint64_t properties)
{
	struct args a = ARGS(FN_clCreateCommandQueue, CONTEXT, DEVICE, properties, 0);

	returns(&a, handle);
	call(b, &a, at, 10, 0);
}

static void make_kernel(struct build *b, uint64_t at, uint64_t handle, const char *name)
{
	struct args a = ARGS(FN_clCreateKernel, PROGRAM, 0x10, 0);

	a.n = tb_put_text(a.w, a.n, name, (uint32_t)strlen(name));
	returns(&a, handle);
	call(b, &a, at, 10, 0);
}

static void release(struct build *b, uint32_t id, uint64_t handle, uint64_t at)
{
	struct args a = ARGS(id, handle);

	call(b, &a, at, 5, 0);
}

static uint64_t launch(struct build *b, uint64_t at, uint64_t kernel, uint64_t global, uint64_t local)
{
	struct args a = ARGS(FN_clEnqueueNDRangeKernel, QUEUE, kernel, 1, 0, 0x10, local ? 0x20 : 0, 0, 0, 0);

	copy_word(&a, global);
	if (local)
		copy_word(&a, local);
	return call(b, &a, at, 100, 0);
}

/* Platform to queue and kernel, between 1100 and 1400, in so many calls. */
enum { SET_UP = 5 };
static void make_all(struct build *b)
{
	begin(b);
	make_devices(b, 1100);
	make_context(b, 1200);
	make_queue(b, 1300, QUEUE, 0);
	make_kernel(b, 1350, KERNEL, "work");
}

/* ------------------------------------------------------------------- walking */

static struct gt_walk *open_walk(struct gt_model *m, int64_t from, int64_t to)
{
	struct gt_walk_options o = { .process = -1, .from_ns = from, .to_ns = to };
	struct gt_walk *w = NULL;
	struct gt_err err;

	assert_int_equal(gt_walk_open(m, &o, &w, &err), 0);
	return w;
}

/* Walks on to the next call of that function. */
static const struct gt_call *next_of(struct gt_walk *w, uint32_t id)
{
	const struct gt_call *call;
	struct gt_err err;
	int r;

	while ((r = gt_walk_next(w, &call, &err)) == 1)
		if (call->fn->id == id)
			return call;
	assert_int_equal(r, 0);
	return NULL;
}

static unsigned count_calls(struct gt_walk *w)
{
	const struct gt_call *call;
	struct gt_err err;
	unsigned n = 0;

	while (gt_walk_next(w, &call, &err) == 1)
		n++;
	return n;
}

/* --------------------------------------------------------------------- tests */

static void calls_carry_ids_threads_and_times(void **state)
{
	const struct gt_call *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	m = finish(&b);
	assert_int_equal(gt_model_process_count(m), 1);
	assert_int_equal(gt_model_process(m, 0)->pid, 100);
	assert_int_equal(gt_model_process(m, 0)->calls, 5);
	assert_int_equal(gt_model_thread_count(m), 1);
	assert_string_equal(gt_model_thread(m, 0)->name, "main");
	assert_true(gt_model_thread(m, 0)->main);
	assert_int_equal(gt_model_thread(m, 0)->calls, 5);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	c = next_of(w, FN_clCreateKernel);
	assert_int_equal(c->id, 5);
	assert_int_equal(c->end_ns - c->start_ns, 10);
	assert_int_equal(c->start_mono_ns, 1350);
	assert_int_equal(c->thread, 0);
	assert_int_equal(gt_call_return(c), KERNEL);
	assert_null(next_of(w, FN_clFinish));
	gt_walk_close(w);
	gt_model_close(m);
}

/* A handle comes back: what a call meant depends on when it was made. */
static void reused_handles_are_told_apart_by_time(void **state)
{
	const struct gt_object *first, *second;
	const struct gt_call *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	launch(&b, 2000, KERNEL, 64, 8);
	release(&b, FN_clRetainKernel, KERNEL, 2200);
	release(&b, FN_clReleaseKernel, KERNEL, 2300);
	launch(&b, 2400, KERNEL, 64, 8);
	release(&b, FN_clReleaseKernel, KERNEL, 2600);
	make_kernel(&b, 2700, KERNEL, "other");
	launch(&b, 2800, KERNEL, 64, 8);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	first = next_of(w, FN_clEnqueueNDRangeKernel)->command->kernel;
	assert_string_equal(first->name.text, "work");
	assert_ptr_equal(next_of(w, FN_clEnqueueNDRangeKernel)->command->kernel, first);
	assert_int_equal(first->died_ns, GT_NO_TIME);
	c = next_of(w, FN_clEnqueueNDRangeKernel);
	second = c->command->kernel;
	assert_ptr_not_equal(second, first);
	assert_string_equal(second->name.text, "other");
	assert_int_equal(second->id, first->id + 1);
	assert_int_equal(first->died_ns - first->born_ns, 2600 - 1360); /* END of create to START of the last release */
	assert_int_equal(second->died_ns, GT_NO_TIME);
	gt_walk_close(w);
	gt_model_close(m);
}

/* While a creating call runs, another thread's call with the same handle still means the old object. */
static void object_is_born_when_its_creating_call_ends(void **state)
{
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	struct tb_stream *other;

	(void)state;
	make_all(&b);
	other = tb_stream(b.p);
	tb_thread(other, 1001, 101, 0, "second");
	release(&b, FN_clReleaseKernel, KERNEL, 1900);
	{
		struct args a = ARGS(FN_clCreateKernel, PROGRAM, 0x10, 0);

		a.n = tb_put_text(a.w, a.n, "slow", 4);
		returns(&a, KERNEL);
		call(&b, &a, 2000, 1000, 0);
	}
	b.s = other;
	launch(&b, 2500, KERNEL, 64, 8);
	launch(&b, 3100, KERNEL, 64, 8);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	assert_string_equal(next_of(w, FN_clEnqueueNDRangeKernel)->command->name.text, "work");
	assert_string_equal(next_of(w, FN_clEnqueueNDRangeKernel)->command->name.text, "slow");
	gt_walk_close(w);
	gt_model_close(m);
}

static void command_has_its_queue_device_work_and_times(void **state)
{
	const struct gt_command *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	uint64_t link;

	(void)state;
	make_all(&b);
	tb_calibration(b.s, 1500, DEVICE, DEVICE_CLOCK + 1500, 40, 1);
	tb_calibration(b.s, 90001500, DEVICE, DEVICE_CLOCK + 90001500, 20, 1);
	link = launch(&b, 2000, KERNEL, 4096, 64);
	tb_command(b.s, link, DEVICE_CLOCK + 2050, DEVICE_CLOCK + 2060, DEVICE_CLOCK + 3000, DEVICE_CLOCK + 5000,
		DEVICE_CLOCK + 5100);
	m = finish(&b);
	assert_int_equal(gt_model_process(m, 0)->kernels, 1);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	const struct gt_call *k = next_of(w, FN_clEnqueueNDRangeKernel);
	int64_t zero = k->start_ns - 2000;

	c = k->command;
	assert_true(c->is_kernel && c->timed);
	assert_int_equal(k->cmd_id, 1);
	assert_int_equal(c->queue->handle, QUEUE);
	assert_int_equal(c->context->handle, CONTEXT);
	assert_int_equal(c->device->handle, DEVICE);
	assert_int_equal(c->program->handle, PROGRAM);
	assert_int_equal(c->queued_ns - zero, 2050);
	assert_int_equal(c->submit_ns - zero, 2060);
	assert_int_equal(c->start_ns - zero, 3000);
	assert_int_equal(c->end_ns - zero, 5000);
	assert_int_equal(c->complete_ns - zero, 5100);
	assert_int_equal(c->queue->clock_error_ns, 20);
	assert_int_equal(c->work_dim, 1);
	assert_int_equal(c->global_size[0], 4096);
	assert_int_equal(c->local_size[0], 64);
	assert_int_equal(c->local_source, REC_LOCAL_APPLICATION);
	assert_false(c->has_offset);
	gt_walk_close(w);
	assert_true(gt_model_complete(m));
	gt_model_close(m);
}

/* ------------------------------------------------------------------- checks */

/* Kernels of a calibrated device, 100 us apart: called at `at`, on the device from `from` to `to`, waited for. */
static void waited_kernel(struct build *b, uint64_t at, int64_t from, int64_t to)
{
	struct args a = ARGS(FN_clFinish, QUEUE);
	uint64_t link = launch(b, at, KERNEL, 64, 8), t = DEVICE_CLOCK + at;

	tb_command(b->s, link, t + 20, t + 30, t + (uint64_t)from, t + (uint64_t)to, 0);
	call(b, &a, at + 1000, 50000, 0);
}

struct expected { uint64_t looked[GT_CHECK_COUNT], failed[GT_CHECK_COUNT]; };

/* What a walk proves; a second one counts nothing again. */
static void assert_checked(struct gt_model *m, const struct expected *e)
{
	for (int times = 0; times < 2; times++) {
		struct gt_walk *w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
		const struct gt_call *call;
		struct gt_err err;

		while (gt_walk_next(w, &call, &err) > 0)
			;
		gt_walk_close(w);
		for (int i = 0; i < GT_CHECK_COUNT; i++) {
			const struct gt_checked *c = gt_model_checked(m, (enum gt_check)i);

			if (c->looked != e->looked[i] || c->failed != e->failed[i])
				fail_msg("%s: %d of %d failed", gt_check_facts[i].name, (int)c->failed, (int)c->looked);
			assert_int_equal(gt_model_lost(m, gt_check_facts[i].reason), e->failed[i]);
		}
	}
}

static void begin_checked(struct build *b)
{
	make_all(b);
	tb_calibration(b->s, 1500, DEVICE, DEVICE_CLOCK + 1500, 40, 1);
	tb_calibration(b->s, 90001500, DEVICE, DEVICE_CLOCK + 90001500, 40, 1);
}

static void times_that_can_be_are_proved(void **state)
{
	static const struct expected all = { .looked = { [GT_CHECK_WORK] = 2, [GT_CHECK_CALLS] = 2,
		[GT_CHECK_BEGINS] = 2, [GT_CHECK_WAITS] = 2, [GT_CHECK_ENDS] = 2, [GT_CHECK_ORDER] = 1,
		[GT_CHECK_WHOLE] = SET_UP + 4 } };
	struct gt_model *m;
	struct build b;

	(void)state;
	begin_checked(&b);
	waited_kernel(&b, 100000, 100, 50000);
	waited_kernel(&b, 200000, 100, 50000);
	tb_record(b.s, REC_EXIT, 0, 0, W(300000, 0));
	m = finish(&b);
	assert_checked(m, &all);
	assert_true(gt_model_complete(m));
	gt_model_close(m);
}

/* Each is off by more than the clocks' error of 20 ns, and the microsecond beside it. */
static void times_that_cannot_be_are_counted(void **state)
{
	static const struct expected all = {
		.looked = { [GT_CHECK_WORK] = 3, [GT_CHECK_CALLS] = 3, [GT_CHECK_BEGINS] = 3, [GT_CHECK_WAITS] = 3,
			[GT_CHECK_ENDS] = 3, [GT_CHECK_ORDER] = 2, [GT_CHECK_WHOLE] = SET_UP + 6 },
		.failed = { [GT_CHECK_BEGINS] = 1, [GT_CHECK_WAITS] = 2, [GT_CHECK_ENDS] = 1 },
	};
	const struct gt_checked *begins;
	struct gt_model *m;
	struct build b;
	char text[512];

	(void)state;
	begin_checked(&b);
	waited_kernel(&b, 100000, -1100, 50000);
	waited_kernel(&b, 200000, 100, 52100);
	waited_kernel(&b, 300000, 100, 60000);
	tb_record(b.s, REC_EXIT, 0, 0, W(355000, 0));
	m = finish(&b);
	assert_checked(m, &all);
	assert_false(gt_model_complete(m));
	assert_non_null(strstr(gt_model_complete_text(m, text, sizeof text),
		"complete: no (1 device time before the call that set the work going; "
		"2 device times behind a call that had waited for the work; "
		"1 device time behind the end of the process)"));
	begins = gt_model_checked(m, GT_CHECK_BEGINS);
	assert_int_equal(begins->n_shown, 1);
	assert_string_equal(begins->shown[0].what, "clEnqueueNDRangeKernel");
	assert_within(begins->shown[0].by_ns, 1, 100);
	gt_model_close(m);
}

/* Of an in-order queue only; it says something of sums, not that anything is missing. */
static void overlaps_in_order_are_told(void **state)
{
	for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
		uint64_t order = out_of_order ? 0 : 1;
		struct expected all = { .looked = { [GT_CHECK_WORK] = 2, [GT_CHECK_CALLS] = 2, [GT_CHECK_BEGINS] = 2,
			[GT_CHECK_ORDER] = order, [GT_CHECK_WHOLE] = SET_UP + 2 },
			.failed = { [GT_CHECK_ORDER] = order } };
		struct gt_model *m;
		struct build b;
		uint64_t link[2];

		(void)state;
		begin(&b);
		make_devices(&b, 1100);
		make_context(&b, 1200);
		make_queue(&b, 1300, QUEUE, out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
		make_kernel(&b, 1350, KERNEL, "work");
		tb_calibration(b.s, 1500, DEVICE, DEVICE_CLOCK + 1500, 40, 1);
		for (int i = 0; i < 2; i++) {
			uint64_t t = DEVICE_CLOCK + 100000 + (uint64_t)i * 5000;

			link[i] = launch(&b, 100000 + (uint64_t)i * 200, KERNEL, 64, 8);
			tb_command(b.s, link[i], t, t, t + 300, t + 20000, 0);
		}
		m = finish(&b);
		assert_checked(m, &all);
		assert_true(gt_model_complete(m));
		gt_model_close(m);
	}
}

/* By the stated error: a start that a loose clock puts in front of its call refutes nothing. */
static void a_stated_error_is_allowed_for(void **state)
{
	static const struct expected all = { .looked = { [GT_CHECK_WORK] = 1, [GT_CHECK_CALLS] = 1,
		[GT_CHECK_BEGINS] = 1, [GT_CHECK_WAITS] = 1, [GT_CHECK_WHOLE] = SET_UP + 2 } };
	struct gt_model *m;
	struct build b;

	(void)state;
	make_all(&b);
	tb_calibration(b.s, 90000, DEVICE, DEVICE_CLOCK + 90000, 30000, 2);
	waited_kernel(&b, 100000, -10000, 60000);
	m = finish(&b);
	assert_checked(m, &all);
	gt_model_close(m);
}

/* A child that began before its parent, by clocks that are known to within nanoseconds. */
static void children_begin_behind_their_parents(void **state)
{
	for (int early = 0; early < 2; early++) {
		struct expected all = { .looked = { [GT_CHECK_PARENTS] = 1 },
			.failed = { [GT_CHECK_PARENTS] = (uint64_t)early } };
		struct tb_process *child;
		struct tb_stream *s;
		struct gt_model *m;
		struct build b;

		(void)state;
		begin(&b);
		child = tb_process(b.tb, 101);
		tb_fact(child, "parent", "100.1");
		tb_fact(child, "start_tick", early ? "500" : "5000");
		s = tb_stream(child);
		tb_thread(s, early ? 500 : 5000, 101, 1, "main");
		tb_clock(s, early ? 500 : 5000, early ? 500 : 5000);
		tb_clock(s, 100005000, 100005000);
		m = finish(&b);
		assert_checked(m, &all);
		gt_model_close(m);
	}
}

/* The device's clock runs fast by 10 %: straight between the points, prolonged outside them. */
static void device_clock_follows_its_calibrations(void **state)
{
	static const uint64_t device[] = { 0, 110000, 11000000, 16500000 };
	static const int64_t host[] = { 0, 100000, 10000000, 15000000 };
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	tb_calibration(b.s, 2000000, DEVICE, DEVICE_CLOCK, 40, 1);
	tb_calibration(b.s, 12000000, DEVICE, DEVICE_CLOCK + 11000000, 40, 1);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t t = DEVICE_CLOCK + device[i], link = launch(&b, 2000000 + (uint64_t)host[i], KERNEL, 64, 8);

		tb_command(b.s, link, t, t, t, t, t);
	}
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	for (unsigned i = 0; i < 4; i++) {
		const struct gt_call *c = next_of(w, FN_clEnqueueNDRangeKernel);

		assert_within(c->command->start_ns - c->start_ns + 2, 0, 4);
	}
	gt_walk_close(w);
	gt_model_close(m);
}

/*
 * Two loose points 50 ms apart, each 2 us off within its own bracket, and nothing for a second behind them: the line is
 * not prolonged at the 80 ppm that their errors make, or the last command would lie 80 us outside of its call.
 */
static void device_clock_is_not_prolonged_by_errors(void **state)
{
	static const uint64_t at[] = { 1000000, 60000000, 110000000, 1000000000 };
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	tb_calibration(b.s, 60000000 - 2000, DEVICE, DEVICE_CLOCK + 60000000, 5000, 2);
	tb_calibration(b.s, 110000000 + 2000, DEVICE, DEVICE_CLOCK + 110000000, 5000, 2);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t t = DEVICE_CLOCK + at[i], link = launch(&b, at[i], KERNEL, 64, 8);

		tb_command(b.s, link, t, t, t, t, t);
	}
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	for (unsigned i = 0; i < 4; i++) {
		const struct gt_call *c = next_of(w, FN_clEnqueueNDRangeKernel);

		assert_within(c->command->start_ns - c->start_ns + 2500, 0, 5000);
	}
	gt_walk_close(w);
	gt_model_close(m);
}

/* No calibration: raw = mono in built traces, so a queued time inside the call says which clock it is. */
static void uncalibrated_clock_is_assumed_or_pinned(void **state)
{
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	uint64_t link;

	(void)state;
	for (int known = 0; known < 2; known++) {
		uint64_t at = known ? 2030 : DEVICE_CLOCK;

		make_all(&b);
		link = launch(&b, 2000, KERNEL, 64, 8);
		tb_command(b.s, link, at, at + 10, at + 20, at + 30, at + 40);
		m = finish(&b);
		w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
		const struct gt_call *c = next_of(w, FN_clEnqueueNDRangeKernel);

		assert_int_equal(c->command->queued_ns - c->start_ns, known ? 30 : 0);
		assert_int_equal(c->command->end_ns - c->command->queued_ns, 30);
		assert_int_equal(c->command->queue->clock_error_ns, known ? 50 : 100);
		gt_walk_close(w);
		gt_model_close(m);
	}
}

static void untimed_failed_and_lost_commands_say_why(void **state)
{
	const struct gt_command *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	char text[512];

	(void)state;
	make_all(&b);
	tb_untimed(b.s, launch(&b, 2000, KERNEL, 64, 8), REC_LOSS_NOT_FINISHED, 1);
	launch(&b, 2200, KERNEL, 64, 8);
	tb_record(b.s, REC_COMMAND_UNTIMED, 0, -5, W(launch(&b, 2400, KERNEL, 64, 8), REC_LOSS_FAILED_COMMAND));
	{
		struct args a = ARGS(FN_clEnqueueNDRangeKernel, QUEUE, KERNEL, 1, 0, 0x10, 0, 0, 0, 0);

		call(&b, &a, 2600, 10, CL_INVALID_WORK_GROUP_SIZE);
	}
	tb_untimed(b.s, rec_link(0, 0x8000), REC_LOSS_NOT_FINISHED, 1);     /* of no call */
	tb_lost(b.s, REC_LOSS_NOT_FINISHED, 2);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	c = next_of(w, FN_clEnqueueNDRangeKernel)->command;
	assert_true(!c->timed && c->reason == REC_LOSS_NOT_FINISHED && c->status == 1 && c->start_ns == GT_NO_TIME);
	c = next_of(w, FN_clEnqueueNDRangeKernel)->command;
	assert_true(!c->timed && c->reason == REC_LOSS_UNMATCHED_CALL);
	c = next_of(w, FN_clEnqueueNDRangeKernel)->command;
	assert_true(!c->timed && c->reason == REC_LOSS_FAILED_COMMAND && c->status == -5);
	const struct gt_call *refused = next_of(w, FN_clEnqueueNDRangeKernel);

	assert_true(refused->command && refused->command->status == CL_INVALID_WORK_GROUP_SIZE && !refused->cmd_id);
	assert_int_equal(refused->command->queue->handle, QUEUE);
	gt_walk_close(w);
	assert_int_equal(gt_model_process(m, 0)->commands, 3);
	assert_int_equal(gt_model_lost(m, REC_LOSS_UNMATCHED_CALL), 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_UNMATCHED_COMMAND), 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_NOT_FINISHED), 2);
	assert_false(gt_model_complete(m));
	assert_string_equal(gt_model_complete_text(m, text, sizeof text),
		"complete: no (2 commands untimed: not finished at exit; "
		"1 device record whose call is not in the trace; 1 command whose device record never came)");
	assert_string_equal(gt_model_complete_text(m, text, 20), "complete: no (2 com");
	gt_model_close(m);
}

/* Application's size, else what the runtime suggested for the same launch before, else the kernel's required size. */
static void local_size_comes_from_who_knows_it(void **state)
{
	const uint64_t required[3] = { 4, 1, 1 };
	const struct gt_command *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	make_kernel(&b, 1400, KERNEL + 1, "fixed");
	tb_record(b.s, REC_OBJECT, 0, 0,
		W(1405, PAIR(REC_OBJECT_KERNEL, 1), KERNEL + 1, PAIR(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 24),
			required[0], required[1], required[2]));
	tb_local_size(b.s, launch(&b, 2000, KERNEL, 640, 0), 1, REC_LOCAL_SUGGESTED, 16, 0, 0);
	launch(&b, 2200, KERNEL, 640, 0);
	launch(&b, 2400, KERNEL, 320, 0);
	launch(&b, 2600, KERNEL + 1, 320, 0);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	for (int i = 0; i < 2; i++) {
		c = next_of(w, FN_clEnqueueNDRangeKernel)->command;
		assert_int_equal(c->local_size[0], 16);
		assert_int_equal(c->local_source, REC_LOCAL_SUGGESTED);
	}
	c = next_of(w, FN_clEnqueueNDRangeKernel)->command;
	assert_true(c->local_source == REC_LOCAL_UNKNOWN && !c->local_size[0]);
	c = next_of(w, FN_clEnqueueNDRangeKernel)->command;
	assert_true(c->local_source == REC_LOCAL_REQUIRED && c->local_size[0] == 4);
	gt_walk_close(w);
	gt_model_close(m);
}

static void local_memory_arguments_add_up(void **state)
{
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	for (int i = 0; i < 3; i++) { /* index 0: 256; index 1: 64, then 128 */
		struct args a = ARGS(FN_clSetKernelArg, KERNEL, i > 0, i == 0 ? 256u : 64u * (unsigned)i, 0);

		call(&b, &a, 1500 + (uint64_t)i * 10, 2, 0);
	}
	launch(&b, 2000, KERNEL, 64, 8);
	{
		struct args a = ARGS(FN_clSetKernelArg, KERNEL, 0, 8, 0x10);

		copy_word(&a, BUFFER);
		call(&b, &a, 2200, 2, 0);
	}
	launch(&b, 2300, KERNEL, 64, 8);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	assert_int_equal(next_of(w, FN_clEnqueueNDRangeKernel)->command->local_arg_bytes, 384);
	assert_int_equal(next_of(w, FN_clEnqueueNDRangeKernel)->command->local_arg_bytes, 128);
	gt_walk_close(w);
	gt_model_close(m);
}

/* The answer of the copy may count what was set on the source, and may not: it has the answer of the source. */
static void a_copy_of_a_kernel_has_its_arguments(void **state)
{
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	make_kernel(&b, 1400, KERNEL + 1, "source");
	tb_record(b.s, REC_OBJECT, 0, 0,
		W(1405, PAIR(REC_OBJECT_KERNEL, 2), KERNEL + 1, PAIR(REC_ATTR_DEVICE, 8), DEVICE,
			PAIR(CL_KERNEL_LOCAL_MEM_SIZE, 8), 64));
	{
		struct args a = ARGS(FN_clSetKernelArg, KERNEL + 1, 0, 256, 0);

		call(&b, &a, 1500, 2, 0);
	}
	{
		struct args a = ARGS(FN_clCloneKernel, KERNEL + 1, 0);

		returns(&a, KERNEL + 2);
		call(&b, &a, 1600, 5, 0);
	}
	tb_record(b.s, REC_OBJECT, 0, 0,
		W(1610, PAIR(REC_OBJECT_KERNEL, 2), KERNEL + 2, PAIR(REC_ATTR_DEVICE, 8), DEVICE,
			PAIR(CL_KERNEL_LOCAL_MEM_SIZE, 8), 64 + 256));
	launch(&b, 2000, KERNEL + 2, 64, 8);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	{
		const struct gt_command *c = next_of(w, FN_clEnqueueNDRangeKernel)->command;

		assert_int_equal(c->local_arg_bytes, 256);
		assert_memory_equal(
			gt_kernel_attr(c->kernel, c->device, CL_KERNEL_LOCAL_MEM_SIZE)->value, &(uint64_t){ 64 }, 8);
		assert_null(gt_kernel_attr(c->kernel, c->device, CL_KERNEL_PRIVATE_MEM_SIZE));
	}
	gt_walk_close(w);
	gt_model_close(m);
}

static uint64_t make_buffer(struct build *b, uint64_t at, uint64_t handle, uint64_t size)
{
	struct args a = ARGS(FN_clCreateBuffer, CONTEXT, CL_MEM_READ_ONLY, size, 0, 0);

	returns(&a, handle);
	return call(b, &a, at, 5, 0);
}

static void make_image(struct build *b, uint64_t at, uint64_t handle, uint64_t width, uint64_t height)
{
	cl_image_format format = { CL_RGBA, CL_UNORM_INT16 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height };
	struct args a = ARGS(FN_clCreateImage, CONTEXT, CL_MEM_READ_WRITE, 0x10, 0x20, 0, 0);

	copy(&a, &format, sizeof format);
	copy(&a, &desc, sizeof desc);
	returns(&a, handle);
	call(b, &a, at, 5, 0);
}

static void copy_region(struct args *a, uint64_t x, uint64_t y, uint64_t z)
{
	copy(a, (const uint64_t[]){ 0, 0, 0 }, 24);
	copy(a, (const uint64_t[]){ x, y, z }, 24);
}

static void transfers_know_their_bytes_and_ends(void **state)
{
	const struct gt_command *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	struct args a;

	(void)state;
	make_all(&b);
	make_buffer(&b, 1500, BUFFER, 4096);
	make_buffer(&b, 1510, BUFFER + 1, 4096);
	make_image(&b, 1520, BUFFER + 2, 100, 50);
	a = ARGS(FN_clEnqueueWriteBuffer, QUEUE, BUFFER, CL_TRUE, 0, 1000, 0xaaa0, 0, 0, 0);
	call(&b, &a, 2000, 10, 0);
	a = ARGS(FN_clEnqueueCopyBuffer, QUEUE, BUFFER, BUFFER + 1, 0, 0, 500, 2, 0x10, 0x20);
	copy_word(&a, EVENT);
	copy_word(&a, EVENT + 1);
	copy_word(&a, EVENT + 2);
	call(&b, &a, 2100, 10, 0);
	a = ARGS(FN_clEnqueueReadImage, QUEUE, BUFFER + 2, CL_FALSE, 0x10, 0x20, 0, 0, 0xbbb0, 0, 0, 0);
	copy_region(&a, 10, 20, 1);
	call(&b, &a, 2200, 10, 0);
	a = ARGS(FN_clEnqueueFillBuffer, QUEUE, BUFFER, 0x10, 4, 0, 2048, 0, 0, 0);
	copy_word(&a, 0xdeadbeef);
	call(&b, &a, 2300, 10, 0);
	a = ARGS(FN_clEnqueueMapBuffer, QUEUE, BUFFER, CL_TRUE, CL_MAP_WRITE, 0, 300, 0, 0, 0, 0);
	returns(&a, 0xccc0);
	call(&b, &a, 2400, 10, 0);
	a = ARGS(FN_clEnqueueUnmapMemObject, QUEUE, BUFFER, 0xccc0, 0, 0, 0);
	call(&b, &a, 2500, 10, 0);
	a = ARGS(FN_clEnqueueSVMMemcpy, QUEUE, CL_TRUE, 0x10, 0x20, 77, 0, 0, 0);
	call(&b, &a, 2600, 10, 0);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	c = next_of(w, FN_clEnqueueWriteBuffer)->command;
	assert_true(c->has_bytes && c->bytes == 1000 && c->blocking && c->dst->handle == BUFFER && !c->src &&
		c->host_ptr == 0xaaa0);
	assert_int_equal(c->dst->size, 4096);
	assert_int_equal(c->dst->flags, CL_MEM_READ_ONLY);
	assert_string_equal(c->name.text, "WRITE_BUFFER");
	c = next_of(w, FN_clEnqueueCopyBuffer)->command;
	assert_true(c->bytes == 500 && !c->blocking && c->src->handle == BUFFER && c->dst->handle == BUFFER + 1);
	assert_true(c->n_waits == 2 && c->waits[1] == EVENT + 1);
	c = next_of(w, FN_clEnqueueReadImage)->command;
	assert_true(
		c->bytes == 10 * 20 * 8 && c->src->mem_type == CL_MEM_OBJECT_IMAGE2D && c->src->size == 100 * 50 * 8);
	c = next_of(w, FN_clEnqueueFillBuffer)->command;
	assert_true(c->bytes == 2048 && c->pattern_bytes == 4 && c->pattern[0] == 0xef);
	c = next_of(w, FN_clEnqueueMapBuffer)->command;
	assert_true(c->bytes == 300 && c->map_flags == CL_MAP_WRITE && c->host_ptr == 0xccc0 && c->blocking);
	c = next_of(w, FN_clEnqueueUnmapMemObject)->command;
	assert_true(c->bytes == 300 && c->map_flags == CL_MAP_WRITE && c->has_bytes);
	c = next_of(w, FN_clEnqueueSVMMemcpy)->command;
	assert_true(c->bytes == 77 && c->blocking);
	gt_walk_close(w);
	gt_model_close(m);
}

/* A window changes what is handed out, never a number; a command that overlaps brings its call. */
static void window_keeps_ids_and_overlapping_commands(void **state)
{
	const struct gt_call *c;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	struct gt_err err;
	int64_t zero;

	(void)state;
	make_all(&b);
	tb_calibration(b.s, 1500, DEVICE, DEVICE_CLOCK + 1500, 40, 1);
	tb_command(b.s, launch(&b, 2000, KERNEL, 64, 8), DEVICE_CLOCK + 2050, DEVICE_CLOCK + 2060, DEVICE_CLOCK + 5000,
		DEVICE_CLOCK + 6000, 0);
	launch(&b, 3000, KERNEL, 64, 8);
	launch(&b, 5500, KERNEL, 64, 8);
	launch(&b, 7000, KERNEL, 64, 8);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	zero = next_of(w, FN_clGetPlatformIDs)->start_ns - 1100;
	gt_walk_close(w);
	w = open_walk(m, zero + 5000, zero + 6000);
	assert_int_equal(gt_walk_next(w, &c, &err), 1);
	assert_int_equal(c->id, 6);
	assert_int_equal(c->cmd_id, 1);
	assert_string_equal(c->command->name.text, "work");
	assert_int_equal(gt_walk_next(w, &c, &err), 1);
	assert_int_equal(c->id, 8);
	assert_int_equal(c->cmd_id, 3);
	assert_int_equal(gt_walk_next(w, &c, &err), 0);
	gt_walk_close(w);
	gt_model_close(m);
}

static void facts_give_names_sizes_and_one_number_per_device(void **state)
{
	static const unsigned char uuid[16] = { 1, 2, 3 };
	struct gt_object *d[3] = { 0 };
	uint64_t u[2];
	unsigned n = 0;
	struct gt_model *m;
	struct build b;
	struct gt_walk *w;

	(void)state;
	memcpy(u, uuid, 16);
	make_all(&b);
	tb_record(b.s, REC_OBJECT, 0, 0,
		W(1125, PAIR(REC_OBJECT_DEVICE, 3), DEVICE, PAIR(CL_DEVICE_NAME, 8), 0x0000006563697665ull,
			PAIR(CL_DEVICE_MAX_COMPUTE_UNITS, 4), 12, PAIR(CL_DEVICE_UUID_KHR, 16), u[0], u[1]));
	for (int i = 0; i < 2; i++) { /* another process: the same device under another handle, and one without facts */
		struct tb_process *p = tb_process(b.tb, 200 + i);

		tb_fact(p, "start_tick", i ? "1300" : "1200");
		b.s = tb_stream(p);
		tb_thread(b.s, 1200, 200, 1, "");
		tb_clock(b.s, 1000, 1000);
		make_devices(&b, 1500);
		if (!i)
			tb_record(b.s, REC_OBJECT, 0, 0,
				W(1525, PAIR(REC_OBJECT_DEVICE, 1), DEVICE, PAIR(CL_DEVICE_UUID_KHR, 16), u[0], u[1]));
	}
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	count_calls(w);
	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		struct gt_object *o = gt_model_object(m, i);

		if (o->kind == REC_OBJECT_DEVICE && o->process < 3) {
			d[o->process] = o;
			n++;
		}
	}
	assert_int_equal(n, 3);
	assert_string_equal(d[0]->name.text, "evice");
	assert_int_equal(d[0]->compute_units, 12);
	assert_int_equal(gt_object_attr(d[0], CL_DEVICE_UUID_KHR)->bytes, 16);
	assert_null(gt_object_attr(d[0], CL_DEVICE_VENDOR));
	assert_int_equal(d[0]->device_index, 0);
	assert_int_equal(d[1]->device_index, 0);
	assert_int_equal(d[2]->device_index, 1);
	assert_int_equal(d[0]->platform->handle, PLATFORM);
	gt_walk_close(w);
	gt_model_close(m);
}

/* The process says when it ends, or the kernel; when the launcher looked at it for the last time says nothing of it. */
static void a_process_ends_when_it_says_so(void **state)
{
	struct gt_model *m;
	struct build b;

	(void)state;
	make_all(&b);
	tb_record(b.s, REC_EXIT, 0, 0, W(50000, PAIR(REC_EXIT_NORMAL, 0)));
	tb_record(b.s, REC_RUN_DELAY, 0, 0, W(31000000, 100, 5, 6, 7));
	m = finish(&b);
	assert_int_equal(gt_model_process(m, 0)->end_ns - gt_model_process(m, 0)->start_ns, 49000);
	gt_model_close(m);
}

/* Slices of one device report its UUID; a process may have the second of them alone. A sub-device is one of its own. */
static void devices_of_one_uuid_are_told_apart(void **state)
{
	enum { SECOND = DEVICE + 0x100, PART = DEVICE + 0x200 };
	static const uint64_t u[2] = { 0x030201, 0 };
	static const struct { uint32_t process; uint64_t handle; uint32_t index; } expect[] = {
		{ 0, DEVICE, 0 }, { 0, SECOND, 1 }, { 0, PART, 2 }, { 1, DEVICE, 1 },
	};
	struct gt_model *m;
	struct build b;
	struct gt_walk *w;
	unsigned found = 0;

	(void)state;
	make_all(&b);
	for (unsigned i = 0; i < 2; i++)
		tb_record(b.s, REC_OBJECT, 0, 0,
			W(1125 + i, PAIR(REC_OBJECT_DEVICE, 2), i ? SECOND : DEVICE,
				PAIR(CL_DEVICE_MAX_COMPUTE_UNITS, 4), 12 + i,
				PAIR(CL_DEVICE_UUID_KHR, 16), u[0], u[1]));
	tb_record(b.s, REC_OBJECT, 0, 0,
		W(1130, PAIR(REC_OBJECT_DEVICE, 2), PART, PAIR(REC_ATTR_PARENT, 8), DEVICE,
			PAIR(CL_DEVICE_UUID_KHR, 16), u[0], u[1]));
	for (unsigned i = 0; i < 2; i++) {      /* they have to be met by a call */
		struct args a = ARGS(FN_clRetainDevice, i ? PART : SECOND);

		call(&b, &a, 1800 + 20 * i, 10, 0);
	}
	struct tb_process *p = tb_process(b.tb, 200);

	tb_fact(p, "start_tick", "1200");
	b.s = tb_stream(p);
	tb_thread(b.s, 1200, 200, 1, "");
	tb_clock(b.s, 1000, 1000);
	make_devices(&b, 1500);
	tb_record(b.s, REC_OBJECT, 0, 0,
		W(1525, PAIR(REC_OBJECT_DEVICE, 2), DEVICE, PAIR(CL_DEVICE_MAX_COMPUTE_UNITS, 4), 13,
			PAIR(CL_DEVICE_UUID_KHR, 16), u[0], u[1]));
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	count_calls(w);
	for (uint32_t i = 0; i < gt_model_object_count(m); i++)
		for (size_t k = 0; k < sizeof expect / sizeof *expect; k++) {
			const struct gt_object *o = gt_model_object(m, i);

			if (o->kind != REC_OBJECT_DEVICE || o->process != expect[k].process ||
				o->handle != expect[k].handle)
				continue;
			assert_int_equal(o->device_index, expect[k].index);
			found++;
		}
	assert_int_equal(found, sizeof expect / sizeof *expect);
	gt_walk_close(w);
	gt_model_close(m);
}

/* Facts are asked for after the creating call, and belong to that generation alone. */
static void facts_belong_to_their_generation(void **state)
{
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;

	(void)state;
	make_all(&b);
	make_queue(&b, 2000, QUEUE + 1, 0);
	tb_record(b.s, REC_OBJECT, 0, 0, W(2020, PAIR(REC_OBJECT_QUEUE, 1), QUEUE + 1, PAIR(REC_ATTR_PROFILED, 4), 1));
	release(&b, FN_clReleaseCommandQueue, QUEUE + 1, 2100);
	make_queue(&b, 2200, QUEUE + 1, CL_QUEUE_PROFILING_ENABLE);
	/* inside the call */
	tb_record(b.s, REC_OBJECT, 0, 0, W(2205, PAIR(REC_OBJECT_QUEUE, 1), QUEUE + 1, PAIR(REC_ATTR_PROFILED, 4), 2));
	make_queue(&b, 2300, QUEUE + 2, 0);
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	count_calls(w);
	int expect[] = { -1, 1, 2, -1 };
	unsigned n = 0;

	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		const struct gt_object *o = gt_model_object(m, i);

		if (o->kind != REC_OBJECT_QUEUE)
			continue;
		assert_true(n < 4);
		assert_int_equal(o->profiled, expect[n]);
		assert_int_equal(o->properties, n == 2 ? CL_QUEUE_PROFILING_ENABLE : 0);
		n++;
	}
	assert_int_equal(n, 4);
	gt_walk_close(w);
	gt_model_close(m);
}

static void killed_thread_shows_what_it_was_inside(void **state)
{
	const struct gt_thread *t;
	struct gt_model *m;
	struct build b;

	(void)state;
	make_all(&b);
	tb_holder(b.s, 100);
	tb_slot(b.s, 0, FN_clBuildProgram, REC_DOMAIN_OPENCL, 3000, (const uint64_t[]){ PROGRAM, 0, 0, 0 });
	tb_slot(b.s, 1, FN_clFinish, REC_DOMAIN_OPENCL, 3500, (const uint64_t[]){ QUEUE, 0, 0, 0 });
	m = finish(&b);
	t = gt_model_thread(m, 0);
	assert_int_equal(t->n_inside, 2);
	assert_string_equal(t->inside[0].fn->name, "clFinish");
	assert_int_equal(t->inside[0].arg[0], QUEUE);
	assert_int_equal(t->inside[0].start_ns - t->inside[1].start_ns, 500);
	gt_model_close(m);
}

/* Streams are handed on: a record belongs to the thread that held its stream then. */
static void pooled_stream_gives_each_holder_its_calls(void **state)
{
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	struct args a = ARGS(FN_clFlush, QUEUE);

	(void)state;
	make_all(&b);
	call(&b, &a, 2000, 5, 0);
	tb_thread_end(b.s, 2100, 100);
	tb_thread(b.s, 2200, 103, 0, "third");
	call(&b, &a, 2300, 5, 0);
	m = finish(&b);
	assert_int_equal(gt_model_thread_count(m), 2);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	assert_int_equal(gt_model_thread(m, next_of(w, FN_clFlush)->thread)->tid, 100);
	assert_int_equal(gt_model_thread(m, next_of(w, FN_clFlush)->thread)->tid, 103);
	gt_walk_close(w);
	gt_model_close(m);
}

static void notes_sources_and_options_are_kept(void **state)
{
	static const uint64_t id[2] = { 0x1111, 0x2222 };
	struct gt_string s;
	uint64_t total = 0;
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	struct args a;

	(void)state;
	make_all(&b);
	tb_note(b.s, 1500, 2, "queue refused profiling");
	a = ARGS(FN_clCreateProgramWithSource, CONTEXT, 0, 0, 0, 0);
	returns(&a, PROGRAM + 1);
	call(&b, &a, 2000, 10, 0);
	tb_blob(b.s, REC_BLOB_SOURCE, id, "kernel void f(){}", 17, 17);
	tb_blob_ref(b.s, 2015, PROGRAM + 1, id, REC_BLOB_SOURCE, 17);
	a = ARGS(FN_clBuildProgram, PROGRAM + 1, 0, 0, 0x10, 0, 0);
	a.n = tb_put_text(a.w, a.n, "-DX=1", 5);
	call(&b, &a, 2100, 10, 0);
	m = finish(&b);
	assert_int_equal(gt_model_note_count(m), 1);
	assert_string_equal(gt_model_note(m, 0)->text, "queue refused profiling");
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	assert_non_null(next_of(w, FN_clBuildProgram));
	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		const struct gt_object *o = gt_model_object(m, i);

		if (o->handle != PROGRAM + 1)
			continue;
		assert_true(o->has_source && o->source_id[1] == 0x2222);
		assert_string_equal(o->build_options.text, "-DX=1");
	}
	assert_true(gt_model_blob(m, id, &s, &total));
	assert_true(s.bytes == 17 && total == 17 && !memcmp(s.text, "kernel", 6));
	gt_walk_close(w);
	gt_model_close(m);
}

/* A second walk starts over: same ids, same objects' numbers, and no loss counted twice. */
static void walking_twice_gives_the_same(void **state)
{
	struct gt_model *m;
	struct gt_walk *w, *second = NULL;
	struct build b;
	struct gt_err err;

	(void)state;
	make_all(&b);
	tb_call(b.s, FN_clFinish, 2000, 5, 0, W0);                          /* its argument is missing */
	m = finish(&b);
	for (int i = 0; i < 2; i++) {
		w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
		const struct gt_call *c = next_of(w, FN_clFinish);

		assert_int_equal(c->id, 6);
		assert_false(c->has_args);
		assert_int_equal(gt_walk_open(m, NULL, &second, &err), -1);
		count_calls(w);
		gt_walk_close(w);
		assert_int_equal(gt_model_lost(m, REC_LOSS_DAMAGED), 1);
	}
	gt_model_close(m);
}

/* Out-of-order harvest, in another thread's stream: each command still finds its call. */
static void device_records_in_any_order_find_their_calls(void **state)
{
	enum { N = 3000 };
	static uint64_t links[N];
	struct gt_model *m;
	struct gt_walk *w;
	struct build b;
	struct tb_stream *other;

	(void)state;
	make_all(&b);
	tb_calibration(b.s, 1500, DEVICE, DEVICE_CLOCK + 1500, 40, 1);
	for (unsigned i = 0; i < N; i++)
		links[i] = launch(&b, 2000 + i * 200, KERNEL, 64, 8);
	other = tb_stream(b.p);
	tb_thread(other, 1001, 101, 0, "harvest");
	for (unsigned i = 0; i < N; i++) {
		unsigned k = i * 1237 % N;
		uint64_t t = DEVICE_CLOCK + 2000 + k * 200;

		/* some need the wide form */
		tb_command(other, links[k], t, t + 1, t + k, t + k + 7, k % 3 ? 0 : t + 6000000000ull);
	}
	m = finish(&b);
	w = open_walk(m, GT_NO_TIME, GT_NO_TIME);
	for (unsigned i = 0; i < N; i++) {
		const struct gt_call *c = next_of(w, FN_clEnqueueNDRangeKernel);

		assert_true(c->command->timed);
		assert_int_equal(c->command->queued_ns, c->start_ns);
		assert_int_equal(c->command->end_ns - c->start_ns, i + 7);
	}
	gt_walk_close(w);
	assert_true(gt_model_complete(m));
	gt_model_close(m);
}

/* Clock sets, the window, exec and exit come by time, with what each of them tells. */
static void images_say_how_they_went_on(void **state)
{
	static const enum rec_type types[] = { REC_CLOCK, REC_WINDOW, REC_EXEC, REC_EXEC, REC_WINDOW, REC_EXIT,
		REC_COST, REC_CLOCK };
	const struct gt_image_record *r[8];
	struct gt_model *m;
	struct build b;

	(void)state;
	begin(&b);
	tb_record(b.s, REC_EXIT, 0, 0, W(6000, REC_EXIT_QUICK | 7ull << 32));
	tb_record(b.s, REC_WINDOW, 0, 0, W(2000, 1));
	tb_record(b.s, REC_EXEC, 0, 0, W(3000, 0, 2 | 0x6261ull << 32));
	tb_record(b.s, REC_EXEC, 0, 0, W(4000, 1, 2 | 0x6463ull << 32));
	tb_record(b.s, REC_WINDOW, 0, 0, W(5000, 0));
	tb_record(b.s, REC_COST, 0, 0, W(7000, 7500, 42 | (uint64_t)REC_COST_CHUNK << 32));
	m = finish(&b);
	assert_int_equal(gt_model_image_record_count(m), 8);
	assert_null(gt_model_image_record(m, 8));
	for (uint32_t i = 0; i < 8; i++) {
		r[i] = gt_model_image_record(m, i);
		assert_int_equal(r[i]->type, types[i]);
		assert_int_equal(r[i]->time_ns, i < 7 ? i * 1000 : 100000000);
	}
	assert_int_equal(r[0]->clock.tick, 1000);
	assert_int_equal(r[7]->clock.monotonic_ns - r[0]->clock.monotonic_ns, 100000000);
	assert_true(r[1]->window.on && !r[4]->window.on);
	assert_true(r[2]->exec.followed && !r[3]->exec.followed);
	assert_string_equal(r[2]->exec.path, "ab");
	assert_string_equal(r[3]->exec.path, "cd");
	assert_int_equal(r[5]->exit.how, REC_EXIT_QUICK);
	assert_int_equal(r[5]->exit.status, 7);
	assert_int_equal(r[6]->cost.end_ns, 6500);
	assert_int_equal(r[6]->cost.tid, 42);
	assert_int_equal(r[6]->cost.what, REC_COST_CHUNK);
	gt_model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_carry_ids_threads_and_times),
		cmocka_unit_test(reused_handles_are_told_apart_by_time),
		cmocka_unit_test(object_is_born_when_its_creating_call_ends),
		cmocka_unit_test(command_has_its_queue_device_work_and_times),
		cmocka_unit_test(times_that_can_be_are_proved),
		cmocka_unit_test(times_that_cannot_be_are_counted),
		cmocka_unit_test(overlaps_in_order_are_told),
		cmocka_unit_test(a_stated_error_is_allowed_for),
		cmocka_unit_test(children_begin_behind_their_parents),
		cmocka_unit_test(device_clock_follows_its_calibrations),
		cmocka_unit_test(device_clock_is_not_prolonged_by_errors),
		cmocka_unit_test(uncalibrated_clock_is_assumed_or_pinned),
		cmocka_unit_test(untimed_failed_and_lost_commands_say_why),
		cmocka_unit_test(local_size_comes_from_who_knows_it),
		cmocka_unit_test(local_memory_arguments_add_up),
		cmocka_unit_test(a_copy_of_a_kernel_has_its_arguments),
		cmocka_unit_test(transfers_know_their_bytes_and_ends),
		cmocka_unit_test(window_keeps_ids_and_overlapping_commands),
		cmocka_unit_test(facts_give_names_sizes_and_one_number_per_device),
		cmocka_unit_test(devices_of_one_uuid_are_told_apart),
		cmocka_unit_test(a_process_ends_when_it_says_so),
		cmocka_unit_test(facts_belong_to_their_generation),
		cmocka_unit_test(killed_thread_shows_what_it_was_inside),
		cmocka_unit_test(pooled_stream_gives_each_holder_its_calls),
		cmocka_unit_test(notes_sources_and_options_are_kept),
		cmocka_unit_test(images_say_how_they_went_on),
		cmocka_unit_test(walking_twice_gives_the_same),
		cmocka_unit_test(device_records_in_any_order_find_their_calls),
	};

	return cmocka_run_group_tests_name("model", tests, load_table, drop_table);
}
