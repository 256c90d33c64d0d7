/*
 * tests/unit/shim_cupti_args.c - what is copied of a CUDA call, when, and what is left alone
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/unit/shimwalk.h"

#include <ucontext.h>

#include "collectors/cupti/internal.h"
#include "trace/format/cuda_capture.h"

enum {
	cudaGetDevice = 17,
	cudaMalloc = 20,
	cudaMemcpy = 31,
	cudaDeviceSynchronize = 165,
	cudaLaunchKernel = 211,
	not_known = 999
};
enum { cuDeviceGetName = 5, cuModuleGetFunction = 23, cuMemcpy2D_v2 = 287 };

/* One call as CUPTI tells it: inside it `inside` runs, which may make calls, and which gives the result. */
static __attribute__((noinline)) int one(
	enum tap_cupti_domain domain, uint32_t cbid, const void *params, uint32_t correlation, int (*inside)(void))
{
	uint64_t shared = 0x5555;
	int result = 0;
	struct tap_cupti_callback c = { .site = TAP_CUPTI_ENTER,
		.params = params,
		.result = &result,
		.shared = &shared,
		.correlation = correlation };

	tap_cupti_call(domain, cbid, &c);
	if (inside)
		result = inside();
	c.site = TAP_CUPTI_EXIT;
	tap_cupti_call(domain, cbid, &c);
	return result;
}

/* ------------------------------------------------------------------ scenes */

static int device_out;
static void *memory_out;
static int writes_outputs(void) { device_out = 7; memory_out = (void *)0x7f1234560000; return 0; }
static int fails(void) { return 2; }

static int common_calls(void)
{
	struct { void **ptr; size_t bytes; } allocate = { &memory_out, 4096 };
	struct { int *device; } device = { &device_out };
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { (void *)0x1000, (void *)0x2000, 64, 1 };
	struct { void *function; uint32_t grid[3], block[3]; void *args; size_t shared; void *stream; } launch = {
		(void *)0xf00, { 1, 2, 3 }, { 4, 5, 6 }, &launch, 16, (void *)0x77 };

	one(TAP_CUPTI_RUNTIME, cudaMalloc, &allocate, 1, writes_outputs);
	one(TAP_CUPTI_RUNTIME, cudaGetDevice, &device, 2, writes_outputs);
	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 3, NULL);
	one(TAP_CUPTI_RUNTIME, cudaLaunchKernel, &launch, 4, NULL);
	one(TAP_CUPTI_RUNTIME, cudaDeviceSynchronize, NULL, 5, NULL);
	one(TAP_CUPTI_RUNTIME, cudaMalloc, &allocate, 6, fails);
	return tap_tls.depth != 0;
}

static int texts(void)
{
	static char name[64];
	static char longer[20000];
	struct { void **function; void *module; const char *name; } get = { &memory_out, (void *)0x99, "my_kernel" };
	struct { char *name; int len, device; } ask = { name, sizeof name, 0 };

	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 1, writes_outputs);
	strcpy(name, "gputap stand-in");
	one(TAP_CUPTI_DRIVER, cuDeviceGetName, &ask, 2, NULL);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	get.name = longer;
	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 3, writes_outputs);
	get.name = NULL;
	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 4, writes_outputs);
	get.name = "absent";
	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 5, fails);
	return 0;
}

/* Pointers that no memory stands behind, in calls that refused them. */
static int bad_pointers(void)
{
	struct { void **function; void *module; const char *name; } get = { (void *)8, (void *)0x99, (const char *)16 };
	struct { const void *what; } copy = { (void *)24 };
	/* 0: no such process, as when a filter forbids to read memory so */
	tap_cupti.pid = getenv("BY_MASK") ? 0 : (uint32_t)getpid();
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 1, fails);
	one(TAP_CUPTI_DRIVER, cuMemcpy2D_v2, &copy, 2, fails);
	munmap(page + 4096, 4096);
	memcpy(page + 4093, "abc", 3);                  /* a text that runs into nothing */
	get.name = page + 4093;
	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 3, fails);
	memcpy(page + 4092, "abc", 4);
	get.name = page + 4092;
	one(TAP_CUPTI_DRIVER, cuModuleGetFunction, &get, 4, fails);
	return 0;
}

static int unknown_calls(void)
{
	struct { uint64_t w[9]; } params = { { 1, 2, 3, 4, 5, 6, 7, 8, 9 } };
	uint64_t *elsewhere = calloc(9, 8);

	one(TAP_CUPTI_RUNTIME, not_known, &params, 1, NULL);
	one(TAP_CUPTI_RUNTIME, not_known, elsewhere, 2, NULL);
	one(TAP_CUPTI_DRIVER, 0xfff, NULL, 3, NULL);
	free(elsewhere);
	return 0;
}

static int depth_inside;
static int nested(void)
{
	struct { uint64_t dst; const void *src; size_t bytes; } copy = { 0x1000, NULL, 64 };

	one(TAP_CUPTI_DRIVER, 276, &copy, 1, NULL);
	depth_inside = (int)tap_tls.depth;
	return 0;
}

static int nested_calls(void)
{
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { 0 };

	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 1, nested);
	return depth_inside != 1 || tap_tls.depth != 0;
}

static jmp_buf out_of_it;
static int jumps_out(void) { longjmp(out_of_it, 1); }

/* A call that a jump left, then calls of both kinds. */
static int left_calls(void)
{
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { 0 };
	struct tap_call cl;

	for (volatile int i = 0; i < 20; i++)
		if (!setjmp(out_of_it))
			one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 1, jumps_out);
	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 2, NULL);
	if (!tap_call_begin(&cl, 0x400, REC_DOMAIN_OPENCL, 0, 0, 0, 0))
		return 1;
	tap_call_stop(&cl, 0);
	tap_call_reserve_bare(&cl);
	tap_call_finish(&cl);
	return tap_tls.depth > 1;
}

/*
 * A call left on a fiber's stack that is unmapped since, then calls from a stack below it. What CUPTI shares between
 * entry and exit stands on the stack of the call.
 */
#define FIBER_BYTES 65536u
static ucontext_t at_home, in_fiber;
static int fiber_number;

static void fiber(void)
{
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { 0 };

	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 1, fiber_number++ % 2 ? NULL : jumps_out);
	longjmp(out_of_it, 1);
}

static int fibers(void)
{
	for (volatile int i = 0; i < 4; i++) {
		char *stacks = mmap(NULL, 2 * FIBER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (volatile int k = 1; k >= 0; k--) {
			getcontext(&in_fiber);
			in_fiber.uc_stack.ss_sp = stacks + (k ? FIBER_BYTES : 0);
			in_fiber.uc_stack.ss_size = FIBER_BYTES;
			in_fiber.uc_link = &at_home;
			makecontext(&in_fiber, fiber, 0);
			if (!setjmp(out_of_it))
				swapcontext(&at_home, &in_fiber);
			if (k && munmap(stacks + FIBER_BYTES, FIBER_BYTES))
				return 1;
		}
	}
	return 0;
}

/* A fiber goes away in the middle of a call, another stack of the thread makes calls, then it comes back. */
static int to_home(void) { return swapcontext(&in_fiber, &at_home); }

static void fiber_that_pauses(void)
{
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { 0 };

	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 1, to_home);
}

static int paused_call(void)
{
	static char lower[FIBER_BYTES] __attribute__((aligned(16)));
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { 0 };

	getcontext(&in_fiber);
	in_fiber.uc_stack.ss_sp = lower;
	in_fiber.uc_stack.ss_size = sizeof lower;
	in_fiber.uc_link = &at_home;
	makecontext(&in_fiber, fiber_that_pauses, 0);
	swapcontext(&at_home, &in_fiber);
	/* CUPTI says so of a call that is inside no other */
	tap_tls.cuda_depth = 1;
	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 2, NULL);
	one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 3, NULL);
	shared->n[0] = tap_tls.stream->control->lost[REC_LOSS_LEFT_CALL];
	swapcontext(&at_home, &in_fiber);
	return 0;
}

/* A call of OpenCL inside one of CUDA, as a driver that is built on CUDA makes it, does not forget the outer one. */
static int opencl_inside(void)
{
	struct tap_call cl;

	if (tap_call_begin(&cl, 0x400, REC_DOMAIN_OPENCL, 0, 0, 0, 0)) {
		shared->n[0] = tap_tls.depth;
		tap_call_stop(&cl, 0);
		tap_call_reserve_bare(&cl);
		tap_call_finish(&cl);
	}
	shared->n[1] = tap_tls.depth;
	return 0;
}

static int mixed_calls(void)
{
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { 0 };

	return one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 1, opencl_inside);
}

static int dies(void) { raise(SIGKILL); return 0; }
static int killed(void)
{
	struct { void *dst; const void *src; size_t bytes; int kind; } copy = { (void *)0x1000, (void *)0x2000, 64, 2 };

	return one(TAP_CUPTI_RUNTIME, cudaMemcpy, &copy, 9, dies);
}

/* Only the end was seen: the window opened inside the call. */
static int late(void)
{
	uint64_t word = 0;
	int result = 0;
	struct { int *device; } device = { &device_out };
	struct tap_cupti_callback c = {
		.site = TAP_CUPTI_EXIT, .params = &device, .result = &result, .shared = &word, .correlation = 1
	};

	tap_stream_get();
	tap_cupti_call(TAP_CUPTI_RUNTIME, cudaGetDevice, &c);
	word = 0xdeadbeefdeadbeef;
	tap_cupti_call(TAP_CUPTI_RUNTIME, cudaGetDevice, &c);
	word = tap_tick() + 1000000000;
	tap_cupti_call(TAP_CUPTI_RUNTIME, cudaGetDevice, &c);
	return 0;
}

static int with_table(void)
{
	tap_cupti_args_start();
	return common_calls();
}

/* -------------------------------------------------------------------- what they left */

struct seen {
	uint32_t n;
	struct {
		uint32_t id, correlation, bytes, copies, flags;
		int result;
		const uint8_t *data;
		uint64_t words[2400];   /* without that of a REC_LONG's size */
	} call[40];
};

static void remember(const uint64_t *rec, void *arg)
{
	struct seen *s = arg;

	if (rec_id(*rec) < REC_FN_CUDA || s->n == 40)
		return;
	uint32_t i = s->n++, n = rec_words(rec), room = sizeof s->call[i].words / 8;

	memset(&s->call[i], 0, sizeof s->call[i]);
	s->call[i].words[0] = *rec;
	if (rec_flags(*rec) & REC_LONG)
		rec++, n--;
	memcpy(s->call[i].words + 1, rec + 1, ((n < room ? n : room) - 1) * 8);
	rec = s->call[i].words;
	s->call[i].id = rec_id(*rec);
	s->call[i].result = rec_result(*rec);
	s->call[i].flags = rec_flags(*rec);
	s->call[i].correlation = (uint32_t)(rec[2] >> 32);
	s->call[i].bytes = (uint32_t)rec[3];
	s->call[i].copies = (uint32_t)(rec[3] >> 32);
	s->call[i].data = (const uint8_t *)&s->call[i].words[4];
}

static void run_scene(struct seen *s, struct walk *w, const char *name, const char *option, int expect)
{
	*w = (struct walk){ .each = remember, .arg = s };
	s->n = 0;
	scene_place();
	assert_int_equal(option ? scene_end(scene_start(name, option, NULL)) : RUN_SCENE(name), expect);
	walk_trace(w, "t", 0);
	assert_int_equal(w->bad, 0);
	assert_int_equal(w->incomplete, 0);
}

/* Copy i of a call: its bytes, 0 when there is none. */
static uint32_t copy_at(const struct seen *s, uint32_t call, uint32_t i, uint32_t *offset, const uint8_t **data)
{
	const uint64_t *at =
		&s->call[call].words[4 + (s->call[call].bytes & ~REC_CUDA_RAW) / 8 + ((s->call[call].bytes & 7) != 0)];

	for (uint32_t k = 0; k < s->call[call].copies; k++) {
		uint32_t bytes = (uint32_t)(*at >> 32);

		*offset = (uint32_t)*at;
		*data = (const uint8_t *)(at + 1);
		if (k == i)
			return bytes;
		at += 1 + ((bytes & REC_CUDA_COPY_LENGTH) + 7) / 8;
	}
	return 0;
}

/* The structure is in the record as the callback showed it, with the correlation id and the result. */
static void the_parameters_are_stored_as_they_are(void **state)
{
	static struct seen s;
	struct walk w;
	uint32_t grid[3];

	(void)state;
	run_scene(&s, &w, "common_calls", NULL, 0);
	assert_int_equal(s.n, 6);
	assert_int_equal(s.call[2].id, REC_FN_CUDA_RUNTIME + cudaMemcpy);
	assert_int_equal(s.call[2].correlation, 3);
	assert_int_equal(s.call[2].bytes, 32);
	assert_int_equal(s.call[2].copies, 0);
	assert_memory_equal(s.call[2].data, ((uint64_t[]){ 0x1000, 0x2000, 64, 1 }), 28);
	assert_int_equal(s.call[3].bytes, 56);
	memcpy(grid, s.call[3].data + 8, sizeof grid);
	assert_memory_equal(grid, ((uint32_t[]){ 1, 2, 3 }), sizeof grid);
	assert_int_equal(s.call[4].bytes, 0);
	assert_int_equal(s.call[4].result, 0);
	assert_int_equal(s.call[5].result, 2);
}

/* What a call wrote is there when it succeeded, and only then. */
static void outputs_are_copied_from_calls_that_succeeded(void **state)
{
	static struct seen s;
	struct walk w;
	const uint8_t *data = NULL;
	uint32_t offset;

	(void)state;
	run_scene(&s, &w, "common_calls", NULL, 0);
	assert_int_equal(copy_at(&s, 0, 0, &offset, &data), 8 | REC_CUDA_COPY_OUT);
	assert_int_equal(offset, 0);
	assert_int_equal(*(const uint64_t *)data, 0x7f1234560000);
	assert_int_equal(copy_at(&s, 1, 0, &offset, &data), 4 | REC_CUDA_COPY_OUT);
	assert_int_equal(*(const uint32_t *)data, 7);
	assert_int_equal(s.call[5].copies, 0);
}

/* Texts in both directions, whole up to a bound where they are marked, also when the call failed. */
static void texts_are_whole_up_to_16_kilobytes(void **state)
{
	static struct seen s;
	struct walk w;
	const uint8_t *data = NULL;
	uint32_t offset;

	(void)state;
	run_scene(&s, &w, "texts", NULL, 0);
	assert_int_equal(s.n, 5);
	assert_int_equal(copy_at(&s, 0, 1, &offset, &data), 9);
	assert_int_equal(offset, 16);
	assert_memory_equal(data, "my_kernel", 9);
	assert_false(s.call[0].flags & REC_CUT);
	assert_int_equal(copy_at(&s, 1, 0, &offset, &data), 15 | REC_CUDA_COPY_OUT);
	assert_memory_equal(data, "gputap stand-in", 15);
	assert_int_equal(copy_at(&s, 2, 1, &offset, &data), 16384 | REC_CUDA_COPY_CUT);
	assert_true(s.call[2].flags & REC_CUT);
	assert_int_equal(s.call[3].copies, 1);
	assert_int_equal(s.call[4].copies, 1);
	assert_int_equal(copy_at(&s, 4, 0, &offset, &data), 6);
	assert_memory_equal(data, "absent", 6);
}

/* A program that passes bad pointers gets its error code, not a crash; what could not be copied is counted. */
static void bad_pointers_of_failed_calls_are_not_followed(void **state)
{
	static struct seen s;
	struct walk w;
	const uint8_t *data = NULL;
	uint32_t offset;

	(void)state;
	for (int by_mask = 0; by_mask < 2; by_mask++) {
		run_scene(&s, &w, "bad_pointers", by_mask ? "BY_MASK=1" : NULL, 0);
		assert_int_equal(s.n, 4);
		for (int i = 0; i < 3; i++)
			assert_int_equal(s.call[i].copies, 0);
		assert_int_equal(w.lost[REC_LOSS_CUPTI_ARGS_CUT], 3);
		assert_int_equal(copy_at(&s, 3, 0, &offset, &data), 3);
		assert_memory_equal(data, "abc", 3);
	}
}

/* Without knowledge of the call the first words are stored, marked, and never from memory that may end. */
static void of_unknown_calls_the_first_words_are_stored(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "unknown_calls", NULL, 0);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.call[0].bytes, 64 | REC_CUDA_RAW);
	assert_memory_equal(s.call[0].data, ((uint64_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }), 64);
	assert_int_equal(s.call[1].bytes, REC_CUDA_RAW);
	assert_int_equal(s.call[2].bytes, 0);
	assert_int_equal(s.call[2].id, REC_FN_CUDA_DRIVER + 0xfff);
}

static void a_driver_call_inside_a_runtime_call_is_recorded_too(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "nested_calls", NULL, 0);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.call[0].id, REC_FN_CUDA_DRIVER + 276);
	assert_int_equal(s.call[1].id, REC_FN_CUDA_RUNTIME + cudaMemcpy);
	assert_true(s.call[1].words[1] <= s.call[0].words[1]);
}

static void calls_left_by_a_jump_fill_no_slots(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "left_calls", NULL, 0);
	assert_int_equal(s.n, 1);
	assert_int_equal(w.calls, 2);
	assert_int_equal(w.lost[REC_LOSS_LEFT_CALL] + w.open_slots, 20);
}

static void calls_left_on_a_stack_that_went_harm_nothing(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "fibers", NULL, 0);
	assert_int_equal(w.calls, 4);
	assert_int_equal(w.lost[REC_LOSS_LEFT_CALL] + w.open_slots, 4);
}

static void a_call_that_comes_back_is_not_counted_as_left(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "paused_call", NULL, 0);
	assert_int_equal(w.calls, 3);
	assert_int_equal(shared->n[0], 1);
	assert_int_equal(w.lost[REC_LOSS_LEFT_CALL] + w.open_slots, 0);
}

static void a_call_of_another_api_inside_keeps_the_outer_slot(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "mixed_calls", NULL, 0);
	assert_int_equal(w.calls, 2);
	assert_int_equal(shared->n[0], 2);
	assert_int_equal(shared->n[1], 1);
}

static void a_killed_thread_tells_its_call_and_the_first_words(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "killed", NULL, SIGKILL);
	assert_int_equal(s.n, 0);
	assert_int_equal(w.slot[0].fn, REC_FN_CUDA_RUNTIME + cudaMemcpy);
	assert_int_equal(w.slot[0].domain, REC_DOMAIN_CUDA_RUNTIME);
	assert_memory_equal(w.slot[0].arg, ((uint64_t[]){ 0x1000, 0x2000, 64 }), 24);
	assert_int_equal((uint32_t)w.slot[0].arg[3], 2);
}

static void a_call_whose_entry_was_not_seen_is_not_recorded(void **state)
{
	static struct seen s;
	struct walk w;

	(void)state;
	run_scene(&s, &w, "late", NULL, 0);
	assert_int_equal(s.n, 0);
}

/* A capture file with one runtime call, cudaMalloc, and copies of it as asked. */
static void write_table(const char *path, uint16_t struct_bytes, uint16_t n, uint16_t offset, uint32_t cut)
{
	struct {
		struct rec_cuda_capture head;
		struct rec_cuda_call call[cudaMalloc + 1];
		struct rec_cuda_copy copy[1];
	} t = { .head = { REC_CUDA_CAPTURE_MAGIC, REC_CUDA_CAPTURE_VERSION, sizeof t, cudaMalloc + 1, 0, 1, 0 } };
	FILE *f = fopen(path, "w");

	t.call[cudaMalloc] = (struct rec_cuda_call){ (uint16_t)(struct_bytes + 1), 0, n, 0 };
	t.copy[0] = (struct rec_cuda_copy){ offset, 4, REC_CUDA_OUT, 0 };
	assert_non_null(f);
	assert_int_equal(fwrite(&t, 1, sizeof t - cut, f), sizeof t - cut);
	fclose(f);
}

static void the_table_that_is_named_replaces_the_built_in_one(void **state)
{
	static struct seen s;
	char option[400], path[300];
	const uint8_t *data = NULL;
	uint32_t offset;
	struct walk w = { .each = remember, .arg = &s };

	(void)state;
	s.n = 0;
	scene_place();
	snprintf(path, sizeof path, "%s/table.capture", shim_dir);
	snprintf(option, sizeof option, "GPUTAP_CUDA_TABLE=%s/table", shim_dir);
	write_table(path, 16, 1, 0, 0);
	assert_int_equal(scene_end(scene_start("with_table", option, NULL)), 0);
	walk_trace(&w, "t", 0);
	assert_int_equal(copy_at(&s, 0, 0, &offset, &data), 4 | REC_CUDA_COPY_OUT);
	assert_int_equal(*(const uint32_t *)data, 0x34560000);
	assert_int_equal(s.call[2].bytes, 64 | REC_CUDA_RAW);   /* not in this table */
}

/* Damaged ones are refused: the built-in one serves, and the trace says so. */
static void a_damaged_table_is_refused(void **state)
{
	static const struct {
		uint16_t bytes, n, offset;
		uint32_t cut;
	} bad[] = { { 16, 2, 0, 0 }, { 16, 1, 9, 0 }, { 16, 1, 0, 8 }, { 16, 1, 0, 200 } };
	static struct seen s;
	char option[400], path[300];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad + 1; i++) {
		struct walk w = { .each = remember, .arg = &s };

		s.n = 0;
		scene_place();
		snprintf(path, sizeof path, "%s/table.capture", shim_dir);
		snprintf(option, sizeof option, "GPUTAP_CUDA_TABLE=%s/table", shim_dir);
		if (i < sizeof bad / sizeof *bad)                       /* the last one is not there */
			write_table(path, bad[i].bytes, bad[i].n, bad[i].offset, bad[i].cut);
		assert_int_equal(scene_end(scene_start("with_table", option, NULL)), 0);
		walk_trace(&w, "t", 0);
		assert_int_equal(s.call[2].bytes, 32);
		assert_int_equal(w.by_type[REC_NOTE], 1);
	}
}

const struct scene scenes[] = {
	{ "common_calls", common_calls }, { "texts", texts }, { "bad_pointers", bad_pointers },
	{ "unknown_calls", unknown_calls },
	{ "nested_calls", nested_calls }, { "left_calls", left_calls },
	{ "fibers", fibers }, { "paused_call", paused_call }, { "mixed_calls", mixed_calls },
	{ "killed", killed }, { "late", late },
	{ "with_table", with_table }, { NULL, NULL },
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_parameters_are_stored_as_they_are),
		cmocka_unit_test(outputs_are_copied_from_calls_that_succeeded),
		cmocka_unit_test(texts_are_whole_up_to_16_kilobytes),
		cmocka_unit_test(bad_pointers_of_failed_calls_are_not_followed),
		cmocka_unit_test(of_unknown_calls_the_first_words_are_stored),
		cmocka_unit_test(a_driver_call_inside_a_runtime_call_is_recorded_too),
		cmocka_unit_test(calls_left_by_a_jump_fill_no_slots),
		cmocka_unit_test(calls_left_on_a_stack_that_went_harm_nothing),
		cmocka_unit_test(a_call_that_comes_back_is_not_counted_as_left),
		cmocka_unit_test(a_call_of_another_api_inside_keeps_the_outer_slot),
		cmocka_unit_test(a_killed_thread_tells_its_call_and_the_first_words),
		cmocka_unit_test(a_call_whose_entry_was_not_seen_is_not_recorded),
		cmocka_unit_test(the_table_that_is_named_replaces_the_built_in_one),
		cmocka_unit_test(a_damaged_table_is_refused),
	};

	scene_main(argc, argv);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	scene_clean();
	return failed;
}
