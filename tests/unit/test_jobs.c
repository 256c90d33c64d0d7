/*
 * tests/unit/test_jobs.c - several threads read what one thread reads: index, opening pass, slices, the shared walk
 *
 * Traces are made of calls with random arguments, many of them damaged: whatever one thread makes of such a trace, in
 * whatever order, several must make of it too.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "analysis/reports/report.h"
#include "cli/jobs.h"
#include "common/pieces.h"
#include "common/text.h"
#include "model/functions/args.h"
#include "model/crew.h"
#include "tests/tracebuild.h"
#include "tests/unit/tablefixture.h"
#include "trace/read/merge.h"
#include "trace/read/pack.h"
#include "trace/read/slices.h"

#define PATH "test_jobs.gputap"
#define PACKED "test_jobs.packed"
#define MOST_WORKERS 8

static struct gt_fntable *table;
static const char *opened = PATH;
static uint64_t seed = 88172645463325252u;

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

static uint64_t below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

/* ------------------------------------------------------------------- a trace */

/* A few handles, so that objects are made, used, mapped and released over and over; else any small number. */
static uint64_t random_word(void)
{
	switch (below(8)) {
	case 0: return 0;
	case 1: return below(4);
	case 2: return below(5000);
	default: return 0x1000 + 0x10 * below(6);
	}
}

static void random_call(struct tb_stream *s, uint64_t start, uint64_t duration)
{
	const struct gt_fn *fn = gt_fntable_at(table, (uint32_t)below(gt_fntable_count(table)));
	uint32_t id = below(200) ? fn->id : 0x7777, n = fn->fixed_words + (uint32_t)below(12);
	uint64_t words[256], link;
	int32_t result = below(8) ? 0 : -(int32_t)below(70);

	if (!below(30))
		n = (uint32_t)below(3);   /* too short */
	for (uint32_t i = 0; i < n; i++)
		words[i] = random_word();
	link = below(50) ? tb_call_u32(s, id, start, duration, result, (uint32_t)below(4), words, n)
			 : tb_call_bare(s, id, start, duration, result);
	if (fn->command_type[0] && below(4)) {
		/* A device's clock may be behind: work that ran before its call began. */
		uint64_t queued = start > 20000 && !below(4) ? start - 15000 : start + below(duration + 1),
			 end = queued + 3000 + below(5000);

		/* Now and then one so long that its record has the wide form, or a second record of the same. */
		if (!below(12))
			end += 1ull << (31 + below(4));
		if (below(5))
			tb_command(s, link, queued, queued + 10, queued + 500 + below(900), end, end);
		else
			tb_untimed(s, link, REC_LOSS_UNMATCHED_CALL, 0);
		if (!below(20))
			tb_command(s, link, queued, queued + 20, queued + 400, end + (below(2) << 33), end);
		if (!below(6))
			tb_local_size(s, link, 1 + (uint32_t)below(3), REC_LOCAL_SUGGESTED, 8, 4, 2);
	}
}

static void random_fact(struct tb_stream *s)
{
	tb_object(s, (enum rec_object)(1 + below(8)), 0x1000 + 0x10 * below(6));
	tb_attr_u64(s, REC_ATTR_DEVICE, 0x1000 + 0x10 * below(6));
	tb_attr_u64(s, REC_ATTR_CONTEXT, 0x1000 + 0x10 * below(6));
	tb_attr_u32(s, REC_ATTR_PROFILED, (uint32_t)below(3));
	tb_object_end(s);
}

/* Streams of two processes; one call in a thousand lasts long, as a wait for all does. */
static void build(unsigned streams, unsigned calls)
{
	struct tb *tb = tb_open(PATH);
	struct tb_process *p[2];
	struct tb_stream *s[16];
	uint64_t now[16];

	tb_table(tb, table_text, table_bytes);
	for (unsigned i = 0; i < 2; i++) {
		p[i] = tb_process(tb, 100 + (int)i);
		tb_fact(p[i], "start_tick", "1000");
	}
	for (unsigned i = 0; i < streams; i++) {
		s[i] = tb_stream(p[i % 2]);
		now[i] = 2000 + below(1000);
		if (below(4))             /* else it belongs to whom the control page names */
			tb_thread(s[i], 1000 + i, 100 + i / 2, i < 2, "worker");
		tb_clock(s[i], 1000, 1000);
		tb_clock(s[i], 100001000, 100001000);
	}
	for (unsigned i = 0; i < calls; i++) {
		unsigned k = (unsigned)below(streams);
		uint64_t duration = below(1000) ? below(300) : below(now[k]), start = now[k] + below(50);

		if (start > duration && !below(20))
			start -= duration; /* written behind the calls inside it */
		start -= start % 16;       /* several begin together */
		random_call(s[k], start, duration);
		if (!below(60))
			random_fact(s[k]);
		if (!below(2000))
			tb_thread(s[k], now[k], 300 + (uint32_t)below(50), 0, "next");
		if (!below(500))
			tb_incomplete(s[k], 9);
		if (start >= now[k])
			now[k] = start + duration;
	}
	tb_close(tb);
}

static struct gt_model *open_model(unsigned jobs)
{
	struct gt_model *m = NULL;
	struct gt_err err = { 0 };

	if (gt_model_open(opened, &(struct gt_model_options){ .jobs = jobs }, &m, &err))
		fail_msg("%s", err.what);
	return m;
}

/* --------------------------------------------------------- what was read of it */

static void put(struct gt_text *t, const char *name, uint64_t v)
{
	gt_text_str(t, name);
	gt_text_u64(t, v);
}

static void put_object(struct gt_text *t, const char *name, const struct gt_object *o)
{
	put(t, name, o ? o->id + 1 : 0);
	if (o)
		put(t, ":", o->handle);
}

static void put_command(struct gt_text *t, const struct gt_command *c)
{
	put(t, " type=", c->type);
	put_object(t, " queue=", c->queue);
	put_object(t, " kernel=", c->kernel);
	put_object(t, " device=", c->device);
	put_object(t, " context=", c->context);
	put_object(t, " src=", c->src);
	put_object(t, " dst=", c->dst);
	gt_text_char(t, ' ');
	gt_text_bytes(t, c->name.text, c->name.bytes);
	put(t, " timed=", c->timed);
	put(t, " at=", c->timed ? (uint64_t)c->start_ns : 0);
	put(t, "..", c->timed ? (uint64_t)c->end_ns : 0);
	put(t, " status=", (uint32_t)c->status);
	put(t, " local=", c->local_size[0]);
	put(t, "/", c->local_source);
	put(t, " bytes=", c->bytes);
	put(t, " map=", c->map_flags);
	put(t, " args=", c->local_arg_bytes);
	put(t, " waits=", c->n_waits);
	put(t, " blocking=", c->blocking);
}

static void put_call(struct gt_text *t, const struct gt_call *c)
{
	struct gt_arg arg;

	gt_text_str(t, c->fn->name);
	put(t, " p", c->process);
	put(t, " t", c->thread);
	put(t, " ", c->start_tick);
	put(t, "-", c->end_tick);
	put(t, " id=", c->id);
	put(t, " cmd=", c->cmd_id);
	put(t, " args=", c->has_args);
	for (unsigned i = 0; i < c->fn->n_params && gt_call_arg(c, i, &arg); i++)
		put(t, ",", arg.has_data ? arg.count : arg.value);
	put(t, " outside=", c->outside);
	put(t, " then=", c->has_args);
	if (c->command)
		put_command(t, c->command);
	gt_text_char(t, '\n');
}

/* Lines of each worker, put together at its turns; and the numbers of every third call, in order. */
struct seen { struct gt_text own[MOST_WORKERS], all, again; };

static int see_call(void *ctx, unsigned worker, const struct gt_call *call, struct gt_err *err)
{
	struct seen *s = ctx;

	(void)err;
	put_call(&s->own[worker], call);
	return call->id % 3 == 0;
}

static int see_again(void *ctx, const struct gt_call *call, struct gt_err *err)
{
	(void)err;
	put_call(&((struct seen *)ctx)->again, call);
	return 0;
}

static int see_turn(void *ctx, unsigned worker, struct gt_err *err)
{
	struct seen *s = ctx;

	(void)err;
	gt_text_bytes(&s->all, s->own[worker].data, s->own[worker].used);
	s->own[worker].used = 0;
	return 0;
}

/* A walk may be closed at any call. */
static void leave_early(struct gt_model *m, const struct gt_walk_options *opt)
{
	const struct gt_call *call;
	struct gt_err err = { 0 };
	struct gt_walk *w;

	assert_int_equal(gt_walk_open(m, opt, &w, &err), 0);
	for (unsigned i = 0; i < 20; i++)
		assert_true(gt_walk_next(w, &call, &err) >= 0);
	gt_walk_close(w);
}

/* Everything that opening and a walk tell. */
static void read_all(unsigned jobs, const struct gt_walk_options *opt, struct gt_text *out)
{
	struct gt_model *m = open_model(jobs);
	struct seen s = { 0 };
	struct gt_err err = { 0 };
	struct gt_crew crew = { .walk = *opt, .ctx = &s, .call = see_call, .again = see_again, .turn = see_turn };

	crew.workers = gt_crew_workers(m, opt);
	assert_int_equal(crew.workers, jobs);
	for (unsigned i = 0; i < 2; i++)  /* the second walk counts nothing again */
		assert_int_equal(gt_crew_walk(m, &crew, &err), 0);
	leave_early(m, opt);
	crew.workers = 1;                 /* one that walks, the others merge ahead of it */
	assert_int_equal(gt_crew_walk(m, &crew, &err), 0);
	gt_text_bytes(out, s.all.data, s.all.used);
	gt_text_bytes(out, s.again.data, s.again.used);
	for (int i = 0; i < REC_LOSS_COUNT; i++)
		put(out, " lost ", gt_model_lost(m, (enum rec_loss)i));
	for (uint32_t i = 0; i < gt_model_object_count(m); i++) {
		const struct gt_object *o = gt_model_object(m, i);

		put(out, "\nobject ", o->kind);
		put_object(out, " ", o);
		put(out, " born ", (uint64_t)o->born_ns);
		put(out, " died ", (uint64_t)o->died_ns);
		put(out, " attrs ", o->n_attrs);
	}
	for (uint32_t i = 0; i < gt_model_thread_count(m); i++) {
		put(out, "\nthread ", (uint64_t)gt_model_thread(m, i)->tid);
		put(out, " calls ", gt_model_thread(m, i)->calls);
	}
	for (uint32_t i = 0; i < gt_model_process_count(m); i++) {
		const struct gt_process *p = gt_model_process(m, i);

		put(out, "\nprocess ", (uint64_t)p->pid);
		put(out, " calls ", p->calls + p->callbacks);
		put(out, " commands ", p->commands);
		put(out, " kernels ", p->kernels);
		put(out, " from ", (uint64_t)p->start_ns);
		put(out, " to ", (uint64_t)p->end_ns);
	}
	for (unsigned i = 0; i < MOST_WORKERS; i++)
		gt_text_free(&s.own[i]);
	gt_text_free(&s.all);
	gt_text_free(&s.again);
	gt_model_close(m);
}

static void same_with(const struct gt_walk_options *opt)
{
	static const unsigned jobs[] = { 2, 3, MOST_WORKERS };
	struct gt_text one = { 0 };

	read_all(1, opt, &one);
	for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct gt_text many = { 0 };

		read_all(jobs[i], opt, &many);
		assert_int_equal(many.used, one.used);
		assert_memory_equal(many.data, one.data, one.used);
		gt_text_free(&many);
	}
	gt_text_free(&one);
}

/* Calls, commands, objects, numbers, threads, counts and losses: the same with 1, 2, 3 and 8 threads. */
static void several_threads_read_what_one_reads(void **state)
{
	static const struct { unsigned streams, calls; } shapes[] = {
		{ 1, 40 }, { 1, 3000 }, { 2, 6000 }, { 16, 9000 }
	};

	(void)state;
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		build(shapes[i].streams, shapes[i].calls);
		same_with(&(struct gt_walk_options){ .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME });
	}
}

/* ... of a packed trace. */
static void several_threads_read_a_packed_trace(void **state)
{
	struct gt_err err;

	(void)state;
	build(4, 6000);
	unlink(PACKED);
	assert_int_equal(gt_pack(PATH, PACKED, &err), 0);
	opened = PACKED;
	same_with(&(struct gt_walk_options){ .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME });
	opened = PATH;
	unlink(PACKED);
}

/* ... of one process, and with windows of time, with and without the calls before them. */
static void several_threads_read_the_same_window(void **state)
{
	(void)state;
	build(3, 6000);
	same_with(&(struct gt_walk_options){ .process = 1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME });
	same_with(&(struct gt_walk_options){ .process = -1, .from_ns = 100000, .to_ns = 200000 });
	same_with(&(struct gt_walk_options){ .process = 0, .from_ns = 150000, .to_ns = GT_NO_TIME, .outside = true });
	same_with(&(struct gt_walk_options){ .process = -1, .from_ns = GT_NO_TIME, .to_ns = 0 });
	build(2, 400);
	for (int64_t to = 10000; to < 40000; to += 500)   /* where the walk ends may be a call whose work ran before */
		same_with(&(struct gt_walk_options){ .process = -1, .from_ns = to - 9000, .to_ns = to });
}

/* ------------------------------------------------------------------- failures */

static int fail_at(void *ctx, unsigned worker, const struct gt_call *call, struct gt_err *err)
{
	const uint64_t *from = ctx;

	(void)worker;
	return call->id < *from
		? 0
		: gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "call %llu", (unsigned long long)call->id);
}

/* Every worker fails from some call on: what comes back is the error of the first one. */
static void error_of_the_earliest_call_comes_back(void **state)
{
	(void)state;
	build(1, 3000);
	for (unsigned jobs = 1; jobs <= MOST_WORKERS; jobs++) {
		struct gt_model *m = open_model(jobs);
		uint64_t from = 1234;
		struct gt_crew crew = { .walk = { .process = -1, .from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME },
			.ctx = &from, .call = fail_at, .workers = jobs };
		struct gt_err err = { 0 };

		assert_int_equal(gt_crew_walk(m, &crew, &err), -1);
		assert_string_equal(err.what, "call 1234");
		gt_model_close(m);
	}
}

/* -------------------------------------------------------------------- reports */

static const struct gt_pool *pool_of_joined, *pool_of_ordered;

static void *begin_joined(const struct gt_report_request *q, struct gt_model *m, struct gt_pool *a)
{
	(void)q;
	(void)m;
	pool_of_joined = pool_of_joined ? pool_of_joined : a;  /* the first worker's */
	return gt_pool_take(a, 16);
}

static void *begin_ordered(const struct gt_report_request *q, struct gt_model *m, struct gt_pool *a)
{
	(void)q;
	(void)m;
	pool_of_ordered = a;
	return gt_pool_take(a, 16);
}

static int hear_call(void *state, const struct gt_call *call, struct gt_table *t)
{
	(void)call;
	(void)t;
	++*(uint64_t *)state;
	return 0;
}

static int join_heard(void *state, void *from)
{
	*(uint64_t *)state += *(uint64_t *)from;
	return 0;
}

static int end_heard(void *state, struct gt_table *t)
{
	return gt_table_row(t, (const struct gt_cell[]){ gt_integer((int64_t)*(uint64_t *)state) });
}

/* Whoever has the turn tells a report in order, while the first worker tells its own: they share no memory. */
static void report_in_order_has_memory_of_its_own(void **state)
{
	static const struct gt_report joined = { .name = "joined", .title = "Joined", .headings = "Calls",
		.begin = begin_joined, .call = hear_call, .join = join_heard, .end = end_heard },
		ordered = { .name = "ordered", .title = "Ordered", .headings = "Calls",
			.begin = begin_ordered, .call = hear_call, .end = end_heard };
	const struct gt_report_request reports[] = { { .report = &joined, .name = "joined" },
		{ .report = &ordered, .name = "ordered" } };
	struct gt_report_run run = { .reports = reports, .n_reports = 2, .format = GT_TABLE_CSV,
		.from_ns = GT_NO_TIME, .to_ns = GT_NO_TIME };
	struct gt_err err = { 0 };
	char *said = NULL, *again;
	size_t bytes;

	(void)state;
	build(3, 2000);
	run.model = open_model(3);
	run.out = open_memstream(&said, &bytes);
	assert_int_equal(gt_reports_run(&run, &err), 0);
	fclose(run.out);
	gt_model_close(run.model);
	assert_ptr_not_equal(pool_of_joined, pool_of_ordered);
	again = strstr(said, "Calls");
	assert_non_null(again);
	assert_int_equal(strtoul(again + 6, NULL, 10), strtoul(strstr(again + 6, "Calls") + 6, NULL, 10));
	free(said);
}

/* --------------------------------------------------------------------- slices */

static void check_slices(uint32_t calls, size_t limit, unsigned jobs)
{
	struct gt_reader *r;
	struct gt_slices *slices;
	struct gt_slice slice = { 0 };
	struct gt_merge *all, *part = NULL;
	struct gt_batch batch = { 0 };
	struct gt_err err = { 0 };
	struct gt_rec rec;
	uint64_t n = 0;

	assert_int_equal(gt_reader_open_jobs(PATH, jobs, &r, &err), 0);
	assert_int_equal(gt_merge_open(r, -1, GT_NO_TIME, GT_NO_TIME, &all, &err), 0);
	assert_int_equal(gt_slices_open(r, -1, calls, &slices, &err), 0);
	while (gt_slices_take(slices, &slice, &err) == 1) {
		assert_int_equal(slice.number, n++);
		assert_int_equal(gt_merge_slice(r, &slice, limit, &part, &err), 0);
		for (int more = 1; more > 0;) {
			more = gt_batch_fill(&batch, part, 77, &err);
			assert_true(more >= 0);
			for (uint32_t k = 0; k < batch.n; k++) {
				assert_int_equal(gt_merge_next(all, &rec, &err), 1);
				assert_int_equal(batch.recs[k].stream, rec.stream);
				assert_int_equal(batch.recs[k].process, rec.process);
				assert_int_equal(batch.recs[k].offset, rec.offset);
				assert_int_equal(batch.recs[k].n_args, rec.n_args);
				assert_memory_equal(batch.recs[k].args, rec.args, rec.n_args * 8);
			}
		}
	}
	assert_int_equal(gt_merge_next(all, &rec, &err), 0);
	assert_true(n > 1 || calls > 200);
	gt_batch_free(&batch);
	gt_slice_free(&slice);
	gt_slices_close(slices);
	gt_merge_close(part);
	gt_merge_close(all);
	gt_reader_close(r);
}

/* Slices of any size, one behind the other, are the merge; with little memory too. */
static void slices_are_the_merge(void **state)
{
	(void)state;
	build(5, 8000);
	for (uint32_t calls = 1; calls <= 100000; calls *= 10) {
		check_slices(calls, 1, 1);
		check_slices(calls, 100 << 20, 4);
	}
}

/* A block whose last call starts where another block begins, and a slice with it, is in both slices. */
static void a_call_at_the_edge_is_in_one_slice(void **state)
{
	struct tb *tb = tb_open(PATH);
	struct tb_process *p = tb_process(tb, 100);
	struct tb_stream *s[2] = { tb_stream(p), tb_stream(p) };

	(void)state;
	tb_table(tb, table_text, table_bytes);
	tb_fact(p, "start_tick", "1000");
	tb_clock(s[0], 1000, 1000);
	tb_clock(s[0], 1001000, 1001000);
	for (uint64_t at = 2000; at <= 5000; at += 10) {
		tb_call(s[0], REC_FIRST_FUNCTION, at, 5, 0, W(1, at));
		tb_call(s[1], REC_FIRST_FUNCTION, at + 3000, 5, 0, W(2, at));
	}
	tb_close(tb);
	for (uint32_t calls = 1; calls < 1000; calls *= 3)
		check_slices(calls, 100 << 20, 2);
}

/* --------------------------------------------------------------------- pieces */

struct turns { size_t next, fail_at; };

static int half_fails(void *ctx, unsigned worker, size_t piece)
{
	const struct turns *t = ctx;

	(void)worker;
	return piece >= t->fail_at ? (int)piece : 0;
}

static int in_order(void *ctx, unsigned worker, size_t piece, int rc)
{
	struct turns *t = ctx;

	(void)worker;
	assert_int_equal(piece, t->next++);
	return rc;
}

/* Turns come in order, one at a time; the first that fails is what comes back. */
static void pieces_have_their_turns_in_order(void **state)
{
	(void)state;
	for (unsigned workers = 1; workers < 6; workers++) {
		struct turns t = { .fail_at = 10000 };
		struct gt_pieces p = { .workers = workers, .n = 500, .ctx = &t, .work = half_fails, .turn = in_order };

		assert_int_equal(gt_pieces_do(&p), 0);
		assert_int_equal(t.next, 500);
		t = (struct turns){ .fail_at = 77 };
		assert_int_equal(gt_pieces_do(&p), 77);
		assert_int_equal(t.next, 78);
		p.n = 0;
		assert_int_equal(gt_pieces_do(&p), 0);
	}
}

/* ---------------------------------------------------------------------- quota */

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* The least quota of the group and those around it, in processors, rounded up. */
static void quota_of_a_cgroup_is_its_least(void **state)
{
	char root[] = "/tmp/gputap-cgroup-XXXXXX", path[256];

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_int_equal(gt_jobs_quota(root, "0::/a/b\n"), 0);
	static const char *const dirs[] = { "a", "a/b", "cpu,cpuacct", "cpu,cpuacct/x" };
	static const struct { const char *file, *text; } files[] = {
		{ "a/cpu.max", "250000 100000\n" }, { "a/b/cpu.max", "max 100000\n" },
		{ "cpu,cpuacct/cpu.cfs_quota_us", "-1\n" }, { "cpu,cpuacct/cpu.cfs_period_us", "100000\n" },
		{ "cpu,cpuacct/x/cpu.cfs_quota_us", "100000\n" }, { "cpu,cpuacct/x/cpu.cfs_period_us", "50000\n" },
		{ "cpu.max", "700000 100000\n" },
	};

	for (unsigned i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		snprintf(path, sizeof path, "%s/%s", root, dirs[i]);
		mkdir(path, 0777);
	}
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", root, files[i].file);
		put_file(path, files[i].text);
	}
	assert_int_equal(gt_jobs_quota(root, "0::/a/b\n"), 3);
	assert_int_equal(gt_jobs_quota(root, "0::/not/here\n"), 7);       /* a path of the host's: the root counts */
	assert_int_equal(gt_jobs_quota(root, "0::/\n"), 7);
	assert_int_equal(gt_jobs_quota(root, "4:cpu,cpuacct:/x\n3:memory:/a\n"), 2);
	assert_int_equal(gt_jobs_quota(root, "4:cpu,cpuacct:/\n"), 0);
	assert_int_equal(gt_jobs_quota(root, "5:memory:/x\n0::/a\n"), 3);
	assert_int_equal(gt_jobs_quota(root, ""), 0);
	tb_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_threads_read_what_one_reads),
		cmocka_unit_test(several_threads_read_a_packed_trace),
		cmocka_unit_test(several_threads_read_the_same_window),
		cmocka_unit_test(error_of_the_earliest_call_comes_back),
		cmocka_unit_test(report_in_order_has_memory_of_its_own),
		cmocka_unit_test(slices_are_the_merge),
		cmocka_unit_test(a_call_at_the_edge_is_in_one_slice),
		cmocka_unit_test(pieces_have_their_turns_in_order),
		cmocka_unit_test(quota_of_a_cgroup_is_its_least),
	};

	return cmocka_run_group_tests(tests, load_table, drop_table);
}
