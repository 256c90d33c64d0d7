/*
 * tests/unit/test_perf.c - what the launcher makes of the kernel's events, which are made by hand here
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/perf/rings.h"
#include "cli/perf/unwind.h"
#include "model/stacks/stacks.h"
#include "model/threads/threads.h"
#include "model/threads/tracepoints.h"
#include "tests/unit/within.h"

enum { PARENT = 1000, CHILD = 1001, MS = 1000000 };
#define TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	PERF_SAMPLE_CALLCHAIN)

/* One ring's content. */
struct ring { char data[65536]; size_t used; };

static void put(struct ring *r, unsigned type, unsigned misc, const void *body, size_t bytes)
{
	struct perf_event_header h = { .type = type, .misc = (uint16_t)misc, .size = (uint16_t)(sizeof h + bytes) };

	memcpy(r->data + r->used, &h, sizeof h);
	memcpy(r->data + r->used + sizeof h, body, bytes);
	r->used += sizeof h + bytes;
}

/* Anything but a sample: its body, then whose and when. */
static void put_other(struct ring *r, unsigned type, unsigned misc, const void *body, size_t bytes, uint32_t pid,
	uint32_t tid, uint64_t ns)
{
	char all[512];
	const uint64_t id[3] = { pid | (uint64_t)tid << 32, ns, 0 };

	if (bytes)
		memcpy(all, body, bytes);
	memcpy(all + bytes, id, sizeof id);
	put(r, type, misc, all, bytes + sizeof id);
}

static void put_exec(struct ring *r, uint32_t pid, const char *name, uint64_t ns)
{
	char body[24] = { 0 };
	const uint32_t who[2] = { pid, pid };

	memcpy(body, who, sizeof who);
	snprintf(body + 8, 16, "%s", name);
	put_other(r, PERF_RECORD_COMM, 1u << 13, body, sizeof body, pid, pid, ns);
}

static void put_fork(struct ring *r, uint32_t parent, uint32_t child, uint64_t ns)
{
	const uint32_t body[6] = { child, parent, child, parent, (uint32_t)ns, 0 };

	put_other(r, PERF_RECORD_FORK, 0, body, sizeof body, parent, parent, ns);
}

static void put_map(struct ring *r, uint32_t pid, uint64_t start, uint64_t bytes, uint64_t offset, const char *path,
	uint64_t ns)
{
	char body[64 + 64] = { 0 };
	const uint32_t who[2] = { pid, pid };
	const uint64_t where[3] = { start, bytes, offset };

	memcpy(body, who, sizeof who);
	memcpy(body + 8, where, sizeof where);
	snprintf(body + 64, 64, "%s", path);
	put_other(r, PERF_RECORD_MMAP2, 0, body, sizeof body, pid, pid, ns);
}

static void put_sample(struct ring *r, uint32_t pid, uint64_t ns, uint64_t ip, uint64_t caller)
{
	const uint64_t body[] = { ip, pid | (uint64_t)pid << 32, ns, 1, 5 * MS, 3, (uint64_t)-512, ip, caller };

	put(r, PERF_RECORD_SAMPLE, 0, body, sizeof body);
}

static void put_lost(struct ring *r, uint64_t n, uint64_t ns)
{
	const uint64_t body[2] = { 0, n };

	put_other(r, PERF_RECORD_LOST, 0, body, sizeof body, PARENT, PARENT, ns);
}

static void put_switch(struct ring *r, uint32_t pid, unsigned misc, uint64_t ns)
{
	put_other(r, PERF_RECORD_SWITCH, misc, NULL, 0, pid, pid, ns);
}

/* -------------------------------------------------------------------------- trace */

static struct gt_run run;

static void make_trace(void)
{
	static unsigned n;
	char path[PATH_MAX + 8];
	FILE *f;

	memset(&run, 0, sizeof run);
	snprintf(run.trace, sizeof run.trace, "perf-%d-%u.gputap", (int)getpid(), n++);
	snprintf(run.run_id, sizeof run.run_id, "0123456789abcdef");
	assert_int_equal(mkdir(run.trace, 0700), 0);
	snprintf(path, sizeof path, "%s/run", run.trace);
	f = fopen(path, "w");
	assert_non_null(f);
	/* two ticks for each ns */
	fprintf(f, "format=1\nrun_id=0123456789abcdef\nclock_source=%s\n", gt_run_clock_source());
	fprintf(f, "clock=0 0 0 1000000000000 0 10\n"
		"clock=4000000000 2000000000 2000000000 1002000000000 2000000000 10\n");
	fclose(f);
}

static char *told;      /* by the last store(): the notes; NULL none */

static struct gt_model *store(struct ring *rings, unsigned n)
{
	struct gt_perf *p = calloc(1, sizeof *p);
	struct gt_err err = { 0 };
	struct gt_model *m;
	char *note;

	assert_non_null(p);
	make_trace();
	p->samples = p->switches = true;
	p->sample_type = TYPE;
	p->spool = gt_perf_spool_new(run.trace);
	assert_non_null(p->spool);
	for (unsigned i = 0; i < n; i++)
		if (rings[i].used)
			assert_true(gt_perf_spool_add(p->spool, i, rings[i].data, rings[i].used));
	gt_perf_store(p, &run, &note);
	free(told);
	told = note;
	if (gt_model_open(run.trace, NULL, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

static void done(struct gt_model *m)
{
	struct gt_err err = { 0 };

	gt_model_close(m);
	assert_int_equal(gt_run_remove_trace(run.trace, &err), 0);
	assert_true(!told || strstr(told, "rings"));    /* of these tests, losses alone have anything to say */
	free(told);
	told = NULL;
}

/* -------------------------------------------------------------------------- tests */

/* Two rings, each in its own order; a child that is forked, mapped like its parent, then another program. */
static void test_order_and_processes(void **unused)
{
	static struct ring rings[2];
	struct gt_model *m;
	const struct gt_stack *k;
	uint64_t last = 0;

	(void)unused;
	memset(rings, 0, sizeof rings);
	put_exec(&rings[0], PARENT, "first", 100 * MS);
	put_map(&rings[0], PARENT, 0x400000, 0x1000, 0, "/no/such/first", 101 * MS);
	put_fork(&rings[1], PARENT, CHILD, 110 * MS);
	put_sample(&rings[0], PARENT, 120 * MS, 0x400010, 0x400020);
	put_sample(&rings[1], CHILD, 115 * MS, 0x400030, 0x999999);
	put_exec(&rings[1], CHILD, "second", 130 * MS);
	put_map(&rings[1], CHILD, 0x500000, 0x1000, 0x1000, "/no/such/second", 131 * MS);
	put_sample(&rings[1], CHILD, 140 * MS, 0x500040, 0x400020);
	m = store(rings, 2);
	assert_int_equal(gt_model_process_count(m), 3);
	assert_int_equal(gt_model_sample_count(m), 3);
	for (uint64_t i = 0; i < 3; i++) {
		const struct gt_sample *s = gt_model_sample(m, i);

		assert_true(s->time_ns >= (int64_t)last);
		last = (uint64_t)s->time_ns;
	}
	assert_int_equal(gt_model_sample(m, 0)->time_ns, 15 * MS);     /* since the first exec */
	assert_int_equal(gt_model_process(m, gt_model_sample(m, 0)->process)->pid, CHILD);
	assert_string_equal(gt_model_process(m, gt_model_sample(m, 0)->process)->reason, "fork");
	assert_string_equal(gt_model_process(m, gt_model_sample(m, 0)->process)->image, "/no/such/first");
	assert_string_equal(gt_model_process(m, gt_model_sample(m, 2)->process)->image, "/no/such/second");
	assert_string_equal(gt_model_process(m, gt_model_sample(m, 2)->process)->reason, "exec");
	/* an address where nothing is mapped is no caller; nor is one of the program before */
	k = gt_model_stack(m, (uint32_t)gt_model_sample(m, 0)->stack);
	assert_int_equal(k->n, 1);
	assert_int_equal(k->flags, REC_STACK_GUESSED | REC_STACK_STOPPED);
	k = gt_model_stack(m, (uint32_t)gt_model_sample(m, 1)->stack);
	assert_int_equal(k->n, 2);
	assert_int_equal(k->flags, REC_STACK_GUESSED);
	k = gt_model_stack(m, (uint32_t)gt_model_sample(m, 2)->stack);
	assert_int_equal(k->n, 1);
	assert_int_equal(gt_model_module(m, gt_stack_module(k, 0))->bias, 0x500000 - 0x1000);
	done(m);
}

static void test_lost_are_counted(void **unused)
{
	static struct ring ring;
	struct gt_model *m;

	(void)unused;
	memset(&ring, 0, sizeof ring);
	put_exec(&ring, PARENT, "first", 100 * MS);
	put_sample(&ring, PARENT, 110 * MS, 0x400010, 0);
	put_lost(&ring, 17, 111 * MS);
	put_lost(&ring, 3, 112 * MS);
	m = store(&ring, 1);
	assert_int_equal(gt_model_lost(m, REC_LOSS_SAMPLES_LOST), 20);
	assert_non_null(told);
	assert_non_null(strstr(told, "--sample-rate"));
	done(m);
}

/* ------------------------------------------------------------------- tracepoints */

static void put_tracepoint(struct ring *r, uint32_t pid, uint64_t ns, const void *raw, uint32_t bytes)
{
	char body[256] = { 0 };
	const uint64_t head[] = { 0x400010, pid | (uint64_t)pid << 32, ns, 2, 1 };

	memcpy(body, head, sizeof head);
	memcpy(body + 40, &bytes, sizeof bytes);
	memcpy(body + 44, raw, bytes);
	put(r, PERF_RECORD_SAMPLE, 0, body, 44 + bytes);
}

/* The second ring holds events of tracepoints; what is of before the exec, or of a type nobody asked for, is none. */
static void test_tracepoints(void **unused)
{
	static const char *const lines[] = { "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;",
		"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;" };
	struct event { uint16_t type, flags; int32_t pid; uint32_t place; char name[8]; } event = { 42, 0, PARENT,
		12 | 5u << 16, "disk" };
	static struct ring rings[2];
	struct gt_perf_tracepoint *type;
	struct gt_perf *p = calloc(1, sizeof *p);
	struct gt_err err = { 0 };
	struct gt_text text = { 0 };
	struct gt_model *m;

	(void)unused;
	memset(rings, 0, sizeof rings);
	put_tracepoint(&rings[1], PARENT, 90 * MS, &event, sizeof event);
	put_exec(&rings[0], PARENT, "first", 100 * MS);
	put_tracepoint(&rings[1], PARENT, 110 * MS, &event, sizeof event);
	event.type = 43;
	put_tracepoint(&rings[1], PARENT, 111 * MS, &event, sizeof event);
	put_lost(&rings[1], 7, 112 * MS);
	put_lost(&rings[0], 2, 113 * MS);
	assert_non_null(p);
	make_trace();
	p->sample_type = TYPE;
	p->spool = gt_perf_spool_new(run.trace);
	type = GT_LIST_ADD(&p->types);
	*type = (struct gt_perf_tracepoint){ .id = 42, .name = "block:name" };
	for (unsigned i = 0; i < 2; i++) {
		struct gt_perf_field *f = GT_LIST_ADD(&type->fields);

		assert_true(gt_perf_field_parse(f, lines[i]));
		assert_true(gt_perf_spool_add(p->spool, i, rings[i].data, rings[i].used));
	}
	gt_perf_spool_tracepoints(p->spool, 1);
	gt_perf_store(p, &run, &told);
	assert_non_null(told);
	if (gt_model_open(run.trace, NULL, &m, &err))
		fail_msg("%s", err.what);
	assert_int_equal(gt_model_tracepoint_count(m), 1);
	assert_int_equal(gt_model_tracepoint(m, 0)->time_ns, 10 * MS);
	assert_int_equal(gt_model_thread(m, gt_model_tracepoint(m, 0)->thread)->tid, PARENT);
	assert_string_equal(gt_model_tracepoint_type(m, 0)->name.text, "block:name");
	assert_true(gt_tracepoint_value(
		m, gt_model_tracepoint(m, 0), &gt_model_tracepoint_type(m, 0)->fields[1], &text));
	assert_int_equal(text.used, 4);
	assert_memory_equal(text.data, "disk", 4);
	gt_text_free(&text);
	assert_int_equal(gt_model_lost(m, REC_LOSS_TRACEPOINTS_LOST), 7);
	assert_int_equal(gt_model_lost(m, REC_LOSS_SAMPLES_LOST), 2);
	done(m);
}

/* What the kernel writes of a field, taken apart. */
static void test_fields(void **unused)
{
	static const struct { const char *line; struct gt_perf_field is; } cases[] = {
		{ "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;",
			{ "args", "unsigned long", "[6]", 16, 48, 0, 8 } },
		{ "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;", { "id", "long", "", 8, 8, REC_FIELD_SIGNED, 8 } },
		{ "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;",
			{ "prev_comm", "char", "[16]", 8, 16, REC_FIELD_TEXT, 1 } },
		{ "\tfield:char comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:1;",
			{ "comm", "char", "[TASK_COMM_LEN]", 8, 16, REC_FIELD_TEXT | REC_FIELD_SIGNED, 1 } },
		{ "\tfield:__data_loc unsigned long[] cpumask;\toffset:8;\tsize:4;\tsigned:0;",
			{ "cpumask", "__data_loc unsigned long[]", "", 8, 4, REC_FIELD_PLACE, 8 } },
		{ "\tfield:__rel_loc const char[] name;\toffset:8;\tsize:4;\tsigned:0;",
			{ "name", "__rel_loc const char[]", "", 8, 4,
				REC_FIELD_PLACE | REC_FIELD_BESIDE | REC_FIELD_TEXT, 1 } },
		{ "\tfield:const char * what;\toffset:8;\tsize:8;\tsigned:0;",
			{ "what", "const char *", "", 8, 8, 0, 8 } },
		{ "\tfield:u32 old;\toffset:8;\tsize:4;", { "old", "u32", "", 8, 4, 0, 4 } } };
	static const char *const wrong[] = { "", "print fmt: \"field:\"", "\tfield:;\toffset:8;\tsize:8;",
		"\tfield:int x;", "\tfield:int x;\toffset:y;\tsize:8;", "\tfield:];\toffset:8;\tsize:8;" };
	struct gt_perf_field f;

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(gt_perf_field_parse(&f, cases[i].line));
		assert_string_equal(f.name, cases[i].is.name);
		assert_string_equal(f.type, cases[i].is.type);
		assert_string_equal(f.suffix, cases[i].is.suffix);
		assert_int_equal(f.offset, cases[i].is.offset);
		assert_int_equal(f.bytes, cases[i].is.bytes);
		assert_int_equal(f.flags, cases[i].is.flags);
		assert_int_equal(f.element, cases[i].is.element);
	}
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(gt_perf_field_parse(&f, wrong[i]));
}

static void test_states(void **unused)
{
	static const struct { int64_t start, end; enum gt_state state; } expected[] = {
		{ 0, 5, GT_STATE_RUNNING }, { 5, 10, GT_STATE_WAITING }, { 10, 20, GT_STATE_RUNNING },
		{ 20, 25, GT_STATE_READY }, { 25, 30, GT_STATE_RUNNING }, { 30, 50, GT_STATE_WAITING },
		{ 50, 60, GT_STATE_RUNNING } };
	static struct ring ring;
	const uint32_t end[6] = { PARENT, 1, PARENT, 1 };
	struct gt_model *m;

	(void)unused;
	memset(&ring, 0, sizeof ring);
	put_exec(&ring, PARENT, "first", 100 * MS);     /* which needs a processor */
	put_switch(&ring, PARENT, 1u << 13, 105 * MS);
	put_switch(&ring, PARENT, 0, 110 * MS);
	put_switch(&ring, PARENT, 3u << 13, 120 * MS);
	put_switch(&ring, PARENT, 0, 125 * MS);
	put_switch(&ring, PARENT, 1u << 13, 130 * MS);
	put_switch(&ring, PARENT, 0, 150 * MS);
	put_other(&ring, PERF_RECORD_EXIT, 0, end, sizeof end, PARENT, PARENT, 160 * MS);
	m = store(&ring, 1);
	assert_int_equal(gt_model_state_count(m), 7);
	for (unsigned i = 0; i < 7; i++) {
		const struct gt_thread_state *s = gt_model_state(m, i);

		assert_int_equal(s->start_ns, expected[i].start * MS);
		assert_int_equal(s->end_ns, expected[i].end * MS);
		assert_int_equal(s->state, expected[i].state);
	}
	assert_string_equal(gt_model_thread(m, gt_model_state(m, 0)->thread)->name, "first");
	done(m);
}

/* What is cut or claims more than there is ends its piece, not the tool. */
static void test_damage(void **unused)
{
	static struct ring ring;
	struct gt_model *m;

	(void)unused;
	for (unsigned i = 0; i < 200; i++) {
		memset(&ring, 0, sizeof ring);
		put_exec(&ring, PARENT, "first", 100 * MS);
		put_map(&ring, PARENT, 0x400000, 0x1000, 0, "/no/such/first", 101 * MS);
		put_sample(&ring, PARENT, 110 * MS, 0x400010, 0x400020);
		put_fork(&ring, PARENT, CHILD, 111 * MS);
		for (unsigned k = 0; k < 8; k++)
			ring.data[(i * 7919 + k * 104729) % ring.used] ^= (char)(i + 1);
		m = store(&ring, 1);
		done(m);
	}
}

/* A chain that says to be longer than its sample leads to no copies: neither behind the sample nor in front of it. */
static void test_chain_beyond_the_sample(void **unused)
{
	const uint64_t lengths[] = { 2, 1000, UINT64_MAX, UINT64_MAX / 8 - 5, (uint64_t)-6 };

	(void)unused;
	if (!gt_perf_registers)
		skip();
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		static struct ring ring;
		uint64_t body[64] = { 0x400010, PARENT | (uint64_t)PARENT << 32, MS, 1, 5 * MS, lengths[i],
			(uint64_t)-512, 0x400010 };
		struct gt_perf_spool *s;
		struct gt_perf_event e;

		for (size_t k = 8; k < 64; k++)
			body[k] = 8;
		memset(&ring, 0, sizeof ring);
		put(&ring, PERF_RECORD_SAMPLE, 0, body, sizeof body);
		make_trace();
		s = gt_perf_spool_new(run.trace);
		assert_non_null(s);
		assert_true(gt_perf_spool_add(s, 0, ring.data, ring.used));
		assert_true(gt_perf_spool_rewind(s, TYPE | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER));
		assert_true(gt_perf_spool_next(s, &e));
		if (lengths[i] == 2)
			assert_int_equal(e.stack_bytes, 8);
		else
			assert_null(e.registers);
		gt_perf_spool_free(s);
	}
}

/* A mapping over part of another one, and files by their own headers: this test's own program. */
static void test_maps(void **unused)
{
	struct gt_perf_maps maps = { 0 };
	struct gt_perf_files files = { 0 };
	struct gt_perf_event e = { .text = "/a", .start = 0x1000, .end = 0x5000 };

	(void)unused;
	assert_true(gt_perf_maps_add(&maps, &e, gt_perf_file_of(&files, &e)));
	e = (struct gt_perf_event){ .text = "/b", .start = 0x2000, .end = 0x3000, .offset = 0x7000 };
	assert_true(gt_perf_maps_add(&maps, &e, gt_perf_file_of(&files, &e)));
	assert_int_equal(maps.at.n, 3);
	assert_string_equal(gt_perf_maps_find(&maps, 0x1fff)->file->path, "/a");
	assert_string_equal(gt_perf_maps_find(&maps, 0x2000)->file->path, "/b");
	assert_string_equal(gt_perf_maps_find(&maps, 0x3000)->file->path, "/a");
	assert_int_equal(gt_perf_maps_find(&maps, 0x3000)->offset, 0x2000);
	assert_null(gt_perf_maps_find(&maps, 0x5000));
	assert_null(gt_perf_maps_find(&maps, 0xfff));
	e = (struct gt_perf_event){ .text = "/c", .start = 0x1800, .end = 0x4800 };
	assert_true(gt_perf_maps_add(&maps, &e, gt_perf_file_of(&files, &e)));
	assert_int_equal(maps.at.n, 3);
	assert_string_equal(gt_perf_maps_find(&maps, 0x2800)->file->path, "/c");
	assert_int_equal(files.all.n, 3);
	gt_perf_maps_free(&maps);
	gt_perf_files_free(&files);
}

/* The C library's, until there is no memory. */
static bool no_memory;
char *strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = no_memory ? NULL : malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

/* A file whose path cannot be kept is not in the list: what frees the list looks into each. */
static void test_no_memory_for_a_file(void **state)
{
	struct gt_perf_event e = { .kind = GT_PERF_MAP, .text = "/a" };
	struct gt_perf_files files = { 0 };

	(void)state;
	assert_non_null(gt_perf_file_of(&files, &e));
	e.text = "/b";
	no_memory = true;
	assert_null(gt_perf_file_of(&files, &e));
	no_memory = false;
	assert_int_equal(files.all.n, 1);
	assert_non_null(gt_perf_file_of(&files, &e));
	assert_int_equal(files.all.n, 2);
	gt_perf_files_free(&files);
}

/* n processes one after the other, each looked for once: how many lives that takes to look at. */
static uint64_t looks(uint32_t n)
{
	struct gt_perf_lives l = { 0 };
	uint64_t looked;

	for (uint32_t i = 0; i < n; i++) {
		struct gt_perf_event e = { .kind = GT_PERF_EXEC, .pid = 10 + i, .tid = 10 + i, .ns = i * 100 + 1 };

		assert_non_null(gt_perf_lives_step(&l, &e));
		e.kind = GT_PERF_EXIT;
		e.ns += 50;
		gt_perf_lives_step(&l, &e);
	}
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(gt_perf_lives_at(&l, 10 + i, i * 100 + 20, 10)->number, i);
		assert_int_equal(gt_perf_lives_at(&l, 10 + i, i * 100 + 55, 10)->number, i);
		assert_null(gt_perf_lives_at(&l, 10 + i, i * 100 + 70, 10));
		assert_null(gt_perf_lives_at(&l, 10 + i, i * 100, 10));
	}
	looked = l.looked;
	gt_perf_lives_free(&l);
	return looked;
}

static void test_lives_are_found_in_few_steps(void **unused)
{
	(void)unused;
	assert_within(looks(4000), 1, looks(2000) * 5 / 2);
}

/*
 * The first thread ends before others do (exit() ends them in any order, main may call pthread_exit): what is told of
 * those until their end is of the same process.
 */
static void test_a_process_outlives_its_first_thread(void **unused)
{
	static const struct gt_perf_event events[] = {
		{ .kind = GT_PERF_EXEC, .pid = 10, .tid = 10, .ns = 1 },
		{ .kind = GT_PERF_FORK, .pid = 10, .tid = 11, .parent_pid = 10, .parent_tid = 10, .ns = 2 },
		{ .kind = GT_PERF_FORK, .pid = 10, .tid = 12, .parent_pid = 10, .parent_tid = 10, .ns = 3 },
		{ .kind = GT_PERF_EXIT, .pid = 10, .tid = 10, .ns = 4 },
		{ .kind = GT_PERF_SAMPLE, .pid = 10, .tid = 11, .ns = 5 },
		{ .kind = GT_PERF_EXIT, .pid = 10, .tid = 12, .ns = 6 },
		{ .kind = GT_PERF_SWITCH, .pid = 10, .tid = 11, .ns = 7 },
		{ .kind = GT_PERF_EXIT, .pid = 10, .tid = 11, .ns = 8 },
		/* the number again, for another process */
		{ .kind = GT_PERF_SAMPLE, .pid = 10, .tid = 10, .ns = 9 },
		/* and once more, where no end was told but the first thread's */
		{ .kind = GT_PERF_FORK, .pid = 10, .tid = 13, .parent_pid = 10, .parent_tid = 10, .ns = 10 },
		{ .kind = GT_PERF_EXIT, .pid = 10, .tid = 10, .ns = 11 },
		{ .kind = GT_PERF_SAMPLE, .pid = 10, .tid = 10, .ns = 12 },
	};
	static const uint32_t number[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2 };
	struct gt_perf_lives l = { 0 };

	(void)unused;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < sizeof events / sizeof *events; i++) {
			struct gt_perf_life *life = gt_perf_lives_step(&l, &events[i]);

			assert_non_null(life);
			assert_int_equal(life->number, number[i]);
		}
		assert_int_equal(l.all.v[0]->to_ns, 8);
		assert_int_equal(l.all.v[1]->to_ns, 11);
		gt_perf_lives_again(&l);
	}
	gt_perf_lives_free(&l);
}

/* Two things were not as asked: both are said. */
static void test_all_notes_are_told(void **unused)
{
	const struct gt_run run = { .trace = "nowhere.gputap" };
	struct gt_perf *p = calloc(1, sizeof *p);
	char *notes;

	(void)unused;
	assert_non_null(p);
	p->full = p->fell_back = true;
	gt_perf_store(p, &run, &notes);
	assert_non_null(notes);
	assert_non_null(strstr(notes, "no room for them\n"));
	assert_non_null(strstr(notes, "--sample=cycles: this machine counts none"));
	free(notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_processes),
		cmocka_unit_test(test_lost_are_counted),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_chain_beyond_the_sample),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_lives_are_found_in_few_steps),
		cmocka_unit_test(test_a_process_outlives_its_first_thread),
		cmocka_unit_test(test_all_notes_are_told),
		cmocka_unit_test(test_no_memory_for_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
