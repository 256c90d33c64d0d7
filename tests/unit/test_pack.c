/*
 * tests/unit/test_pack.c - packed traces read like directories
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include "tests/tracebuild.h"
#include "tests/unit/onetrace.h"
#include "tests/unit/randomness.h"
#include "trace/read/pack.h"
#include "trace/read/pack_format.h"
#include "trace/read/reader.h"

#define FN 0x433u

static char packed[64];

static int make_paths(void **state)
{
	snprintf(packed, sizeof(packed), "/tmp/gputap-test-packed-%d.gputap", (int)getpid());
	return make_path(state);
}

static int remove_paths(void **state)
{
	unlink(packed);
	return remove_path(state);
}

/* All kinds of records, long, slow, unfinished and unknown ones, over several blocks, with contents between. */
static void build_mixed(void)
{
	static uint64_t words[3000];
	struct tb *tb = tb_open(path);
	struct tb_process *p;
	struct tb_stream *s;
	uint64_t tick = 1000;

	tb_table(tb, "T\t1\n", 4);
	p = tb_process(tb, 10);
	tb_fact(p, "start_tick", "1000");
	for (unsigned stream = 0; stream < 2; stream++) {
		s = tb_stream(p);
		tb_thread(s, tick, 10 + stream, !stream, "main");
		tb_clock(s, tick, (int64_t)tick);
		for (uint32_t i = 0; i < 30000; i++) {
			uint32_t n = (uint32_t)random_below(12);
			uint64_t link, id[2] = { i, stream };

			for (uint32_t k = 0; k < n; k++)
				words[k] = 0x550000000000 + random_below(64) * 16;
			tick += random_below(3000);
			link = tb_call_u32(s, FN + n, tick, random_below(40) ? random_below(500) : 5ull << 32,
				-(int32_t)random_below(2), i, words, n);
			if (n == 5)
				tb_command(s, link, tick * 7, tick * 7 + 10, tick * 7 + 30, tick * 7 + 90, 0);
			if (i % 1000 == 1)
				tb_call(s, FN, tick, 5, 0, words, (uint32_t)random_below(3000));
			if (i % 3000 == 7)
				tb_incomplete(s, 6);
			if (i % 3000 == 9)
				tb_record(s, 250, 0, 0, words, 4);
			if (i % 9000 == 77)
				tb_blob(s, REC_BLOB_SOURCE, id, words, sizeof(words), sizeof(words));
		}
	}
	tb_close(tb);
}

static bool same(const struct gt_rec *a, const struct gt_rec *b)
{
	return a->n_words == b->n_words && !memcmp(a->words, b->words, a->n_words * 8ull) && a->stream == b->stream &&
		a->offset == b->offset && a->process == b->process && a->holder == b->holder;
}

/* The packed file holds the same records in the same order, and is much smaller. */
static void packed_trace_has_the_same_records(void **state)
{
	struct gt_err err = { 0 };
	struct gt_reader *r[2];
	struct gt_cursor *c[2];
	struct gt_merge *m[2];
	struct gt_rec rec[2];
	struct stat st;
	unsigned n = 0;
	int rc;

	(void)state;
	build_mixed();
	if (gt_pack(path, packed, &err) < 0)
		fail_msg("%s: %s", err.what, err.why);
	assert_int_equal(stat(packed, &st), 0);
	assert_true(st.st_size < 2200000);        /* of about 6 MB */
	r[0] = open_trace(path);
	r[1] = open_trace(packed);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gt_cursor_open(r[i], -1, &c[i], &err), 0);
		assert_int_equal(gt_merge_open(r[i], -1, GT_NO_TIME, GT_NO_TIME, &m[i], &err), 0);
	}
	while ((rc = gt_cursor_next(c[0], &rec[0], &err)) == 1) {
		assert_int_equal(gt_cursor_next(c[1], &rec[1], &err), 1);
		assert_true(same(&rec[0], &rec[1]));
		n++;
	}
	assert_int_equal(rc, 0);
	assert_int_equal(gt_cursor_next(c[1], &rec[1], &err), 0);
	assert_true(n > 60000);
	while ((rc = gt_merge_next(m[0], &rec[0], &err)) == 1) {
		assert_int_equal(gt_merge_next(m[1], &rec[1], &err), 1);
		assert_true(same(&rec[0], &rec[1]));
	}
	assert_int_equal(gt_merge_next(m[1], &rec[1], &err), 0);
	for (int i = 0; i < REC_LOSS_COUNT; i++)
		assert_int_equal(gt_reader_lost(r[0], i), gt_reader_lost(r[1], i));
	assert_int_equal(gt_reader_lost(r[0], REC_LOSS_INCOMPLETE_RECORD), 20);
	for (int i = 0; i < 2; i++) {
		gt_cursor_close(c[i]);
		gt_merge_close(m[i]);
		gt_reader_close(r[i]);
	}
}

/* Facts, table, contents and control pages come with it. */
static void packed_trace_has_everything_else(void **state)
{
	struct gt_err err = { 0 };
	struct gt_reader *r;
	const char *text;
	const void *data;
	uint64_t total;
	size_t bytes;

	(void)state;
	build_mixed();
	assert_int_equal(gt_pack(path, packed, &err), 0);
	r = open_trace(packed);
	assert_string_equal(gt_reader_fact(r, 0, "pid", 0), "10");
	assert_int_equal(gt_reader_table(r, &text, &bytes, &err), 0);
	assert_memory_equal(text, "T\t1\n", 4);
	assert_int_equal(gt_reader_blob(r, (uint64_t[]){ 9077, 1 }, &data, &bytes, &total), 1);
	assert_int_equal(bytes, 24000);
	assert_int_equal(gt_reader_control(r, 0, 1)->stream, 1);
	gt_reader_close(r);
}

/* Packing what is packed gives the same file; packing nothing leaves nothing behind. */
static void packing_again_changes_nothing(void **state)
{
	struct gt_err err = { 0 };
	struct stat before, after;

	(void)state;
	build_mixed();
	assert_int_equal(gt_pack(path, packed, &err), 0);
	assert_int_equal(stat(packed, &before), 0);
	assert_int_equal(gt_pack(packed, packed, &err), 0);
	assert_int_equal(stat(packed, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
	unlink(packed);
	assert_int_equal(gt_pack("no-such-trace", packed, &err), -1);
	assert_int_equal(err.kind, GT_EXIT_INPUT);
	assert_int_equal(access(packed, F_OK), -1);
	assert_int_equal(gt_pack(path, "no-such-folder/x", &err), -1);
	assert_int_equal(err.kind, GT_EXIT_OUTPUT);
}

/* Blocks of any bytes come back, as do those of records; what is not a packed block is refused. */
static void blocks_come_back(void **state)
{
	static uint8_t block[REC_BLOCK], back[REC_BLOCK], copy[REC_BLOCK];
	struct pack_coder *coder = pack_coder_new();
	enum pack_method method;
	const void *out;
	size_t bytes;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		size_t n = round % 5 ? REC_BLOCK : random_below(REC_BLOCK + 1);

		for (size_t i = 0; i < REC_BLOCK; i++)
			block[i] = round % 3 == 0 ? 0
				: round % 3 == 1  ? (uint8_t)random_below(256)
						  : (uint8_t)random_below(2);
		for (size_t i = 0; round % 3 == 0 && i < 100; i++)
			block[random_below(REC_BLOCK)] = (uint8_t)random_below(256);
		pack_encode(coder, block, n, round % 2 ? UINT64_MAX : round % 4, &method, &out, &bytes);
		memcpy(copy, out, bytes);             /* out is the coder's own memory */
		memset(back, 0xee, sizeof(back));
		assert_true(pack_decode(coder, method, copy, bytes, back, n));
		assert_memory_equal(block, back, n);
	}
	assert_false(pack_decode(coder, PACK_COLUMNS, "nonsense", 8, back, REC_BLOCK));
	assert_false(pack_decode(coder, PACK_ZSTD, "nonsense", 8, back, REC_BLOCK));
	assert_false(pack_decode(coder, PACK_STORED, "nonsense", 8, back, REC_BLOCK));
	pack_coder_free(coder);
}

/* A cut packed file says so; a destroyed block costs that block. */
static void damaged_packed_file_is_told(void **state)
{
	struct gt_err err = { 0 };
	struct gt_reader *r;
	struct gt_cursor *c;
	struct gt_rec rec;
	struct stat st;
	unsigned n = 0;
	int fd;

	(void)state;
	build_mixed();
	assert_int_equal(gt_pack(path, packed, &err), 0);
	assert_int_equal(stat(packed, &st), 0);
	fd = open(packed, O_RDWR);
	assert_int_equal(pwrite(fd, "garbage in a block of records", 29, st.st_size / 2), 29);
	r = open_trace(packed);
	assert_true(gt_reader_lost(r, REC_LOSS_DAMAGED) >= 1);
	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1)
		n++;
	assert_true(n > 50000);
	gt_cursor_close(c);
	gt_reader_close(r);
	for (off_t size = 0; size < st.st_size; size += st.st_size / 50) {
		struct gt_reader *none = NULL;

		assert_int_equal(ftruncate(fd, st.st_size - 1 - size), 0);
		assert_int_equal(gt_reader_open(packed, &none, &err), -1);
		assert_int_equal(err.kind, GT_EXIT_INPUT);
	}
	close(fd);
}

/* A few calls and a content: small enough to be damaged byte by byte. */
static void build_small(void)
{
	uint64_t words[8] = { 1, 2, 3 }, id[2] = { 7, 8 };
	struct tb *tb = tb_open(path);
	struct tb_process *p;
	struct tb_stream *s;

	tb_table(tb, "T\t1\n", 4);
	p = tb_process(tb, 10);
	tb_fact(p, "start_tick", "1000");
	s = tb_stream(p);
	tb_thread(s, 1000, 10, true, "main");
	for (uint32_t i = 0; i < 40; i++)
		tb_call_u32(s, FN, 1000 + i * 100, 50, 0, i, words, 3);
	tb_blob(s, REC_BLOB_SOURCE, id, words, sizeof(words), sizeof(words));
	tb_close(tb);
}

/* No byte of a packed trace can change unnoticed: it is refused, or it says that it is damaged. */
static void every_changed_byte_is_told(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	build_small();
	assert_int_equal(gt_pack(path, packed, &(struct gt_err){ 0 }), 0);
	fd = open(packed, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 0; at < st.st_size; at++) {
		struct gt_err err = { 0 };
		struct gt_reader *r = NULL;
		uint8_t was, changed;

		assert_int_equal(pread(fd, &was, 1, at), 1);
		changed = (uint8_t)(was ^ (1u << random_below(8)));
		assert_int_equal(pwrite(fd, &changed, 1, at), 1);
		if (!gt_reader_open(packed, &r, &err) && !gt_reader_lost(r, REC_LOSS_DAMAGED))
			fail_msg("byte %ld of %ld: %02x read as %02x, and nothing said", (long)at, (long)st.st_size,
				changed, was);
		gt_reader_close(r);
		assert_int_equal(pwrite(fd, &was, 1, at), 1);
	}
	close(fd);
}

/* As the first version was: no sums, 16 bytes for each block. */
static void make_unsummed(int fd)
{
	struct pack_header h;
	struct pack_block b;

	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	for (uint64_t i = 0; i < h.n_blocks; i++) {
		off_t at = (off_t)h.blocks_offset;

		assert_int_equal(pread(fd, &b, sizeof(b), at + (off_t)(i * sizeof(b))), sizeof(b));
		assert_int_equal(pwrite(fd, &b, PACK_BLOCK_UNSUMMED, at + (off_t)(i * PACK_BLOCK_UNSUMMED)),
			PACK_BLOCK_UNSUMMED);
	}
	h.version = PACK_VERSION_UNSUMMED;
	h.sum = 0;
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(ftruncate(fd, (off_t)(h.blocks_offset + h.n_blocks * PACK_BLOCK_UNSUMMED)), 0);
}

/* What was packed before there were sums is read as it was. */
static void first_version_is_read(void **state)
{
	struct gt_err err = { 0 };
	struct gt_reader *r;
	struct gt_cursor *c;
	struct gt_rec rec;
	unsigned calls = 0;
	int fd;

	(void)state;
	build_small();
	assert_int_equal(gt_pack(path, packed, &err), 0);
	fd = open(packed, O_RDWR);
	make_unsummed(fd);
	close(fd);
	r = open_trace(packed);
	assert_int_equal(gt_reader_lost(r, REC_LOSS_DAMAGED), 0);
	assert_int_equal(gt_cursor_open(r, -1, &c, &err), 0);
	while (gt_cursor_next(c, &rec, &err) == 1)
		calls += rec.id == FN;
	assert_int_equal(calls, 40);
	gt_cursor_close(c);
	gt_reader_close(r);
}

/* ---- claims: a packed file that says that it holds more than it does is refused, and takes no memory for it */

struct tables { struct pack_header h; struct pack_file files[8]; struct pack_block blocks[8]; };

static void read_packed(struct tables *t)
{
	int fd = open(packed, O_RDONLY);

	assert_int_equal(pread(fd, &t->h, sizeof(t->h), 0), sizeof(t->h));
	assert_true(t->h.n_files <= 8 && t->h.n_blocks <= 8);
	assert_true(pread(fd, t->files, t->h.n_files * sizeof(t->files[0]), (off_t)t->h.files_offset) > 0);
	assert_true(pread(fd, t->blocks, t->h.n_blocks * sizeof(t->blocks[0]), (off_t)t->h.blocks_offset) > 0);
	close(fd);
}

/* The first n_files and n_blocks of them; the header's numbers may say others. */
static void write_tables(struct tables *t, uint64_t n_files, uint64_t n_blocks)
{
	int fd = open(packed, O_WRONLY);

	if (t->h.n_files == n_files && t->h.n_blocks == n_blocks)
		t->h.sum = pack_tables_sum(&t->h, t->files, t->blocks);
	assert_int_equal(pwrite(fd, &t->h, sizeof(t->h), 0), sizeof(t->h));
	assert_true(pwrite(fd, t->files, n_files * sizeof(t->files[0]), (off_t)t->h.files_offset) > 0);
	assert_true(pwrite(fd, t->blocks, n_blocks * sizeof(t->blocks[0]), (off_t)t->h.blocks_offset) > 0);
	close(fd);
}

/* For in_child: opens the packed trace and asks for its table; what was refused. */
static void table_is_refused(char *said, size_t room)
{
	struct gt_err err = { 0 };
	struct gt_reader *r = NULL;
	const char *text;
	size_t bytes;

	if (gt_reader_open(packed, &r, &err) < 0 || gt_reader_table(r, &text, &bytes, &err) < 0)
		snprintf(said, room, "%s: %s", err.what, err.why);
	gt_reader_close(r);
}

static void output_is_read(char *said, size_t room)
{
	struct gt_err err = { 0 };
	struct gt_reader *r = NULL;
	size_t bytes = 0;
	char *text = gt_reader_open(packed, &r, &err) < 0 ? NULL : gt_reader_output(r, 1, &bytes);

	snprintf(said, room, "%.2s and %zu bytes", text ? text : "none", bytes);
	free(text);
	gt_reader_close(r);
}

/* What `look` says, which runs in a child of its own, and how many KiB it had at most. */
static const char *in_child(void (*look)(char *said, size_t room), long *kib)
{
	static char said[2048];
	struct rusage used;
	int status, ends[2];
	ssize_t n = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		memset(said, 0, sizeof(said));
		look(said, sizeof(said));
		_exit(write(ends[1], said, strlen(said)) < 0);
	}
	close(ends[1]);
	assert_int_equal(wait4(pid, &status, 0, &used), pid);
	assert_int_equal(status, 0);
	n = read(ends[0], said, sizeof(said) - 1);
	close(ends[0]);
	said[n > 0 ? n : 0] = 0;
	*kib = used.ru_maxrss;
	return said;
}

/* ... which must be `expected`, in little more than the trace as it was made took. */
static void claim_takes_nothing(void (*look)(char *said, size_t room), const char *expected, long kib_before)
{
	long kib;
	const char *said = in_child(look, &kib);

	if (!strstr(said, expected))
		fail_msg("\"%s\", not \"%s\"", said, expected);
	/* valgrind writes to each page that it gives */
	if (kib > kib_before + 16384 && !getenv("UNDER_VALGRIND"))
		fail_msg("%ld KiB, %ld for the trace as it was (\"%s\")", kib, kib_before, said);
}

static void numbers_that_claim_more_are_refused(void **state)
{
	/* The third is so large that its bytes are few again, modulo 2^64. */
	static const uint64_t claims[] = { 1ull << 27, 1ull << 40, UINT64_MAX / sizeof(struct pack_block) + 1,
		UINT64_MAX / sizeof(struct pack_file) + 1 };
	struct tables made, t;
	long kib;

	(void)state;
	build_small();
	assert_int_equal(gt_pack(path, packed, &(struct gt_err){ 0 }), 0);
	read_packed(&made);
	assert_string_equal(in_child(table_is_refused, &kib), "");
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		t = made;
		t.h.n_files = claims[i];
		write_tables(&t, made.h.n_files, made.h.n_blocks);
		claim_takes_nothing(table_is_refused, ": damaged packed trace: the file was cut", kib);
		t = made;
		t.h.n_blocks = claims[i];
		write_tables(&t, made.h.n_files, made.h.n_blocks);
		claim_takes_nothing(table_is_refused, ": damaged packed trace: the file was cut", kib);
	}
	for (uint64_t i = 0; i < made.h.n_files; i++) {
		t = made;
		t.files[i].size = 3ull << 30;
		write_tables(&t, made.h.n_files, made.h.n_blocks);
		claim_takes_nothing(table_is_refused, ": damaged packed trace: the file was cut", kib);
		t.files[i].size = UINT64_MAX;
		write_tables(&t, made.h.n_files, made.h.n_blocks);
		claim_takes_nothing(table_is_refused, ": damaged packed trace: the file was cut", kib);
	}
}

/* The trace's table and output.1, as they are to be packed: `bytes` of `data`, then zeros up to `size`. */
static void replace_file(const char *name, const void *data, size_t bytes, off_t size)
{
	char file[128];
	int fd;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, data, bytes), bytes);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static void files_that_claim_more_take_no_memory(void **state)
{
	/* A zstd frame of one segment that says that it holds 60 MiB, and a block of 4 bytes that repeats a zero. */
	static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0xc0, 0x03, 3, 0, 0x10, 0 };
	struct tables t;
	char table[GT_STORE_NAME_MAX] = "";
	long kib;

	(void)state;
	build_small();
	replace_file("output.1", "ab", 2, 2);
	assert_int_equal(gt_pack(path, packed, &(struct gt_err){ 0 }), 0);
	read_packed(&t);
	for (uint64_t i = 0; i < t.h.n_files; i++)
		if (!strncmp(t.files[i].name, "table.", 6))
			memcpy(table, t.files[i].name, sizeof(table));
	assert_string_equal(in_child(output_is_read, &kib), "ab and 2 bytes");
	replace_file(table, frame, sizeof(frame), sizeof(frame));
	replace_file("output.1", "ab", 2, 64 << 20);
	assert_int_equal(gt_pack(path, packed, &(struct gt_err){ 0 }), 0);
	claim_takes_nothing(table_is_refused, ".zst: not a function table: the file was cut", kib);
	claim_takes_nothing(output_is_read, "ab and 67108864 bytes", kib);
	replace_file(table, "", 0, 64 << 20);
	assert_int_equal(gt_pack(path, packed, &(struct gt_err){ 0 }), 0);
	claim_takes_nothing(table_is_refused, ".zst: not a function table: the file was cut", kib);
	replace_file(table, "", 0, 65 << 20);
	assert_int_equal(gt_pack(path, packed, &(struct gt_err){ 0 }), 0);
	claim_takes_nothing(table_is_refused, ".zst: 68157440 bytes are too many for this file", kib);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_paths, remove_paths)
	const struct CMUnitTest tests[] = {
		TEST(packed_trace_has_the_same_records),
		TEST(packed_trace_has_everything_else),
		TEST(packing_again_changes_nothing),
		TEST(blocks_come_back),
		TEST(damaged_packed_file_is_told),
		TEST(every_changed_byte_is_told),
		TEST(first_version_is_read),
		TEST(numbers_that_claim_more_are_refused),
		TEST(files_that_claim_more_take_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
