/*
 * tests/unit/test_trusted.c - common/trusted: whose files are believed, and that nothing else than a file is opened
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
#include <sys/stat.h>
#include <unistd.h>

#include "common/trusted.h"

enum { STRANGER = 4711, OTHER = 4712, MOST = 4096 };

static char place[] = "test_trusted-XXXXXX", why[GT_TRUST_WHY];

static void make(const char *name, mode_t mode)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	fchmod(fd, mode);
	close(fd);
}

/* 0, or errno */
static int trusted(const char *name, uid_t also)
{
	struct stat st;
	int fd = gt_open_trusted(name, MOST, also, &st);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int regular(const char *name)
{
	struct stat st;
	int fd = gt_open_regular(name, MOST, &st);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int begin(void **state)
{
	(void)state;
	umask(022);
	return !mkdtemp(place) || chdir(place) || mkdir("folder", 0755);
}

static int end(void **state)
{
	(void)state;
	return chdir("..") || system("rm -rf test_trusted-??????");
}

static void nothing_but_a_file_is_opened(void **state)
{
	char *text;
	size_t bytes;
	struct stat st;

	(void)state;
	make("plain", 0644);
	make("large", 0644);
	assert_int_equal(truncate("large", MOST + 1), 0);
	assert_int_equal(mkfifo("fifo", 0644), 0);
	assert_int_equal(symlink("fifo", "to_fifo"), 0);
	assert_int_equal(regular("plain"), 0);
	assert_int_equal(regular("large"), EFBIG);
	assert_int_equal(regular("fifo"), EINVAL);
	assert_int_equal(regular("to_fifo"), EINVAL);
	assert_int_equal(regular("folder"), EINVAL);
	assert_int_equal(regular("/dev/zero"), EINVAL);
	assert_int_equal(regular("none"), ENOENT);
	assert_int_equal(trusted("plain", 0), 0);
	assert_int_equal(trusted("large", 0), EFBIG);
	assert_int_equal(trusted("fifo", 0), EINVAL);
	assert_int_equal(trusted("folder", 0), EINVAL);
	assert_int_equal(trusted("plain/below", 0), ENOTDIR);
	assert_int_equal(trusted("none", 0), ENOENT);
	text = gt_read_opened(gt_open_regular("plain", MOST, &st), MOST, &bytes);
	assert_non_null(text);
	assert_string_equal(text, "text");
	assert_int_equal(bytes, 4);
	free(text);
	assert_null(gt_read_opened(-1, MOST, &bytes));
}

static void what_others_may_write_is_not_trusted(void **state)
{
	(void)state;
	make("folder/open", 0666);
	make("folder/ours", 0644);
	assert_int_equal(trusted("folder/open", 0), EPERM);
	assert_int_equal(trusted("folder/ours", 0), 0);
	assert_int_equal(symlink("folder/ours", "link"), 0);
	assert_int_equal(trusted("link", 0), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(trusted("loop", 0), ELOOP);
	chmod("folder", 0777);
	assert_int_equal(trusted("folder/ours", 0), EPERM);
	assert_int_equal(trusted("link", 0), EPERM);
	assert_int_equal(gt_trust_folder("folder/none", why), GT_TRUST_NO);
	assert_non_null(strstr(why, "/folder"));
	assert_non_null(strstr(why, "others may write to "));
	/* as in /tmp: who may put something there may not touch what is ours */
	chmod("folder", 01777);
	assert_int_equal(trusted("folder/ours", 0), 0);
	assert_int_equal(gt_trust_folder("folder", why), GT_TRUST_NO);
	chmod("folder", 0755);
	assert_int_equal(gt_trust_folder("folder", why), GT_TRUST_YES);
	assert_int_equal(gt_trust_folder("folder/a/b", why), GT_TRUST_MISSING);
	assert_int_equal(gt_trust_folder("link", why), GT_TRUST_NO);
	assert_int_equal(gt_trust_folder("/proc/self/fd", why), GT_TRUST_YES);
}

static void what_belongs_to_a_stranger_is_not_trusted(void **state)
{
	(void)state;
	if (geteuid())
		skip();                         /* only root can give files away */
	make("theirs", 0644);
	assert_int_equal(chown("theirs", STRANGER, STRANGER), 0);
	assert_int_equal(trusted("theirs", 0), EPERM);
	assert_int_equal(trusted("theirs", STRANGER), 0);
	assert_int_equal(trusted("theirs", OTHER), EPERM);
	assert_int_equal(mkdir("home", 0755), 0);
	make("home/root's", 0644);
	assert_int_equal(mkdir("home/folder", 0755), 0);
	assert_int_equal(chown("home", STRANGER, STRANGER), 0);
	assert_int_equal(trusted("home/root's", 0), EPERM);
	assert_int_equal(trusted("home/root's", STRANGER), EPERM);      /* the folder is not its owner's to lend */
	assert_int_equal(gt_trust_folder("home/folder", why), GT_TRUST_NO);
	assert_non_null(strstr(why, "/home belongs to user 4711"));
	/* a link of theirs to a file of ours */
	make("mine", 0644);
	assert_int_equal(symlink("mine", "their_link"), 0);
	assert_int_equal(lchown("their_link", STRANGER, STRANGER), 0);
	assert_int_equal(trusted("their_link", 0), EPERM);
	setenv("HOME", "home", 1);
	assert_true(gt_trust_home());                                   /* no place */
	char whole[4096];

	assert_non_null(getcwd(whole, sizeof whole - 8));
	strcat(whole, "/home");
	setenv("HOME", whole, 1);
	assert_false(gt_trust_home());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_but_a_file_is_opened),
		cmocka_unit_test(what_others_may_write_is_not_trusted),
		cmocka_unit_test(what_belongs_to_a_stranger_is_not_trusted),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
