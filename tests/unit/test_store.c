/*
 * tests/unit/test_store.c - opening traces: directories, facts, contents, live, cut and foreign ones
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/tracebuild.h"
#include "tests/unit/onetrace.h"
#include "trace/read/internal.h"
#include "trace/read/pack.h"

#define FN 0x433u

static const char *inside(const char *name)
{
	static char full[128];

	snprintf(full, sizeof(full), "%s/%s", path, name);
	return full;
}

/* Opening fails as unreadable input, and the message holds `part`. */
static void refuses(const char *part)
{
	struct gt_reader *r = NULL;
	struct gt_err err = { 0 };

	assert_int_equal(gt_reader_open(path, &r, &err), -1);
	assert_int_equal(err.kind, GT_EXIT_INPUT);
	if (!strstr(err.what, part))
		fail_msg("\"%s\" does not say \"%s\"", err.what, part);
	assert_string_not_equal(err.why, "");
}

static void build_small(void)
{
	static const uint64_t id[2] = { 7, 8 };
	struct tb *tb = tb_open(path);
	struct tb_process *p;
	struct tb_stream *s;

	tb_run_fact(tb, "arg", "prog%20\nx");
	tb_run_fact(tb, "arg", "second");
	tb_table(tb, "T\t1\n", 4);
	p = tb_process(tb, 10);
	tb_fact(p, "start_tick", "1000");
	s = tb_stream(p);
	tb_thread(s, 1000, 10, 1, "main");
	tb_clock(s, 1000, 1000);
	tb_clock(s, 2001000, 2001000);
	for (uint32_t i = 0; i < 20; i++)
		tb_call(s, FN, 2000 + 10 * i, 5, 0, W(i));
	tb_blob(s, REC_BLOB_SOURCE, id, "kernel void k() {}", 18, 18);
	tb_call(s, FN, 3000, 5, 0, W(20));
	tb_slot(s, 0, FN, REC_DOMAIN_OPENCL, 4000, (uint64_t[]){ 1, 2, 3, 4 });
	tb_lost(s, REC_LOSS_NO_SPACE, 3);
	tb_close(tb);
}

/* Facts come back as they were, also repeated ones and those with bytes that need escaping. */
static void facts_come_back(void **state)
{
	struct gt_reader *r;

	(void)state;
	build_small();
	r = open_reader();
	assert_string_equal(gt_reader_fact(r, -1, "arg", 0), "prog%20\nx");
	assert_string_equal(gt_reader_fact(r, -1, "arg", 1), "second");
	assert_null(gt_reader_fact(r, -1, "arg", 2));
	assert_string_equal(gt_reader_fact(r, 0, "pid", 0), "10");
	assert_null(gt_reader_fact(r, 0, "nothing", 0));
	assert_null(gt_reader_fact(r, 7, "pid", 0));
	gt_reader_close(r);
}

/* A last line that was being written is no fact: half of a number is another number. */
static void half_a_line_is_no_fact(void **state)
{
	struct gt_facts f;

	(void)state;
	assert_int_equal(gt_facts_parse(strdup("a=1\nb=%41%\n\n=\nexit_status=12"), 29, &f), 0);
	assert_string_equal(gt_facts_find(&f, "a", 0), "1");
	assert_string_equal(gt_facts_find(&f, "b", 0), "A%");
	assert_null(gt_facts_find(&f, "exit_status", 0));
	gt_facts_free(&f);
}

/* Table, contents and control page are there; ids that were not stored are not. */
static void contents_are_found(void **state)
{
	static const uint64_t other[2] = { 8, 7 };
	const struct rec_control *control;
	const void *data;
	const char *text;
	uint64_t total;
	size_t bytes;
	struct gt_reader *r;
	struct gt_err err = { 0 };

	(void)state;
	build_small();
	r = open_reader();
	assert_int_equal(gt_reader_table(r, &text, &bytes, &err), 0);
	assert_int_equal(bytes, 4);
	assert_memory_equal(text, "T\t1\n", 4);
	assert_int_equal(gt_reader_blob(r, (uint64_t[]){ 7, 8 }, &data, &bytes, &total), 1);
	assert_int_equal(bytes, 18);
	assert_int_equal(total, 18);
	assert_memory_equal(data, "kernel void k() {}", 18);
	assert_int_equal(gt_reader_blob(r, other, &data, &bytes, &total), 0);
	assert_int_equal(gt_reader_stream_count(r, 0), 1);
	control = gt_reader_control(r, 0, 0);
	assert_int_equal(control->slot[0].fn, FN);
	assert_int_equal(control->slot[0].arg[3], 4);
	assert_int_equal(control->lost[REC_LOSS_NO_SPACE], 3);
	assert_int_equal(gt_reader_control(r, 0, 5)->magic, 0);
	gt_reader_close(r);
}

/* A trace without its function table says so when it is asked. */
static void missing_table_is_told(void **state)
{
	struct gt_reader *r;
	struct gt_err err = { 0 };
	const char *text;
	size_t bytes;

	struct tb *tb = tb_open(path);
	struct tb_process *p = tb_process(tb, 100);

	(void)state;
	tb_fact(p, "table", "0123456789abcdef");        /* of another build */
	tb_stream(p);
	tb_close(tb);
	r = open_reader();
	assert_int_equal(gt_reader_table(r, &text, &bytes, &err), -1);
	assert_non_null(strstr(err.what, "function table"));
	gt_reader_close(r);
}

/* A trace that had no room for its function table is read by the table of the same build. */
static void same_table_serves(void **state)
{
	extern const char tap_table_hash[];
	struct gt_reader *r;
	struct gt_err err = { 0 };
	const char *text;
	size_t bytes;
	struct tb *tb = tb_open(path);
	struct tb_process *p = tb_process(tb, 100);

	(void)state;
	tb_fact(p, "table", tap_table_hash);
	tb_stream(p);
	tb_close(tb);
	r = open_reader();
	assert_int_equal(gt_reader_table(r, &text, &bytes, &err), 0);
	assert_non_null(strstr(text, "clFinish"));
	gt_reader_close(r);
}

/* An image that could not make its directory, and one that got no stream, are counted. */
static void unrecorded_images_are_counted(void **state)
{
	struct tb *tb = tb_open(path);
	struct gt_reader *r;

	(void)state;
	tb_run_fact(tb, "launcher_pid", "1");
	tb_run_fact(tb, "failed", "101");
	tb_process(tb, 100);
	tb_close(tb);
	r = open_reader();
	assert_int_equal(gt_reader_lost(r, REC_LOSS_NO_STREAM), 2);
	gt_reader_close(r);
}

/* Somebody's folder with an image's name, empty or with files of their own, is nobody's image; an image's folder is. */
static void folders_of_others_are_no_images(void **state)
{
	struct gt_reader *r;
	int fd;

	(void)state;
	build_small();
	assert_int_equal(mkdir(inside("99.1"), 0755), 0);
	assert_int_equal(chmod(inside("99.1"), 0755), 0);
	r = open_reader();
	assert_int_equal(gt_reader_lost(r, REC_LOSS_NO_STREAM), 0);
	gt_reader_close(r);
	fd = open(inside("99.1/notes"), O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	close(fd);
	r = open_reader();
	assert_int_equal(gt_reader_lost(r, REC_LOSS_NO_STREAM), 0);
	gt_reader_close(r);
	assert_int_equal(unlink(inside("99.1/notes")), 0);
	assert_int_equal(chmod(inside("99.1"), 0700), 0);
	r = open_reader();
	assert_int_equal(gt_reader_lost(r, REC_LOSS_NO_STREAM), 1);
	gt_reader_close(r);
}

/* What is no trace, not there, of another version or byte order is refused with a reason. */
static void foreign_things_are_refused(void **state)
{
	static const uint64_t swapped = __builtin_bswap64(REC_CONTROL_MAGIC);
	static const uint32_t version = REC_VERSION + 1;
	char later[16], says[32];
	struct tb *tb;
	int fd;

	(void)state;
	snprintf(later, sizeof later, "%d", REC_VERSION + 1);
	snprintf(says, sizeof says, "version %s", later);
	refuses("cannot be opened");
	assert_int_equal(mkdir(path, 0777), 0);
	refuses("not a gputap trace");
	tb_remove(path);
	fd = open(path, O_CREAT | O_WRONLY, 0666);
	assert_int_equal(write(fd, "hello", 5), 5);
	close(fd);
	refuses("not a gputap trace");
	unlink(path);

	tb = tb_open(path);
	tb_fact(tb_process(tb, 10), "format", later);
	tb_close(tb);
	refuses(says);
	tb = tb_open(path);
	tb_fact(tb_process(tb, 10), "byte_order", "big");
	tb_close(tb);
	refuses("byte order");

	build_small();
	fd = open(inside("10.1/0.str"), O_RDWR);
	assert_int_equal(pwrite(fd, &swapped, 8, 0), 8);
	refuses("byte order");
	assert_int_equal(pwrite(fd, &(uint64_t){ REC_CONTROL_MAGIC }, 8, 0), 8);
	assert_int_equal(pwrite(fd, &version, 4, 8), 4);
	refuses(says);
	close(fd);
}

/* The version before this one had two types of records more, which nobody wrote: its traces are read. */
static void the_version_before_is_read(void **state)
{
	static const uint32_t version = 1;
	struct gt_err err = { 0 };
	unsigned calls = 0;
	struct gt_reader *r;
	struct gt_cursor *c;
	struct gt_rec rec;
	int fd;

	(void)state;
	build_small();
	fd = open(inside("10.1/0.str"), O_RDWR);
	assert_int_equal(pwrite(fd, &version, 4, offsetof(struct rec_control, version)), 4);
	assert_int_equal(pwrite(fd, &version, 2, REC_CONTROL_BYTES + offsetof(struct rec_chunk, version)), 2);
	close(fd);
	r = open_reader();
	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1)
		calls += rec.id == FN;
	assert_true(calls > 0);
	gt_cursor_close(c);
	gt_reader_close(r);
}

/* A link inside a trace could read anything: refused. Names that no trace has are not looked at. */
static void links_are_refused(void **state)
{
	(void)state;
	build_small();
	assert_int_equal(symlink("/etc/passwd", inside("note")), 0);
	assert_int_equal(symlink("/etc/passwd", inside("10.1/../01.1")), 0);
	gt_reader_close(open_reader());
	assert_int_equal(symlink("/etc/passwd", inside("10.1/1.str")), 0);
	refuses("symbolic link");
	assert_int_equal(unlink(inside("10.1/1.str")), 0);
	assert_int_equal(symlink("10.1", inside("11.1")), 0);
	refuses("symbolic link");
}

/* Names with a way out, leading zeros or too large numbers are no names of a trace. */
static void odd_names_are_not_names(void **state)
{
	static const char *const good[] = { "run", "table.ab12.zst", "1.1/meta", "4711.12/0.str", "4711.12/123.str",
		"lost", "mark.00000000000000ab.failed.4711" };
	static const char *const bad[] = { "", "run2", "../run", "table..zst", "table.a/b.zst", "table.zst", "1/meta",
		"1.1/../meta", "01.1/meta", "1.1/01.str", "1.1/.str", "1.1/-1.str", "1.1/99999999999.str",
		"99999999999.1/meta", "1.1/0.str/", "1.1/0.stra", "1.1//meta", "/1.1/meta",
		"mark.ab.failed", "mark.ab.failed.", "mark.ab.failed.1x", "mark..failed.1", "mark.ab.F.1", "1.1/lost" };
	struct gt_store_name name;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(gt_store_name_parse(good[i], &name));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(gt_store_name_parse(bad[i], &name));
}

/* A trace that is cut at any byte opens; what was whole before the cut is there. */
static void cut_at_any_byte_keeps_what_was_before(void **state)
{
	struct gt_memory_file files[] = { { "run", "format=1\n", 9 },
		{ "10.1/meta", "format=1\npid=10\nstart_tick=1000\n", 32 }, { "10.1/0.str", NULL, 0 } };
	unsigned calls = 0, previous = 0, full;
	size_t size = 0;
	char *whole;
	FILE *in;

	(void)state;
	build_small();
	in = fopen(inside("10.1/0.str"), "r");
	whole = malloc(1 << 20);
	size = fread(whole, 1, 1 << 20, in);
	fclose(in);
	for (size_t cut = 0; cut <= size;
		cut = cut < 5600 || cut + 200 > size || (cut > 65500 && cut < 65700) ? cut + 1 : cut + 97) {
		char *copy = malloc(cut ? cut : 1);   /* exact, for the sanitizer */
		struct gt_store *store;
		struct gt_reader *r;
		struct gt_cursor *c;
		struct gt_rec rec;
		struct gt_err err = { 0 };

		memcpy(copy, whole, cut);
		files[2].data = copy;
		files[2].bytes = cut;
		assert_int_equal(gt_store_open_memory(files, 3, &store, &err), 0);
		assert_int_equal(gt_reader_open_store(store, &r, &err), 0);
		assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
		for (calls = 0; gt_cursor_next(c, &rec, &err) == 1;)
			if (rec.id == FN)
				assert_int_equal(rec.args[0], calls++);
		assert_true(calls >= previous);
		assert_int_equal(gt_reader_lost(r, REC_LOSS_DAMAGED), 0);
		if (cut > 0 && cut < REC_CONTROL_BYTES + 1000 && cut != REC_CONTROL_BYTES)
			assert_int_equal(gt_reader_lost(r, REC_LOSS_TRUNCATED),
				cut >= sizeof(struct rec_control) && cut < REC_CONTROL_BYTES ? 0 : 1);
		previous = calls;
		gt_cursor_close(c);
		gt_reader_close(r);
		free(copy);
	}
	full = calls;
	assert_int_equal(full, 21);
	free(whole);
}

/* While the writer lives: the last chunk is empty, or its header is not there yet, or a record is claimed only. */
static void live_trace_reads_up_to_its_front(void **state)
{
	struct tb *tb = tb_open(path);
	struct tb_stream *s = tb_stream(tb_process(tb, 10));
	struct gt_reader *r;
	struct gt_cursor *c;
	struct gt_rec rec;
	struct gt_err err = { 0 };
	unsigned calls = 0;

	(void)state;
	tb_call(s, FN, 10, 1, 0, W(1));
	tb_incomplete(s, 9);
	tb_call(s, FN, 20, 1, 0, W(2));
	tb_incomplete(s, 5);
	tb_stream(tb_process(tb, 10));            /* a stream without a chunk */
	tb_close(tb);
	assert_int_equal(truncate(inside("10.1/0.str"), 3 * REC_BLOCK), 0); /* allocated, not begun */

	r = open_reader();
	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1)
		calls += rec.id == FN;
	assert_int_equal(calls, 2);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_INCOMPLETE_RECORD), 2);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_DAMAGED), 0);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_TRUNCATED), 0);
	gt_cursor_close(c);
	gt_reader_close(r);
}

/* A destroyed chunk header costs its chunk, not those behind it; a destroyed record costs the rest of its block. */
static void damage_stays_in_its_place(void **state)
{
	static const uint64_t junk = 0x1122334455667788u;
	unsigned numbers[60000 / 1000] = { 0 }, calls = 0;
	struct gt_reader *r;
	struct gt_cursor *c;
	struct gt_rec rec;
	struct gt_err err = { 0 };
	struct tb *tb = tb_open(path);
	struct tb_stream *s = tb_stream(tb_process(tb, 10));
	int fd;

	(void)state;
	for (uint32_t i = 0; i < 60000; i++)      /* 32 bytes each: 12 KiB, 64 KiB, 256 KiB, 1 MiB, ... */
		tb_call(s, FN, 10 + i, 1, 0, W(i));
	tb_close(tb);
	fd = open(inside("10.1/0.str"), O_RDWR);
	assert_int_equal(pwrite(fd, &junk, 8, 65536), 8);                /* the second chunk's header */
	assert_int_equal(pwrite(fd, &junk, 8, 131072 + 65536 + 320), 8); /* a record in the second block of the third */
	close(fd);

	r = open_reader();
	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1) {
		numbers[rec.args[0] / 1000]++;
		calls++;
	}
	assert_int_equal(calls, 60000 - 2046 - 2038);
	assert_int_equal(numbers[59], 1000);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_DAMAGED), 2);
	gt_cursor_close(c);
	gt_reader_close(r);
}

/* Patches one word of the stream file. */
static void put_words(uint64_t at, const uint64_t *words, uint32_t n)
{
	int fd = open(inside("10.1/0.str"), O_RDWR);

	assert_int_equal(pwrite(fd, words, n * 8ull, (off_t)at), n * 8);
	close(fd);
}

static void check_calls(unsigned expected)
{
	struct gt_reader *r = open_reader();
	struct gt_cursor *c;
	struct gt_rec rec, found;
	struct gt_err err = { 0 };
	unsigned calls = 0;

	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1) {
		assert_int_equal(rec.args[0], 1 + calls++);
		assert_int_equal(gt_reader_fetch(r, 0, rec_link(0, rec.offset), &found, &err), 1);
		assert_int_equal(found.args[0], rec.args[0]);
	}
	assert_int_equal(calls, expected);
	if (calls == 2)
		assert_int_equal(rec.offset, 3 * REC_BLOCK + sizeof(struct rec_chunk));
	assert_int_equal(gt_reader_lost(r, REC_LOSS_DAMAGED) + gt_reader_lost(r, REC_LOSS_UNKNOWN_RECORD), 0);
	gt_cursor_close(c);
	gt_reader_close(r);
}

/* A chunk that a kill left in its window is read at the place it was meant for; packing keeps it there. */
static void staged_chunk_is_read_in_its_place(void **state)
{
	const uint64_t window = REC_BLOCK, target = 3 * REC_BLOCK;
	struct rec_chunk stage = { .magic = REC_CHUNK_MAGIC,
		.kind = REC_CHUNK_STAGE,
		.version = REC_VERSION,
		.bytes = REC_STAGE_IMAGE + REC_BLOCK };
	struct rec_chunk chunk = {
		.magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_CALLS, .version = REC_VERSION, .bytes = REC_BLOCK
	};
	const uint64_t call[] = { rec_head(FN, 4, REC_COMPLETE, 0), 50, 5, 2 };
	struct tb *tb = tb_open(path);
	struct tb_stream *s = tb_stream(tb_process(tb, 10));
	struct gt_err err = { 0 };
	char packed[128];

	(void)state;
	tb_call(s, FN, 10, 1, 0, W(1));
	tb_close(tb);
	assert_int_equal(truncate(inside("10.1/0.str"), 4 * REC_BLOCK), 0);
	put_words(window, (const uint64_t *)&stage, 8);
	put_words(window + REC_STAGE_IMAGE, (const uint64_t *)&chunk, 8);
	put_words(window + REC_STAGE_IMAGE + 64, call, 4);
	check_calls(1);                           /* the window holds nothing: leftovers do not count */
	stage.rec_stage_target = target;
	put_words(window, (const uint64_t *)&stage, 8);
	check_calls(2);
	snprintf(packed, sizeof(packed), "%s.packed", path);
	assert_int_equal(gt_pack(path, packed, &err), 0);
	tb_remove(path);
	assert_int_equal(rename(packed, path), 0);
	check_calls(2);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_path, remove_path)
	const struct CMUnitTest tests[] = {
		TEST(facts_come_back),
		TEST(half_a_line_is_no_fact),
		TEST(contents_are_found),
		TEST(missing_table_is_told),
		TEST(same_table_serves),
		TEST(unrecorded_images_are_counted),
		TEST(folders_of_others_are_no_images),
		TEST(foreign_things_are_refused),
		TEST(the_version_before_is_read),
		TEST(links_are_refused),
		TEST(odd_names_are_not_names),
		TEST(cut_at_any_byte_keeps_what_was_before),
		TEST(live_trace_reads_up_to_its_front),
		TEST(damage_stays_in_its_place),
		TEST(staged_chunk_is_read_in_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
