/*
 * tests/unit/test_stage.c - chunks that a killed program left in a window are read from there
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format/rec.h"
#include "trace/read/store.h"

#define PLACE (2 * REC_BLOCK)           /* of the window; its image is one block */
#define TARGET (4 * REC_BLOCK)
#define FILE_BYTES (5 * REC_BLOCK)

static char dir[64];

/* A stream whose block at TARGET is old ('o') in its place and new ('n') in the window, unless target is 0. */
static void make_stream(uint64_t target)
{
	static unsigned char data[FILE_BYTES];
	struct rec_chunk first = { .magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_CALLS, .version = 1, .bytes = 12288 };
	struct rec_chunk second = {
		.magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_CALLS, .version = 1, .bytes = REC_BLOCK
	};
	struct rec_chunk window = { .magic = REC_CHUNK_MAGIC, .kind = REC_CHUNK_STAGE, .version = 1,
	                            .bytes = REC_STAGE_IMAGE + REC_BLOCK, .rec_stage_target = target };
	char path[128];

	memset(data, 0, sizeof data);
	memcpy(data + REC_CONTROL_BYTES, &first, sizeof first);
	memcpy(data + REC_BLOCK, &second, sizeof second);
	memcpy(data + PLACE, &window, sizeof window);
	memset(data + PLACE + REC_STAGE_IMAGE, 'n', REC_BLOCK);
	memset(data + TARGET, 'o', REC_BLOCK);
	strcpy(dir, "/tmp/gputap-stage-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/7.1", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/7.1/0.str", dir);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_int_equal(write(fd, data, sizeof data), sizeof data);
	close(fd);
}

static void read_around_target(char *to, uint64_t before, size_t bytes)
{
	struct gt_store *store = NULL;
	struct gt_err err = { 0 };
	char command[128];

	assert_int_equal(gt_store_open(dir, &store, &err), 0);
	uint32_t file = gt_store_find(store, "7.1/0.str");

	assert_int_not_equal(file, GT_STORE_NONE);
	assert_int_equal(store->read(store, file, TARGET - before, to, bytes), bytes);
	gt_store_close(store);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

/* A window with a target counts instead of what stands in the chunk's place. */
static void a_window_counts_instead_of_the_place(void **state)
{
	char got[24];

	(void)state;
	make_stream(TARGET);
	read_around_target(got, 8, sizeof got);
	assert_memory_equal(got, "\0\0\0\0\0\0\0\0", 8);        /* before it: what stands in the file */
	assert_memory_equal(got + 8, "nnnnnnnnnnnnnnnn", 16);
}

/* A window without one holds nothing. */
static void an_empty_window_counts_nothing(void **state)
{
	char got[16];

	(void)state;
	make_stream(0);
	read_around_target(got, 0, sizeof got);
	assert_memory_equal(got, "oooooooooooooooo", 16);
}

/* A target outside of what a file can have is no reason to read elsewhere. */
static void a_wild_target_is_ignored(void **state)
{
	char got[16];

	(void)state;
	make_stream(UINT64_MAX - 7);
	read_around_target(got, 0, sizeof got);
	assert_memory_equal(got, "oooooooooooooooo", 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_window_counts_instead_of_the_place),
		cmocka_unit_test(an_empty_window_counts_nothing),
		cmocka_unit_test(a_wild_target_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
