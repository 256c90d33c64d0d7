/*
 * tests/unit/test_temporary.c - common/temporary: a file while it is written is new, and its maker's alone
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants those above first */
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/plain/unfinished.h"
#include "common/temporary.h"

static char place[] = "test_temporary-XXXXXX";

static void victim(void)
{
	int fd = open("victim", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, "mine", 4), 4);
	close(fd);
}

static void assert_left_alone(void)
{
	struct stat st;

	assert_int_equal(stat("victim", &st), 0);
	assert_int_equal(st.st_size, 4);
}

static void what_stands_there_is_left_alone(void **state)
{
	(void)state;
	victim();
	assert_int_equal(gt_create_own("victim", O_WRONLY), -1);
	assert_int_equal(errno, EEXIST);
	assert_left_alone();
}

/* Whether it leads to a file or to a place where there is none yet. */
static void no_link_is_followed(void **state)
{
	(void)state;
	victim();
	assert_int_equal(symlink("victim", "link"), 0);
	assert_int_equal(gt_create_own("link", O_WRONLY), -1);
	assert_left_alone();
	assert_int_equal(symlink("nobody", "dangling"), 0);
	assert_int_equal(gt_create_own("dangling", O_WRONLY), -1);
	assert_int_equal(access("nobody", F_OK), -1);
}

static void a_file_is_its_makers_alone_whatever_the_umask(void **state)
{
	static const mode_t masks[] = { 0, 0777, 022 };
	struct stat st;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		mode_t before = umask(masks[i]);
		int fd = gt_create_own("own", O_WRONLY);

		umask(before);
		assert_int_not_equal(fd, -1);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		close(fd);
		unlink("own");
	}
}

static void two_names_of_one_file_differ(void **state)
{
	char a[256], b[256];

	(void)state;
	assert_true(gt_temporary_name("run.atp", a, sizeof a) && gt_temporary_name("run.atp", b, sizeof b));
	assert_string_not_equal(a, b);
	assert_memory_equal(a, "run.atp.", 8);
	assert_string_equal(a + strlen(a) - 5, ".part");
}

/* Names that a person may have chosen are not taken for ours. */
static void an_unfinished_name_is_known_by_all_of_it(void **state)
{
	static const char *const others[] = { "t.atp", "t.atp.part", "t.atp.0123456789abcdef.part",
		"t.atp.0123456789abcdef-0123456789abcde.part", "t.atp.0123456789abcdef-0123456789abcdeX.part",
		"t.atp.0123456789abcdef-0123456789abcdef.parts", "t.atp.0123456789abcdef-0123456789abcdef",
		"u.atp.0123456789abcdef-0123456789abcdef.part", "t.at.0123456789abcdef-0123456789abcdef.part",
		"", "t.atp." };
	char name[256];

	(void)state;
	assert_true(gt_temporary_name("t.atp", name, sizeof name) && gc_unfinished_is_of(name, "t.atp"));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(gc_unfinished_is_of(others[i], "t.atp"));
}

static void make(const char *name)
{
	int fd = gt_create_own(name, O_WRONLY);

	assert_true(fd >= 0);
	close(fd);
}

static void what_a_killed_process_left_goes_with_the_next_that_replaces(void **state)
{
	char left[256], beside[300], used[256], others[256], new[256];

	(void)state;
	assert_true(gt_temporary_name("t.atp", left, sizeof left) && gt_temporary_name("t.atp", used, sizeof used) &&
		gt_temporary_name("u.atp", others, sizeof others) && gt_temporary_name("t.atp", new, sizeof new));
	snprintf(beside, sizeof beside, "%s.4711.part", left);
	make(left);
	make(beside);
	make(used);
	make(others);
	make(new);
	make("t.atp.part");
	int fd = open(used, O_RDONLY | O_CLOEXEC);

	assert_int_equal(gt_temporary_put(new, "t.atp", true), 0);
	assert_int_equal(access("t.atp", F_OK), 0);
	assert_int_not_equal(access(left, F_OK), 0);
	assert_int_not_equal(access(beside, F_OK), 0);
	assert_int_equal(access(used, F_OK), 0);        /* its process goes on */
	assert_int_equal(access(others, F_OK), 0);
	assert_int_equal(access("t.atp.part", F_OK), 0);
	close(fd);
	make(new);
	assert_int_equal(gt_temporary_put(new, "t.atp", true), 0);
	assert_int_not_equal(access(used, F_OK), 0);
	make(new);
	make(left);
	assert_int_equal(unlink("t.atp"), 0);
	assert_int_equal(gt_temporary_put(new, "t.atp", false), 0);
	assert_int_equal(access(left, F_OK), 0);        /* nobody said that something may go */
	assert_int_equal(unlink(left) | unlink(others) | unlink("t.atp.part") | unlink("t.atp"), 0);
}

static int in_a_place_of_its_own(void **state)
{
	(void)state;
	return !mkdtemp(place) || chdir(place);
}

static int leave(void **state)
{
	(void)state;
	unlink("victim");
	unlink("link");
	unlink("dangling");
	return chdir("..") || rmdir(place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stands_there_is_left_alone),
		cmocka_unit_test(no_link_is_followed),
		cmocka_unit_test(a_file_is_its_makers_alone_whatever_the_umask),
		cmocka_unit_test(two_names_of_one_file_differ),
		cmocka_unit_test(an_unfinished_name_is_known_by_all_of_it),
		cmocka_unit_test(what_a_killed_process_left_goes_with_the_next_that_replaces),
	};

	return cmocka_run_group_tests(tests, in_a_place_of_its_own, leave);
}
