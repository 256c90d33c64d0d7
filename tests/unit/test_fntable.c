/*
 * tests/unit/test_fntable.c - model/functions/fntable.c, model/functions/expr.c and model/functions/args.c
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

#include "model/functions/args.h"

#define HEAD "T\t1\nD\t1\topencl\n" \
	"E\tcolours\tenum\nV\t2\tGREEN\nV\t-1\tRED\nV\t2\tALSO_GREEN\nE\tbits\tflags\nV\t1\tLOW\nV\t2\tHIGH\n" \
	"S\tpair\t16\nM\tfirst\t0\tsize\t8\t-\nM\tsecond\t8\tsize\t8\t-\n" \
	"Q\tinfo\t7\tchar\t-\t1\nQ\tinfo\t3\tenum\tcolours\t0\n"
/* wanted: in: n, ids[n], limit 16 bytes; out: value[min(size, *got)], got */
#define WORK "F\t1024\tclWork\topencl\tquery\tcl_int\terror\t-1\t-\t-\t0\t5\t0\t0\n" \
	"P\tcl_uint\tn\tu32\t-\t1\t4\tnone\tin\tvoid\t0\t-\t-\t-\t0\t0\t-\n" \
	"P\tconst cl_event *\tids\tpointer\t-\t2\t8\tarray\tin\thandle\t8\tevent\tn\t-\t16\t0\twaits\n" \
	"P\tsize_t\tsize\tsize\t-\t4\t8\tnone\tin\tvoid\t0\t-\t-\t-\t0\t0\t-\n" \
	"P\tvoid *\tvalue\tpointer\tinfo\t6\t8\tbytes\tout\tbyte\t1\t-\tsize\tgot\t1024\t0\t-\n" \
	"P\tsize_t *\tgot\tpointer\t-\t8\t8\tarray\tout\tsize\t8\t-\t-\t-\t8\t1\t-\n" \
	"P\tconst char *\tname\tpointer\t-\t10\t8\tstring\tin\tchar\t1\t-\t-\t-\t1024\t0\t-\n"
#define MAKE "F\t1025\tclMake\topencl\tcreate\tcl_mem\thandle\t6\tmem\t-\t0\t3\t0\t0\n" \
	"P\tconst cl_mem_properties *\tlist\tpointer\tbits\t2\t8\tplist\tin\tu64\t8\t-\tzero\t-\t512\t0\t-\n" \
	"P\tcl_int *\terrcode_ret\tpointer\tcolours\t4\t8\tnone\tout\terror\t4\t-\t-\t-\t0\t1\terrcode\n"

static struct gt_fntable *parse(const char *text)
{
	struct gt_fntable *t = NULL;
	struct gt_err err = { 0 };

	if (gt_fntable_parse(text, strlen(text), &t, &err))
		fail_msg("%s", err.what);
	return t;
}

static void refuse(const char *text, const char *line)
{
	struct gt_fntable *t = NULL;
	struct gt_err err = { 0 };

	assert_int_equal(gt_fntable_parse(text, strlen(text), &t, &err), -1);
	assert_null(t);
	assert_int_equal(err.kind, GT_EXIT_INPUT);
	assert_non_null(strstr(err.what, line));
}

static void functions_are_found_by_id_and_name(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);

	(void)state;
	assert_int_equal(gt_fntable_count(t), 2);
	assert_string_equal(gt_fntable_find(t, 1025)->name, "clMake");
	assert_ptr_equal(gt_fntable_find_name(t, "clWork"), gt_fntable_at(t, 0));
	assert_null(gt_fntable_find(t, 1026));
	assert_null(gt_fntable_find(t, 70000));
	assert_null(gt_fntable_find_name(t, "clwork"));
	assert_int_equal(gt_fntable_find(t, 1024)->domain, 1);
	assert_int_equal(gt_fntable_find(t, 1025)->ret_object, REC_OBJECT_MEM);
	assert_true(gt_fntable_find(t, 1024)->params[1].is_wait_list);
	assert_true(gt_fntable_find(t, 1025)->params[1].is_errcode);
	gt_fntable_free(t);
}

static void of_equal_enum_values_the_first_name_counts(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	const struct gt_enum *e = gt_fntable_enum(t, "colours");

	(void)state;
	assert_string_equal(gt_enum_name(e, 2), "GREEN");
	assert_string_equal(gt_enum_name(e, -1), "RED");
	assert_null(gt_enum_name(e, 0));
	assert_null(gt_enum_name(NULL, 0));
	assert_string_equal(e->values[0].name, "GREEN"); /* file order stays */
	assert_true(gt_fntable_enum(t, "bits")->is_flags);
	assert_ptr_equal(gt_fntable_find(t, 1025)->params[0].symbols, gt_fntable_enum(t, "bits"));
	gt_fntable_free(t);
}

static void structs_and_queries_are_found(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	struct gt_query q;

	(void)state;
	assert_int_equal(gt_fntable_struct(t, "pair")->n_fields, 2);
	assert_int_equal(gt_fntable_struct(t, "pair")->fields[1].offset, 8);
	assert_true(gt_fntable_query(t, "info", 3, &q));
	assert_int_equal(q.value, GT_ENUM);
	assert_string_equal(q.group, "colours");
	assert_true(gt_fntable_query(t, "info", 7, &q) && q.array);
	assert_false(gt_fntable_query(t, "info", 4, &q));
	gt_fntable_free(t);
}

/* Ids are the trace's own, items of later versions and fields behind the known ones are stepped over. */
static void permuted_and_extended_table_reads_alike(void **state)
{
	struct gt_fntable *t = parse("X\tunknown\titem\nT\t1\tnew field\n\nZZ\ttwo letters\n"
		"F\t2000\tclB\t1\tsync\tcl_int\terror\t-1\t0\t-\t0\t1\t0\t0\tlater\tfields\n"
		"P\tcl_event\te\thandle\t-\t2\t8\tnone\tin\tvoid\t0\tevent\t-\t-\t0\t0\t-\tlater\n"
		"F\t300\tclA\t1\tsync\tcl_int\terror\t-1\t0\t-\t0\t0\t0\t0\n");

	(void)state;
	assert_string_equal(gt_fntable_find(t, 2000)->name, "clB");
	assert_string_equal(gt_fntable_find(t, 300)->name, "clA");
	assert_int_equal(gt_fntable_find(t, 2000)->params[0].object, REC_OBJECT_EVENT);
	assert_int_equal(gt_fntable_find(t, 300)->n_params, 0);
	gt_fntable_free(t);
}

static void damaged_tables_are_refused_with_their_line(void **state)
{
	(void)state;
	refuse("", "version");
	refuse("T\t2\n", "line 1");
	refuse("D\t1\topencl\n", "version");
	refuse("T\t1\nF\t1024\tclA\t1\n", "line 2");
	refuse("T\t1\nP\tcl_uint\tn\n", "line 2");
	refuse("T\t1\nV\t1\tLOW\n", "line 2");
	refuse("T\t1\nF\t255\tclA\t1\tsync\tcl_int\terror\t-1\t0\t-\t0\t0\t0\t0\n", "out of range");
	refuse("T\t1\nF\t300\tclA\t1\tsync\tcl_int\terror\t-1\t0\t-\t0\t0\t0\t0\nF\t300\tclB\t1\tsync\tcl_int\terror\t-"
	       "1\t0\t-\t0\t0\t0\t0\n",
		"one id");
}

/* What decodes a record must lie inside it, whatever the table says. */
static void positions_outside_the_arguments_are_refused(void **state)
{
	static const char *const positions[] = { "2\t4", "3\t4", "2\t8", "3\t8", "1\t8", "0\t4", "4\t8", "-2\t4",
		"2\t3" };
	char text[512];

	(void)state;
	for (unsigned i = 0; i < sizeof positions / sizeof *positions; i++) {
		bool fits = i < 3;

		snprintf(text, sizeof text, "T\t1\nF\t300\tclA\t1\tsync\tcl_int\terror\t-1\t0\t-\t0\t1\t0\t0\n"
			"P\tcl_uint\tn\tu32\t-\t%s\tnone\tin\tvoid\t0\t0\t-\t-\t0\t0\t-\n", positions[i]);
		if (fits)
			gt_fntable_free(parse(text));
		else
			refuse(text, "line 3");
	}
	refuse("T\t1\nF\t300\tclA\t1\tcreate\tcl_mem\thandle\t4\tmem\t-\t0\t1\t0\t0\n", "line 2");
}

static void count_expressions_compile(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	const struct gt_fn *fn = gt_fntable_find(t, 1024);
	struct gt_expr e;

	(void)state;
	assert_true(gt_expr_compile(fn, "", &e) && e.a.factor == 1 && e.a.param[0] == -1);
	assert_true(gt_expr_compile(fn, "12", &e) && e.a.factor == 12);
	assert_true(gt_expr_compile(fn, "n*8", &e) && e.a.factor == 8 && e.a.param[0] == 0 && !e.a.behind[0]);
	assert_true(gt_expr_compile(fn, "*got", &e) && e.a.param[0] == 4 && e.a.behind[0]);
	assert_true(gt_expr_compile(fn, "min(size,*got)", &e) && e.is_min && e.a.param[0] == 2 && e.b.param[0] == 4);
	assert_false(gt_expr_compile(fn, "nothing", &e));
	assert_false(gt_expr_compile(fn, "n*", &e));
	assert_false(gt_expr_compile(fn, "min(n", &e));
	assert_false(gt_expr_compile(fn, "n n", &e));
	assert_false(gt_expr_compile(fn, "99999999999999999999999", &e));
	gt_fntable_free(t);
}

/* ------------------------------------------------------------- arguments of a record */

static uint64_t damaged;                /* what the walk would count */

/* Exactly n words of heap, so that a sanitizer sees a step outside. */
static struct gt_call call_of(struct gt_fntable *t, uint32_t id, int32_t result, uint32_t first_u32,
	const uint64_t *words, uint32_t n, uint64_t **held)
{
	static struct gt_decoded decoded;
	struct gt_call call = { .fn = gt_fntable_find(t, id), .result = result, .damaged = &damaged };
	struct gt_rec rec = { .n_args = n, .first_u32 = first_u32, .flags = REC_COMPLETE };

	free(*held);
	*held = malloc(n * 8 + !n);
	memcpy(*held, words, n * 8);
	rec.args = *held;
	gt_call_set_args(&call, &rec, &decoded);
	decoded.call = NULL;
	return call;
}
#define CALL(t, id, result, first, ...) call_of(t, id, result, first, (const uint64_t[]){ __VA_ARGS__ }, \
	sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, &held); call.decoded->call = &call

/* got is counted by, so it lies before ids; ids is cut at two elements; value has min(size, got) bytes. */
static void copies_lie_where_the_contract_says(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call = CALL(t, 1024, 0, 3, 0x100, 64, 0x200, 0x300, 0x400, /* got */ 5, /* ids */ 11, 12,
		/* value */ 0x6f6c6c6568ull, /* name */ 0x6463626100000005ull, 0x65);

	(void)state;
	assert_true(gt_call_arg(&call, 0, &a) && a.value == 3 && !a.has_data);
	assert_true(gt_call_arg(&call, 1, &a) && a.has_data && a.cut && a.count == 3 && a.bytes == 16);
	assert_int_equal(((const uint64_t *)a.data)[1], 12);
	assert_true(gt_call_arg(&call, 3, &a) && a.bytes == 5 && !memcmp(a.data, "hello", 5));
	assert_true(gt_call_arg(&call, 4, &a) && *(const uint64_t *)a.data == 5);
	assert_true(gt_call_arg(&call, 5, &a) && a.bytes == 5 && !memcmp(a.data, "abcde", 5));
	assert_false(gt_call_arg(&call, 6, &a));
	free(held);
	gt_fntable_free(t);
}

static void null_pointers_zero_counts_and_failures_have_no_copies(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call = CALL(t, 1024, 0, 0, 0x100, 2, 0x200, 0, 0, /* value: all of size */ 0x6968);

	(void)state;
	assert_true(gt_call_arg(&call, 1, &a) && !a.has_data && a.value == 0x100);
	assert_true(gt_call_arg(&call, 3, &a) && a.bytes == 2 && !memcmp(a.data, "hi", 2));
	assert_true(gt_call_arg(&call, 5, &a) && !a.has_data && !a.value);
	call = CALL(t, 1024, -30, 3, 0x100, 64, 0x200, 0x300, 0x400);
	for (unsigned i = 0; i < 6; i++)
		assert_true(gt_call_arg(&call, i, &a) && !a.has_data);
	assert_int_equal(a.value, 0x400);
	free(held);
	gt_fntable_free(t);
}

static void lists_results_and_the_error_code_come_out(void **state)
{
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call = CALL(t, 1025, 0, 0, 0x100, 0x200, 0xabc, /* list */ 3, 1, 2, 0);

	(void)state;
	assert_int_equal(gt_call_return(&call), 0xabc);
	assert_true(gt_call_arg(&call, 0, &a) && a.count == 3 && a.bytes == 24 && ((const uint64_t *)a.data)[1] == 2);
	assert_true(gt_call_arg(&call, 1, &a) && a.has_data && *(const int32_t *)a.data == 0);
	call = CALL(t, 1025, -6, 0, 0x100, 0x200, 0);
	assert_true(gt_call_arg(&call, 1, &a) && a.has_data && *(const int32_t *)a.data == -6);
	free(held);
	gt_fntable_free(t);
}

/*
 * Cut at every word, and with lengths that lie: no byte outside is read (the heap block ends there), and it is counted.
 */
static void damaged_arguments_are_refused_and_counted(void **state)
{
	const uint64_t whole[] = { 0x100, 64, 0x200, 0x300, 0x400, 5, 11, 12, 0x6f6c6c6568ull, 0x6463626100000005ull,
		0x65 };
	struct gt_fntable *t = parse(HEAD WORK MAKE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call;

	(void)state;
	for (uint32_t n = 0; n < 11; n++) {
		damaged = 0;
		call = call_of(t, 1024, 0, 3, whole, n, &held);
		call.decoded->call = &call;
		assert_false(gt_call_arg(&call, 0, &a));
		assert_false(call.has_args);
		assert_false(gt_call_arg(&call, 5, &a));
		assert_int_equal(damaged, 1);
	}
	call = CALL(t, 1024, 0, 0, 0, 0, 0, 0, 0x400, 0xffffffffull);       /* a string longer than all */
	assert_false(gt_call_arg(&call, 5, &a));
	call = CALL(t, 1025, 0, 0, 0x100, 0, 0, UINT64_MAX);                 /* a list without end */
	assert_false(gt_call_arg(&call, 0, &a));
	/* a size beyond counting: cut at its limit, not there */
	call = CALL(t, 1024, 0, 0, 0, UINT64_MAX, 0x200, 0, 0);
	assert_false(gt_call_arg(&call, 3, &a));
	free(held);
	gt_fntable_free(t);
}

/* What enum rec_more says of a record, as the block's reader finds it. */
static struct gt_call more_of(struct gt_call call, uint32_t more, uint32_t bound, uint32_t flags)
{
	call.more = more;
	call.bound = bound;
	call.flags |= flags;
	return call;
}
#define CALL_MORE(t, id, more, bound, flags, first, ...) \
	more_of(call_of(t, id, 0, first, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8, &held), more, bound, flags); \
	call.decoded->call = &call

/* Copies without a limit in the table, as they are today: whole, unless the record says where they were cut. */
#define FREE "F\t1026\tclFree\topencl\tquery\tcl_int\terror\t-1\t-\t-\t0\t4\t0\t0\n" \
	"P\tcl_uint\tn\tu32\t-\t1\t4\tnone\tin\tvoid\t0\t-\t-\t-\t0\t0\t-\n" \
	"P\tconst cl_event *\tids\tpointer\t-\t2\t8\tarray\tin\thandle\t8\tevent\tn\t-\t0\t0\twaits\n" \
	"P\tconst char *\tname\tpointer\t-\t4\t8\tstring\tin\tchar\t1\t-\t-\t-\t0\t0\t-\n" \
	"P\tconst cl_bits *\tlist\tpointer\tbits\t6\t8\tplist\tin\tu64\t8\t-\tzero\t-\t0\t0\t-\n" \
	"P\tcl_uint *\tone\tpointer\t-\t8\t8\tarray\tout\tu32\t4\t-\t-\t-\t4\t1\t-\n"

static void copies_are_whole_or_end_where_the_record_says(void **state)
{
	struct gt_fntable *t = parse(HEAD FREE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call = CALL_MORE(t, 1026, 0, 0, 0, 3, 0x100, 0x200, 0x300, 0x400, 11, 12, 13,
		/* name */ 0x6463626100000004ull, /* list */ 3, 1, 2, 0, /* one */ 5);

	(void)state;
	assert_true(gt_call_arg(&call, 1, &a) && !a.cut && a.bytes == 24);
	assert_true(gt_call_arg(&call, 2, &a) && !a.cut && a.bytes == 4);
	assert_true(gt_call_arg(&call, 3, &a) && !a.cut && a.bytes == 24);
	call = CALL_MORE(t, 1026, REC_MORE_BOUND, 16, REC_CUT, 300, 0x100, 0x200, 0x300, 0x400, 11, 12,
		/* name */ 0x6463626100000010ull, 0, 0, /* list */ 2, 1, 2, /* one */ 5);
	assert_true(gt_call_arg(&call, 1, &a) && a.cut && a.bytes == 16 && a.count == 300);
	assert_true(gt_call_arg(&call, 2, &a) && a.cut && a.bytes == 16);
	assert_true(gt_call_arg(&call, 3, &a) && a.cut && a.bytes == 16);
	assert_true(gt_call_arg(&call, 4, &a) && !a.cut && *(const uint32_t *)a.data == 5);
	free(held);
	gt_fntable_free(t);
}

/* Left out on purpose: nothing is there, and what has a length of its own is. */
static void copies_that_were_left_out_are_marked(void **state)
{
	struct gt_fntable *t = parse(HEAD FREE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call = CALL_MORE(t, 1026, REC_MORE_BOUND, 0, 0, 3, 0x100, 0, 0, 0x400, /* one */ 5);

	(void)state;
	assert_true(gt_call_arg(&call, 1, &a) && a.cut && !a.has_data && a.count == 3);
	assert_true(gt_call_arg(&call, 4, &a) && !a.cut && *(const uint32_t *)a.data == 5);
	free(held);
	gt_fntable_free(t);
}

/* There was no room: the copy that the record ends in is cut, and so are all behind it. No byte outside is read. */
static void copies_of_a_short_record_are_cut_where_it_ends(void **state)
{
	const uint64_t whole[] = { 0x100, 0x200, 0x300, 0x400, 11, 12, 13, 0x6463626100000009ull, 0x6968676665,
		3, 1, 2, 0, 5 };
	struct gt_fntable *t = parse(HEAD FREE);
	uint64_t *held = NULL;
	struct gt_arg a;

	(void)state;
	for (uint32_t n = 4; n <= 14; n++) {
		struct gt_call call = more_of(call_of(t, 1026, 0, 3, whole, n, &held), REC_MORE_SHORT, 0, REC_CUT);
		static const uint32_t ends[] = { 7, 9, 13, 14 };

		damaged = 0;
		call.decoded->call = &call;
		for (unsigned i = 0; i < 4; i++) {
			assert_true(gt_call_arg(&call, i + 1, &a));
			assert_int_equal(a.cut, n < ends[i]);
			assert_true(n < ends[i] || a.has_data);
		}
		assert_int_equal(damaged, 0);
	}
	free(held);
	gt_fntable_free(t);
}

/* The content is not there: the beginning of it is shown, and the loss is counted as damage. */
static void arguments_whose_content_is_missing_are_short_and_counted(void **state)
{
	const uint64_t words[] = { 0x100, 0, 0, 0, 11, 12 };
	struct gt_fntable *t = parse(HEAD FREE);
	uint64_t *held = NULL;
	struct gt_arg a;
	struct gt_call call = more_of(call_of(t, 1026, 0, 300, words, 6, &held), REC_MORE_WHOLE, 0, 0);

	(void)state;
	damaged = 0;
	call.decoded->call = &call;
	assert_true(gt_call_arg(&call, 1, &a) && a.cut && a.bytes == 16 && a.count == 300);
	assert_int_equal(damaged, 1);
	free(held);
	gt_fntable_free(t);
}

/* ---------------------------------------------------------------- the real table */

static char *read_real(size_t *bytes)
{
	const char *build = getenv("GPUTAP_BUILD");
	char path[4096], *text = NULL;
	FILE *f;

	snprintf(path, sizeof path, "%s/gen/table.txt", build ? build : "build");
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	text = malloc(4u << 20);
	*bytes = fread(text, 1, 4u << 20, f);
	fclose(f);
	return text;
}

/* Every count of the generated table compiles, and every parameter that names symbols finds them. */
static void generated_table_can_be_decoded_whole(void **state)
{
	struct gt_fntable *t = NULL;
	struct gt_err err = { 0 };
	size_t bytes = 0;
	char *text = read_real(&bytes);

	(void)state;
	assert_non_null(text);
	if (gt_fntable_parse(text, bytes, &t, &err))
		fail_msg("%s", err.what);
	assert_true(gt_fntable_count(t) > 150);
	for (uint32_t i = 0; i < gt_fntable_count(t); i++) {
		const struct gt_fn *fn = gt_fntable_at(t, i);

		if (fn->plan->broken)
			fail_msg("%s: a count is not understood", fn->name);
		for (uint32_t k = 0; k < fn->n_params; k++)
			if ((fn->params[k].value == GT_ENUM || fn->params[k].value == GT_FLAGS) &&
				*fn->params[k].group && !fn->params[k].symbols)
				fail_msg("%s: no group %s", fn->name, fn->params[k].group);
	}
	gt_fntable_free(t);
	free(text);
}

/* Each prefix and each one-byte change of the text either parses or is refused; nothing else. */
static void mutated_tables_never_crash(void **state)
{
	static const char text[] = HEAD WORK MAKE;
	static const char bytes[] = "\t\n-09FPEVSMQx";
	struct gt_fntable *t;
	struct gt_err err;

	(void)state;
	for (size_t n = 0; n < sizeof text; n++)
		if (!gt_fntable_parse(text, n, &t, &err))
			gt_fntable_free(t);
	for (size_t at = 0; at < sizeof text - 1; at++)
		for (size_t b = 0; b < sizeof bytes - 1; b++) {
			char copy[sizeof text];

			memcpy(copy, text, sizeof text);
			copy[at] = bytes[b];
			if (!gt_fntable_parse(copy, sizeof text - 1, &t, &err))
				gt_fntable_free(t);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_id_and_name),
		cmocka_unit_test(of_equal_enum_values_the_first_name_counts),
		cmocka_unit_test(structs_and_queries_are_found),
		cmocka_unit_test(permuted_and_extended_table_reads_alike),
		cmocka_unit_test(damaged_tables_are_refused_with_their_line),
		cmocka_unit_test(positions_outside_the_arguments_are_refused),
		cmocka_unit_test(count_expressions_compile),
		cmocka_unit_test(copies_lie_where_the_contract_says),
		cmocka_unit_test(null_pointers_zero_counts_and_failures_have_no_copies),
		cmocka_unit_test(lists_results_and_the_error_code_come_out),
		cmocka_unit_test(damaged_arguments_are_refused_and_counted),
		cmocka_unit_test(copies_are_whole_or_end_where_the_record_says),
		cmocka_unit_test(copies_that_were_left_out_are_marked),
		cmocka_unit_test(copies_of_a_short_record_are_cut_where_it_ends),
		cmocka_unit_test(arguments_whose_content_is_missing_are_short_and_counted),
		cmocka_unit_test(generated_table_can_be_decoded_whole),
		cmocka_unit_test(mutated_tables_never_crash),
	};

	return cmocka_run_group_tests_name("fntable", tests, NULL, NULL);
}
