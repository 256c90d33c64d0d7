/*
 * tests/unit/test_cuda_args.c - arguments of recorded CUDA calls: found in the record, named, printed
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

#include "model/cuda/args_value.h"
#include "trace/format/cuda_capture.h"
#include "writers/render.h"

/* A record's arguments: the structure, then copies. */
struct made { uint64_t words[128]; uint32_t n; struct gt_rec rec; };

static void start(struct made *m, uint32_t id, const void *params, uint32_t bytes)
{
	memset(m, 0, sizeof *m);
	m->words[0] = bytes;
	if (bytes)
		memcpy(&m->words[1], params, bytes & ~REC_CUDA_RAW);
	m->n = 1 + ((bytes & ~REC_CUDA_RAW) + 7) / 8;
	m->rec =
		(struct gt_rec){ .words = m->words, .args = m->words, .id = id, .n_args = m->n, .flags = REC_COMPLETE };
}

static void copy(struct made *m, uint32_t offset, uint32_t out, const void *data, uint32_t bytes)
{
	m->words[m->n++] = offset | (uint64_t)(bytes | out) << 32;
	memcpy(&m->words[m->n], data, bytes);
	m->n += (bytes + 7) / 8;
	m->words[0] += 1ull << 32;
	m->rec.n_args = m->n;
}

/* "type name = value[ -> target][ (symbol)]; ..." */
static const char *shown(const struct gt_cuda_table *t, const struct made *m)
{
	static char all[16384];
	struct gt_cuda_args_record r;
	struct gt_cuda_arg_text text;
	struct gt_cuda_arg a;
	size_t n = 0;

	all[0] = 0;
	if (!gt_cuda_args_read(&m->rec, &r))
		return "damaged";
	for (unsigned i = 0; gt_cuda_args_get(t, &r, i, &a); i++) {
		gt_render_cuda_arg(&a, &text);
		n += (size_t)snprintf(all + n, sizeof all - n, "%s%s %s = %s", i ? "; " : "", a.type, a.name,
			a.has_value ? text.value : "?");
		if (text.target[0])
			n += (size_t)snprintf(all + n, sizeof all - n, " -> %s", text.target);
		if (a.symbol)
			n += (size_t)snprintf(all + n, sizeof all - n, " (%s)", a.symbol);
	}
	return all;
}

#define RUNTIME(cbid) (REC_FN_CUDA_RUNTIME + (cbid))
#define DRIVER(cbid) (REC_FN_CUDA_DRIVER + (cbid))

static void a_copy_shows_its_pointers_size_and_direction(void **state)
{
	struct { uint64_t dst, src, bytes; int kind; int pad; } p = { 0x7f00deadbeef, 0, 4096, 1, -1 };
	struct made m;

	(void)state;
	start(&m, RUNTIME(31), &p, sizeof p);
	assert_string_equal(shown(NULL, &m),
		"void* dst = 00007F00DEADBEEF; void* src = 0000000000000000; size_t bytes = 4096; "
		"cudaMemcpyKind kind = 1 (cudaMemcpyHostToDevice)");
	p.kind = 77;
	start(&m, RUNTIME(31), &p, sizeof p);
	assert_non_null(strstr(shown(NULL, &m), "cudaMemcpyKind kind = 77"));
	assert_null(strstr(shown(NULL, &m), "("));
}

static void a_launch_shows_its_dimensions(void **state)
{
	struct {
		uint64_t function;
		uint32_t grid[3], block[3];
		uint64_t args, shared, stream;
	} p = { 0x400123, { 7, 2, 1 }, { 256, 1, 1 }, 0x10, 48, 0 };
	struct made m;

	(void)state;
	start(&m, RUNTIME(211), &p, sizeof p);
	assert_string_equal(shown(NULL, &m),
		"void* function = 0000000000400123; dim3 grid = (7,2,1); dim3 block = (256,1,1); void* args = "
	        "0000000000000010; "
		"size_t shared = 48; cudaStream_t stream = 0000000000000000");
}

static void outputs_and_texts_show_what_was_copied(void **state)
{
	struct { uint64_t ptr, bytes; } allocate = { 0x7ffc1000, 100 };
	struct { uint64_t function, module, name; } get = { 0x7ffc2000, 0x99, 0x5000 };
	struct { uint64_t ms, start, end; } elapsed = { 0x7ffc3000, 1, 2 };
	struct { uint64_t name; int len, device; } ask = { 0x7ffc4000, 64, 0 };
	uint64_t address = 0x7f5500000000;
	float ms = 1.5f;
	struct made m;

	(void)state;
	start(&m, RUNTIME(20), &allocate, sizeof allocate);
	copy(&m, 0, REC_CUDA_COPY_OUT, &address, 8);
	assert_string_equal(shown(NULL, &m), "void** ptr = 000000007FFC1000 -> 00007F5500000000; size_t bytes = 100");
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 0, REC_CUDA_COPY_OUT, &address, 8);
	copy(&m, 16, 0, "add\"\n\001\377\303\266", 9);
	assert_string_equal(shown(NULL, &m),
		"CUfunction* function = 000000007FFC2000 -> 00007F5500000000; CUmodule module = 0000000000000099; "
		"char* name = \"add\\\"\\n\\001\\377\303\266\"");
	/* A terminal obeys the second block of control characters too, and turns a line around where it is told so. */
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 16, 0, "\302\233" "31m\342\200\256x", 9);
	assert_non_null(strstr(shown(NULL, &m), "name = \"\\302\\23331m\\342\\200\\256x\""));
	start(&m, RUNTIME(486), &elapsed, sizeof elapsed);
	copy(&m, 0, REC_CUDA_COPY_OUT, &ms, 4);
	assert_non_null(strstr(shown(NULL, &m), "float* ms = 000000007FFC3000 -> 1.5;"));
	start(&m, DRIVER(5), &ask, sizeof ask);
	copy(&m, 0, REC_CUDA_COPY_OUT, "gputap stand-in", 15);
	assert_string_equal(shown(NULL, &m),
		"char* name = 000000007FFC4000 -> \"gputap stand-in\"; int len = 64; CUdevice device = 0");
}

static void an_output_that_was_not_copied_is_still_known_as_one(void **state)
{
	struct { uint64_t ptr, bytes; } p = { 0x1000, 100 };
	struct gt_cuda_args_record r;
	struct gt_cuda_arg_text text;
	struct gt_cuda_arg a;
	struct made m;

	(void)state;
	start(&m, RUNTIME(20), &p, sizeof p);
	assert_true(gt_cuda_args_read(&m.rec, &r));
	assert_true(gt_cuda_args_get(NULL, &r, 0, &a));
	assert_true(a.is_out);
	assert_null(a.data);
	gt_render_cuda_arg(&a, &text);
	assert_string_equal(text.target, "");
	assert_true(gt_cuda_args_get(NULL, &r, 1, &a));
	assert_false(a.is_out);
	assert_int_equal(a.class, GT_CUDA_ARG_UNSIGNED);
}

static void a_long_text_is_cut_where_it_was_and_where_it_has_no_room(void **state)
{
	struct { uint64_t function, module, name; } get = { 0, 0, 0x5000 };
	char text[256];
	struct made m;

	(void)state;
	memset(text, 'k', sizeof text);
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 16, 0, text, 256);
	m.rec.flags |= REC_CUT;
	const char *end = shown(NULL, &m);

	assert_string_equal(end + strlen(end) - 4, "k...");
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 16, 0, text, 100);
	end = shown(NULL, &m);
	assert_string_equal(end + strlen(end) - 2, "k\"");
}

/* A text says itself that it goes on; beside it, one of the length at which all were cut of old is whole. */
static void of_two_texts_only_the_cut_one_is_marked(void **state)
{
	struct { uint64_t function, module, name; } get = { 0, 0, 0x5000 };
	struct gt_cuda_args_record r;
	struct gt_cuda_arg a;
	char text[300];
	struct made m;

	(void)state;
	memset(text, 'k', sizeof text);
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 16, REC_CUDA_COPY_CUT, text, 300);
	m.rec.flags |= REC_CUT;
	assert_true(gt_cuda_args_read(&m.rec, &r) && gt_cuda_args_get(NULL, &r, 2, &a));
	assert_int_equal(a.data_bytes, 300);
	assert_true(a.cut);
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 16, 0, text, 300);
	m.rec.flags |= REC_CUT;
	assert_true(gt_cuda_args_read(&m.rec, &r) && gt_cuda_args_get(NULL, &r, 2, &a));
	assert_false(a.cut);
}

static void a_structure_behind_a_pointer_shows_its_members(void **state)
{
	struct { uint64_t function, args, config; } p = { 0 };
	struct {
		uint32_t grid[3], block[3];
		uint64_t shared, stream, attrs;
		uint32_t n, pad;
	} config = { { 1, 2, 3 }, { 4, 5, 6 }, 7, 0x8, 0, 0, 0 };
	struct { uint64_t what; } copy3d = { 0x6000 };
	struct { uint64_t w[20]; } parms = { { 0 } };
	struct made m;

	(void)state;
	parms.w[4] = 0xabc0;                            /* srcPtr.ptr */
	parms.w[16] = 64;                               /* extent.width */
	parms.w[19] = 2;                                /* kind */
	start(&m, RUNTIME(430), &p, sizeof p);
	copy(&m, 0, 0, &config, sizeof config);
	assert_non_null(strstr(shown(NULL, &m),
		"config = {gridDim = (1,2,3), blockDim = (4,5,6), dynamicSmemBytes = 7, stream = 0000000000000008, "));
	start(&m, RUNTIME(144), &copy3d, sizeof copy3d);
	copy(&m, 0, 0, &parms, sizeof parms);
	assert_non_null(strstr(shown(NULL, &m),
		"what = {srcArray = 0000000000000000, srcPos = {x = 0, y = 0, z = 0}, srcPtr = {ptr = "
	        "000000000000ABC0, "));
	assert_string_equal(shown(NULL, &m) + strlen(shown(NULL, &m)) - 3, "...");
}

/* No table knows them: what they are is not said. */
static void unknown_calls_show_words(void **state)
{
	uint64_t p[3] = { 1, 0xff00, 3 };
	struct made m;

	(void)state;
	start(&m, DRIVER(4000), p, 20);
	assert_string_equal(shown(NULL, &m),
		"uint64_t word0 = 0000000000000001; uint64_t word1 = 000000000000FF00; uint64_t word2 = "
	        "0000000000000003");
	start(&m, DRIVER(4000), p, 24 | REC_CUDA_RAW);
	assert_non_null(strstr(shown(NULL, &m), "uint64_t? word2 = 0000000000000003"));
	start(&m, DRIVER(4000), NULL, 0);
	assert_string_equal(shown(NULL, &m), "");
}

/* Recorded without knowing the size: the table tells which of the words count. */
static void a_table_reads_what_was_recorded_without_one(void **state)
{
	uint64_t p[8] = { 0x1000, 0x2000, 64, 2, 5, 6, 7, 8 };
	struct made m;

	(void)state;
	start(&m, RUNTIME(31), p, 64 | REC_CUDA_RAW);
	assert_non_null(strstr(shown(NULL, &m), "size_t bytes = 64; cudaMemcpyKind kind = 2 (cudaMemcpyDeviceToHost)"));
	assert_null(strstr(shown(NULL, &m), "word"));
	start(&m, RUNTIME(31), p, 16 | REC_CUDA_RAW);   /* fewer than it has */
	assert_non_null(strstr(shown(NULL, &m), "size_t bytes = ?"));
}

/* Another edition of the call: its names would be wrong. */
static void a_structure_of_another_size_is_not_read_by_names(void **state)
{
	uint64_t p[5] = { 1, 2, 3, 4, 5 };
	struct made m;

	(void)state;
	start(&m, RUNTIME(31), p, 40);
	assert_non_null(strstr(shown(NULL, &m), "uint64_t word4 = 0000000000000005"));
}

static const char text[] =
	"gputap-cuda-args\t1\nsource\ta test\n"
	"E\tcolour\nV\tred\t-1\nV\tblue\t2\nS\tpair\t8\nM\tkind\tenum colour\te\t0\t4\tcolour\t-\t0\t1\n"
	"M\tpart\tunsigned char [4]\tu\t4\t4\t-\t-\t0\t4\nfuture\tline\nC\tR\t900\tcudaNew\t40\t1\nP\tp\tstruct "
	"pair\tt\t0\t8\tpair\t-\t0\t1\n"
	"P\tc\tenum colour *\tp\t8\t8\t-\te:4:colour\t4\t1\nP\tb\tunion "
	"x\tt\t16\t8\t-\t-\t0\t1\nP\ti\tshort\ti\t24\t2\t-\t-\t0\t1\n"
	"P\td\tdouble\tf\t32\t8\t-\t-\t0\t1\nC\tD\t901\tcuOther\t0\t0\n";

static void a_table_of_the_user_names_what_the_built_in_one_does_not(void **state)
{
	struct gt_cuda_table *t = gt_cuda_table_parse(text, sizeof text - 1);
	struct {
		int kind;
		uint8_t part[4];
		uint64_t c, b;
		short i;
		double d;
	} p = { -1, { 1, 2, 3, 4 }, 0x10, 0x1122334455667788, -5, 0.25 };
	int colour = 2;
	struct made m;

	(void)state;
	assert_non_null(t);
	assert_string_equal(t->source, "a test");
	start(&m, RUNTIME(900), &p, sizeof p);
	copy(&m, 8, REC_CUDA_COPY_OUT, &colour, 4);
	assert_string_equal(shown(t, &m),
		"struct pair p = {kind = red, part = (1,2,3,4)}; enum colour * c = 0000000000000010 -> 2; "
		"union x b = bytes 8877665544332211; short i = -5; double d = 0.25");
	start(&m, RUNTIME(31), (uint64_t[4]){ 0, 0, 9, 3 }, 32);
	assert_non_null(strstr(shown(t, &m), "cudaMemcpyDeviceToDevice"));      /* the built-in one helps */
	gt_cuda_table_free(t);
}

/* Each line of the table, spoiled: refused as a whole. */
static void a_damaged_table_is_refused(void **state)
{
	static const char *const bad[] = { "", "gputap-cuda-args\t2\n", "V\tred\t1\n", "E\ta\nV\tred\tx\n",
		"S\tpair\t-1\n", "P\tp\tint\ti\t0\t4\t-\t-\t0\t1\n", "C\tX\t1\tf\t8\t1\n", "C\tR\t4096\tf\t8\t1\n",
		"C\tR\t1\tf\t8\t1\nP\tp\tint\ti\t8\t4\t-\t-\t0\t1\n",
		"C\tR\t1\tf\t8\t1\nP\tp\tint\tz\t0\t4\t-\t-\t0\t1\n",
		"C\tR\t1\tf\t8\t1\nP\tp\tint\tp\t0\t8\t-\ti4\t0\t1\n",
		"C\tR\t1\tf\t8\t1\nP\tp\tint\ti\t0\t4\t-\t-\t16\t1\n", "S\ts\t8\nP\tp\tint\ti\t0\t4\t-\t-\t0\t1\n",
		"C\tR\t1\tf\t8\n", "C\tR\t1\tf\t8\t1\nP\tp\tint\ti\t0\t7\t-\t-\t0\t2\n" };
	char whole[200];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(whole, sizeof whole, "%s%s", i < 2 ? "" : "gputap-cuda-args\t1\n", bad[i]);
		if (gt_cuda_table_parse(whole, strlen(whole)))
			fail_msg("taken: %s", whole);
	}
}

/* A structure that holds itself ends somewhere. */
static void a_table_cannot_make_endless_text(void **state)
{
	static const char loop[] = "gputap-cuda-args\t1\n"
				   "S\ts\t8\nM\tme\tstruct s\tt\t0\t8\ts\t-\t0\t1\nC\tR\t900\tf\t8\t1\nP\tp\tstruct "
	                           "s\tt\t0\t8\ts\t-\t0\t1\n";
	struct gt_cuda_table *t = gt_cuda_table_parse(loop, sizeof loop - 1);
	uint64_t p = 0xff;
	struct made m;

	(void)state;
	assert_non_null(t);
	start(&m, RUNTIME(900), &p, 8);
	assert_string_equal(shown(t, &m), "struct s p = {me = {me = {me = {me = bytes FF00000000000000}}}}");
	gt_cuda_table_free(t);
}

/*
 * Any byte of a table and any word of a record changed: refused, or shown somehow. What is read outside is seen by
 * the sanitizers.
 */
static void changed_bytes_lead_nowhere(void **state)
{
	/* static: changed offsets read its padding too */
	static struct {
		int kind;
		uint8_t part[4];
		uint64_t c, b;
		short i;
		double d;
	} p = { -1, { 1, 2, 3, 4 }, 0x10, 5, -5, 0.25 };
	int colour = 2, taken = 0, refused = 0;
	char changed[sizeof text];
	struct made m;

	(void)state;
	start(&m, RUNTIME(900), &p, sizeof p);
	copy(&m, 8, REC_CUDA_COPY_OUT, &colour, 4);
	for (size_t i = 0; i < sizeof text - 1; i++)
		for (const char *to = "\t\n09tpe-"; *to; to++) {
			memcpy(changed, text, sizeof text);
			changed[i] = *to;
			struct gt_cuda_table *t = gt_cuda_table_parse(changed, sizeof text - 1);

			taken += t != NULL;
			refused += !t;
			if (t)
				shown(t, &m);
			gt_cuda_table_free(t);
		}
	assert_true(taken > 500 && refused > 500);
	struct gt_cuda_table *t = gt_cuda_table_parse(text, sizeof text - 1);
	/* so that what lies behind is not ours */
	struct made *exact = malloc(offsetof(struct made, words) + 8 * m.n);

	for (uint32_t i = 0; i < m.n * 8; i++)
		for (unsigned bit = 0; bit < 8; bit++) {
			struct gt_rec rec = m.rec;
			struct made one = { .rec = rec };

			memcpy(exact, m.words, 8 * m.n);
			((uint8_t *)exact)[i] ^= (uint8_t)(1u << bit);
			one.rec.args = one.rec.words = (const uint64_t *)exact;
			shown(t, &one);
		}
	free(exact);
	gt_cuda_table_free(t);
}

/* Sizes in a damaged record lead nowhere outside it. */
static void damaged_records_are_not_followed(void **state)
{
	struct { uint64_t function, module, name; } get = { 0, 0, 0x5000 };
	struct made m;

	(void)state;
	start(&m, DRIVER(23), &get, sizeof get);
	m.words[0] = 4000;
	assert_string_equal(shown(NULL, &m), "damaged");
	start(&m, DRIVER(23), &get, sizeof get);
	copy(&m, 16, 0, "name", 4);
	m.words[4] = 16 | 5000ull << 32;                /* longer than the record */
	assert_non_null(strstr(shown(NULL, &m), "name = 0000000000005000"));
	m.words[4] = 0 | 4ull << 32;
	m.words[0] |= 0xffffffffull << 32;              /* more copies than there are */
	assert_non_null(strstr(shown(NULL, &m), "name = 0000000000005000"));
	m.rec.flags |= REC_BARE;
	assert_string_equal(shown(NULL, &m), "damaged");
	m.rec.flags = 0;
	m.rec.id = 0x400;
	assert_string_equal(shown(NULL, &m), "damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_shows_its_pointers_size_and_direction),
		cmocka_unit_test(a_launch_shows_its_dimensions),
		cmocka_unit_test(outputs_and_texts_show_what_was_copied),
		cmocka_unit_test(an_output_that_was_not_copied_is_still_known_as_one),
		cmocka_unit_test(a_long_text_is_cut_where_it_was_and_where_it_has_no_room),
		cmocka_unit_test(of_two_texts_only_the_cut_one_is_marked),
		cmocka_unit_test(a_structure_behind_a_pointer_shows_its_members),
		cmocka_unit_test(unknown_calls_show_words),
		cmocka_unit_test(a_table_reads_what_was_recorded_without_one),
		cmocka_unit_test(a_structure_of_another_size_is_not_read_by_names),
		cmocka_unit_test(a_table_of_the_user_names_what_the_built_in_one_does_not),
		cmocka_unit_test(a_damaged_table_is_refused),
		cmocka_unit_test(a_table_cannot_make_endless_text),
		cmocka_unit_test(changed_bytes_lead_nowhere),
		cmocka_unit_test(damaged_records_are_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
