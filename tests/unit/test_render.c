/*
 * tests/unit/test_render.c - the two texts of one call, from a table of its own; and what they are made with
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include "model/functions/args.h"
#include "writers/atp/atp.h"
#include "writers/render.h"
#include "writers/spill.h"

static const char table_text[] =
	"T\t1\nD\t1\topencl\n"
	"E\tcl_error\tenum\nV\t0\tCL_SUCCESS\nV\t-5\tCL_OUT_OF_RESOURCES\n"
	"E\tcl_colour\tflags\nV\t1\tCL_RED\nV\t2\tCL_GREEN\nV\t4294967295\tCL_ALL\n"
	"E\tcl_shape\tenum\nV\t7\tCL_ROUND\n"
	"S\tcl_point\t16\nM\tx\t0\tsize\t8\t-\nM\tshape\t8\tenum\t4\tcl_shape\n"
	/*
	 * clPaint(colour flags, shape enum, weight f32, ratio i32, title string, spots[n], n, point struct, errcode)
	 * -> handle
	 */
	"F\t1100\tclPaint\t1\tcreate\tcl_mem\thandle\t16\t5\t-\t0\t8\t1\t0\n"
	"P\tcl_colour\tcolour\tflags\tcl_colour\t2\t8\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tcl_shape\tshape\tenum\tcl_shape\t1\t4\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tfloat\tweight\tf32\t-\t4\t4\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tcl_int\tratio\ti32\t-\t5\t4\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tconst char *\ttitle\tpointer\t-\t6\t8\tstring\tin\tchar\t1\t0\t-\t-\t1024\t0\t-\n"
	"P\tcl_event *\tspots\tpointer\t-\t8\t8\tarray\tout\thandle\t8\t9\tn\t-\t2048\t1\t-\n"
	"P\tsize_t\tn\tsize\t-\t10\t8\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n"
	"P\tconst cl_point *\tpoint\tpointer\tcl_point\t12\t8\tarray\tin\tstruct\t16\t0\t-\t-\t16\t0\t-\n"
	"P\tcl_int *\terrcode_ret\tpointer\tcl_error\t14\t8\tnone\tout\terror\t4\t0\t-\t-\t0\t1\terrcode\n"
	"F\t1101\tclFree\t1\tmemory\tvoid\tvoid\t-1\t0\t-\t0\t1\t0\t0\n"
	"P\tcl_bool\tnow\tbool\t-\t1\t4\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n";

struct fixture {
	struct gt_fntable *table;
	struct gt_render *render;
	struct gt_text text;
	struct gt_decoded decoded;
	struct gt_call call;
	uint64_t words[64];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct gt_err err;

	if (!f || gt_fntable_parse(table_text, sizeof(table_text) - 1, &f->table, &err))
		return -1;
	f->render = gt_render_new(f->table);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	gt_render_free(f->render);
	gt_fntable_free(f->table);
	gt_text_free(&f->text);
	free(f);
	return 0;
}

static void set_call(struct fixture *f, const char *fn, int32_t result, uint32_t first_u32, uint32_t n)
{
	struct gt_rec rec = {
		.words = f->words, .args = f->words, .n_args = n, .first_u32 = first_u32, .result = result
	};

	f->call = (struct gt_call){ .fn = gt_fntable_find_name(f->table, fn), .result = result };
	assert_non_null(f->call.fn);
	gt_call_set_args(&f->call, &rec, &f->decoded);
}

/* A whole clPaint: fixed words, then title (3 words), spots (2), point (2). */
static void set_paint(struct fixture *f, int32_t result, uint64_t colour, uint32_t shape)
{
	float weight = 0.1f;
	uint32_t bits;

	memcpy(&bits, &weight, 4);
	memset(f->words, 0, sizeof(f->words));
	f->words[0] = colour;
	f->words[1] = bits | (uint64_t)(uint32_t)-3 << 32;
	f->words[2] = 0xAAA0;
	f->words[3] = 0xBBB0;
	f->words[4] = 2;
	f->words[5] = 0xCCC0;
	f->words[6] = 0xDDD0;
	f->words[7] = result ? 0 : 0x5500EE00;
	f->words[8] = 9;
	memcpy((char *)&f->words[8] + 4, "red \"x\"\n!", 9);
	f->words[10] = 0x11;
	f->words[11] = 0;
	f->words[12] = 640;
	f->words[13] = 7;
	set_call(f, "clPaint", result, shape, result ? 8 : 14);
}

static const char *atp(struct fixture *f)
{
	f->text.used = 0;
	gt_render_atp_call(&f->text, f->render, gt_render_plan(f->render, f->call.fn), &f->call, NULL);
	gt_text_char(&f->text, '\0');
	return f->text.data;
}

static const char *log_line(struct fixture *f)
{
	f->text.used = 0;
	gt_render_log_call(&f->text, gt_render_plan(f->render, f->call.fn), &f->call);
	gt_text_char(&f->text, '\0');
	return f->text.data;
}

/* .atp shows symbols, values behind pointers in brackets, structs in braces. */
static void atp_shows_each_class(void **state)
{
	struct fixture *f = *state;

	set_paint(f, 0, 3, 7);
	assert_string_equal(atp(f),
		"0x5500EE00 = clPaint ( CL_RED|CL_GREEN;CL_ROUND;0.100000001;-3;\"red "
	        "\"x\"\\n!\";[0x11,NULL];2;[{640,CL_ROUND}];[CL_SUCCESS] )");
}

/* Unknown bits and enumerators are decimal; a value that has a name of its own as a whole takes it; no bits are 0. */
static void atp_flags_and_enums_without_names_are_decimal(void **state)
{
	struct fixture *f = *state;

	set_paint(f, 0, 9, 70);
	assert_non_null(strstr(atp(f), "( CL_RED|8;70;"));
	set_paint(f, 0, 4294967295u, 7);
	assert_non_null(strstr(atp(f), "( CL_ALL;"));
	set_paint(f, 0, 0, 7);
	assert_non_null(strstr(atp(f), "( 0;"));
}

/* Nothing behind the pointers of a failed call was read: inputs are addresses, outputs empty. */
static void atp_failed_call_shows_addresses(void **state)
{
	struct fixture *f = *state;

	set_paint(f, -5, 1, 7);
	assert_string_equal(
		atp(f), "NULL = clPaint ( CL_RED;CL_ROUND;0.100000001;-3;0xAAA0;[];2;0xCCC0;[CL_OUT_OF_RESOURCES] )");
}

/* A record without arguments gives a line that still parses. */
static void bare_call_has_a_name_and_a_result(void **state)
{
	struct fixture *f = *state;

	set_paint(f, 0, 1, 7);
	f->call.has_args = false;
	assert_string_equal(atp(f), "NULL = clPaint (  )");
	assert_string_equal(log_line(f), "clPaint(...) = 0000000000000000");
}

static void void_functions_say_void(void **state)
{
	struct fixture *f = *state;

	f->words[0] = 0;
	set_call(f, "clFree", 0, 1, 1);
	assert_string_equal(atp(f), "void = clFree ( CL_TRUE )");
	assert_string_equal(log_line(f), "clFree(cl_bool now = 1) = void");
}

/* The API log: types, decimal numbers, escaped text, 16-digit handles, outputs behind the result. */
static void log_shows_each_class(void **state)
{
	struct fixture *f = *state;

	set_paint(f, 0, 3, 7);
	assert_string_equal(log_line(f),
		"clPaint(cl_colour colour = 3, cl_shape shape = 7, float weight = 0.100000001, cl_int ratio = -3, "
	        "const char * title = \"red \\\"x\\\"\\n!\", "
		"cl_event * spots = 000000000000BBB0, size_t n = 2, const cl_point * point = 000000000000CCC0, cl_int "
	        "* errcode_ret = 000000000000DDD0) = "
		"000000005500EE00, *spots = (0000000000000011,0000000000000000), *errcode_ret = CL_SUCCESS");
}

/* After a failure only *errcode_ret is shown. */
static void log_failed_call_shows_the_code_alone(void **state)
{
	struct fixture *f = *state;
	const char *line;

	set_paint(f, -5, 3, 7);
	line = log_line(f);
	assert_non_null(strstr(line, "title = 000000000000AAA0"));
	assert_non_null(strstr(line, ") = 0000000000000000, *errcode_ret = CL_OUT_OF_RESOURCES"));
	assert_null(strstr(line, "*spots"));
}

/* A host line keeps the widths, and a blank where a value fills its column. */
static void host_part_keeps_a_blank(void **state)
{
	static const struct gt_fn fn = { .name = "clAFunctionWhoseNameIsLongerThanFortyFiveBytesAA" };
	struct gt_call call = { .fn = &fn, .start_mono_ns = 5, .end_mono_ns = INT64_MAX };
	struct gt_text t = { 0 };

	(void)state;
	assert_int_equal(gt_atp_host_part(&t, &call, 146), 0);
	gt_text_char(&t, '\0');
	assert_string_equal(t.data,
		"146  clAFunctionWhoseNameIsLongerThanFortyFiveBytesAA 5                    9223372036854775807  ");
	gt_text_free(&t);
}

/* An end before the start is moved, and counted. */
static void host_part_counts_what_it_moves(void **state)
{
	static const struct gt_fn fn = { .name = "clFinish" };
	struct gt_call call = { .fn = &fn, .start_mono_ns = 500, .end_mono_ns = 400 };
	struct gt_text t = { 0 };

	(void)state;
	assert_int_equal(gt_atp_host_part(&t, &call, 51), 1);
	gt_text_char(&t, '\0');
	assert_non_null(strstr(t.data, " 500                  500 "));
	gt_text_free(&t);
}

/* Known functions have the number readers expect, others the one for unknown. */
static void api_numbers_are_those_of_the_format(void **state)
{
	(void)state;
	assert_int_equal(gt_atp_opencl_id("clGetPlatformIDs"), 0);
	assert_int_equal(gt_atp_opencl_id("clEnqueueNDRangeKernel"), 66);
	assert_int_equal(gt_atp_opencl_id("clSetProgramSpecializationConstant"), 145);
	assert_int_equal(gt_atp_opencl_id("clCreateBufferWithProperties"), 146);
	assert_int_equal(gt_atp_hsa_id("hsa_amd_memory_async_copy"), 128);
	assert_int_equal(gt_atp_hsa_id("hsa_amd_memory_async_copy_rect"), 197);
	assert_int_equal(gt_atp_hsa_id("hsa_none"), 1000);
}

static void numbers_print_as_c_prints_them(void **state)
{
	static const uint64_t values[] = { 0, 9, 10, 99, 100, 101, 12345, 4294967295u, 10000000000ull,
		0x123456789abcdef0, INT64_MAX, UINT64_MAX };
	char expect[256];

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct gt_text t = { 0 };

		gt_text_u64(&t, values[i]);
		gt_text_char(&t, ' ');
		gt_text_i64(&t, (int64_t)values[i]);
		gt_text_char(&t, ' ');
		gt_text_hex(&t, values[i], 16, true);
		gt_text_char(&t, ' ');
		gt_text_hex(&t, values[i], 1, false);
		gt_text_char(&t, '\0');
		snprintf(expect, sizeof(expect), "%llu %lld %016llX %llx", (unsigned long long)values[i],
			(long long)values[i], (unsigned long long)values[i], (unsigned long long)values[i]);
		assert_string_equal(t.data, expect);
		gt_text_free(&t);
	}
}

/* Every width, also beyond what one copy of blanks fills. */
static void pad_fills_up_to_the_width(void **state)
{
	(void)state;
	for (size_t width = 0; width < 130; width++) {
		struct gt_text t = { 0 };

		gt_text_lit(&t, "abcde");
		gt_text_pad(&t, 2, width, 1);
		assert_int_equal(t.used, width > 4 ? 2 + width : 6);
		for (size_t i = 5; i < t.used; i++)
			assert_int_equal(t.data[i], ' ');
		gt_text_free(&t);
	}
}

/* A file of many pieces holds each line once, in order, however the pieces cut them. */
static void long_output_is_whole(void **state)
{
	const char *path = "long.out";
	struct gt_output out;
	struct gt_err err;
	char line[64];

	(void)state;
	assert_int_equal(gt_output_open(&out, path, path, &err), 0);
	for (int i = 0; i < 200000; i++) {
		gt_text_u64(&out.text, (uint64_t)i);
		gt_text_char(&out.text, '\n');
		if (i % 1000 == 0)
			gt_output_drain(&out);
	}
	assert_int_equal(gt_output_commit(&out, &err), 0);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	for (int i = 0; i < 200000; i++) {
		assert_non_null(fgets(line, sizeof(line), f));
		assert_int_equal(atoi(line), i);
	}
	assert_null(fgets(line, sizeof(line), f));
	fclose(f);
	unlink(path);
}

/* Texts that moved to the file and came back are what was appended, in order, each on its own. */
static void spilled_texts_come_back_whole(void **state)
{
	struct gt_spill s;
	struct gt_spill_text *t[3];
	struct gt_output out;
	struct gt_err err;
	char path[] = "spill.out", line[64];
	FILE *f;

	(void)state;
	gt_spill_open(&s, path, 1000);
	for (int i = 0; i < 3; i++)
		assert_non_null(t[i] = gt_spill_add(&s));
	for (int i = 0; i < 9000; i++) {
		size_t before = t[i % 3]->text.used;

		gt_text_u64(&t[i % 3]->text, (uint64_t)i);
		gt_text_char(&t[i % 3]->text, '\n');
		gt_spill_wrote(&s, t[i % 3]->text.used - before);
	}
	assert_true(t[0]->n_chunks > 10);
	assert_int_equal(gt_output_open(&out, path, path, &err), 0);
	for (int i = 0; i < 3; i++)
		gt_spill_copy(&s, t[i], &out);
	assert_int_equal(gt_spill_check(&s, &err), 0);
	assert_int_equal(gt_output_commit(&out, &err), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	for (int i = 0; i < 3; i++)
		for (int k = i; k < 9000; k += 3) {
			assert_non_null(fgets(line, sizeof(line), f));
			assert_int_equal(atoi(line), k);
		}
	assert_null(fgets(line, sizeof(line), f));
	fclose(f);
	unlink(path);
	gt_spill_close(&s);
}

/* A file appears under its name only when it is whole; another one there is kept unless it may be replaced. */
static void created_file_appears_at_commit(void **state)
{
	struct gt_output out;
	struct gt_err err;

	(void)state;
	unlink("created.out");
	assert_int_equal(gt_output_create(&out, "created.out", false, &err), 0);
	gt_text_str(&out.text, "x\n");
	assert_int_equal(access("created.out", F_OK), -1);
	assert_int_equal(gt_output_commit(&out, &err), 0);
	assert_int_equal(access("created.out", F_OK), 0);
	assert_int_equal(gt_output_create(&out, "created.out", false, &err), -1);
	assert_int_equal(err.kind, GT_EXIT_OUTPUT);
	assert_int_equal(gt_output_create(&out, "created.out", true, &err), 0);
	gt_output_discard(&out);
	assert_int_equal(access("created.out", F_OK), 0);
	unlink("created.out");
}

/* A full disk is an error, not a short file. */
static void full_disk_fails_the_commit(void **state)
{
	struct gt_output out;
	struct gt_err err;

	(void)state;
	if (access("/dev/full", W_OK)) {
		print_message("skipped: no /dev/full here\n");
		skip();
	}
	/* A file of its own, as one that is there is refused; then what it is written to is full. */
	unlink("full.out");
	assert_int_equal(gt_output_open(&out, "full.out", "full.out", &err), 0);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_int_equal(dup2(full, out.fd), out.fd);
	close(full);
	gt_text_str(&out.text, "x\n");
	assert_int_equal(gt_output_commit(&out, &err), -1);
	assert_int_equal(err.kind, GT_EXIT_OUTPUT);
	unlink("full.out");     /* whoever chose the name removes it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(atp_shows_each_class, setup, teardown),
		cmocka_unit_test_setup_teardown(atp_flags_and_enums_without_names_are_decimal, setup, teardown),
		cmocka_unit_test_setup_teardown(atp_failed_call_shows_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(bare_call_has_a_name_and_a_result, setup, teardown),
		cmocka_unit_test_setup_teardown(void_functions_say_void, setup, teardown),
		cmocka_unit_test_setup_teardown(log_shows_each_class, setup, teardown),
		cmocka_unit_test_setup_teardown(log_failed_call_shows_the_code_alone, setup, teardown),
		cmocka_unit_test(host_part_keeps_a_blank),
		cmocka_unit_test(host_part_counts_what_it_moves),
		cmocka_unit_test(api_numbers_are_those_of_the_format),
		cmocka_unit_test(numbers_print_as_c_prints_them),
		cmocka_unit_test(pad_fills_up_to_the_width),
		cmocka_unit_test(long_output_is_whole),
		cmocka_unit_test(spilled_texts_come_back_whole),
		cmocka_unit_test(created_file_appears_at_commit),
		cmocka_unit_test(full_disk_fails_the_commit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
