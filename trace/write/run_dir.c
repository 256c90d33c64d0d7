/*
 * trace/write/run_dir.c - the directory of a run: found, or made complete
 *
 * Runs      on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * The first image that records makes NAME.gputap, complete with its `run` file, by one rename: whoever sees the
 * directory sees whose it is.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/run.h"

enum { EXISTS = 17, NOT_EMPTY = 39 };           /* errno values: raw calls return them negated */

/* Whether the `run` file in dir names this run. */
static bool is_this_run(const char *dir)
{
	char path[TAP_PATH_MAX];

	tap_run_path(path, dir, "/run");
	int fd = tap_sys_open(path, O_RDONLY | O_NOFOLLOW, 0);

	if (fd < 0)
		return false;
	long n = tap_sys_read(fd, tap_run.scratch, sizeof tap_run.scratch - 1);

	tap_sys_close(fd);
	tap_run.scratch[n > 0 ? n : 0] = 0;
	const char *at = __builtin_strstr(tap_run.scratch, "run_id=");

	return at && (at == tap_run.scratch || at[-1] == '\n') && __builtin_strncmp(at + 7, tap_run.id, 16) == 0;
}

/* Removes a directory of two levels; what else may lie in it stays, and keeps it. */
static void remove_tree(const char *dir, int levels)
{
	struct entry { uint64_t inode; int64_t next; uint16_t bytes; uint8_t type; char name[]; };
	char names[2048] __attribute__((aligned(8)));
	int fd = tap_sys_open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	long n;

	if (fd < 0)
		return;
	while ((n = TAP_SYS(getdents64, fd, names, sizeof names, 0, 0, 0)) > 0)
		for (long at = 0; at < n; at += ((struct entry *)(names + at))->bytes) {
			struct entry *e = (struct entry *)(names + at);

			if (tap_text_equal(e->name, ".") || tap_text_equal(e->name, ".."))
				continue;
			if (TAP_SYS(unlinkat, fd, e->name, 0, 0, 0, 0) == 0 || !levels)
				continue;
			char path[TAP_PATH_MAX];
			struct tap_text t;

			tap_text_init(&t, path, sizeof path);
			tap_text_str(&t, dir);
			tap_text_char(&t, '/');
			tap_text_str(&t, e->name);
			remove_tree(path, levels - 1);
		}
	tap_sys_close(fd);
	tap_sys_unlink(dir, AT_REMOVEDIR);
}

/*
 * Only what looks like a trace is replaced, and it is moved aside first: a reader never sees half of it under its name.
 */
static void replace(const char *dir)
{
	char path[TAP_PATH_MAX];

	tap_run_path(path, dir, "/run");
	int fd = tap_sys_open(path, O_RDONLY | O_NOFOLLOW, 0);

	if (fd < 0)
		return;
	tap_sys_close(fd);
	struct tap_text t;

	tap_text_init(&t, path, sizeof path);
	tap_text_str(&t, dir);
	tap_text_str(&t, ".old-");
	tap_text_str(&t, tap_run.id);
	if (tap_sys_rename_new(dir, path) == 0)
		remove_tree(path, 1);
}

/* Makes the directory under a name of its own and moves it to its place when it can be recognised. */
static int make_run_dir(const char *dir)
{
	char path[TAP_PATH_MAX];
	struct tap_text t;

	tap_text_init(&t, path, sizeof path);
	tap_text_str(&t, dir);
	tap_text_str(&t, ".new-");
	tap_text_u64(&t, tap_sys_getpid());
	int err = tap_sys_mkdir(path, 0777);

	if (err < 0 && err != -EXISTS)
		return err;
	err = tap_run_write_run(path) ? tap_sys_rename_new(path, dir) : -1;
	if (err < 0)
		remove_tree(path, 0);
	return err;
}

bool tap_run_dir_find(void)
{
	for (uint32_t n = 1; n < 100000; n++) {
		if (!tap_run_name_path(tap_run.dir, n, ""))
			return false;
		if (TAP_SYS(faccessat, AT_FDCWD, tap_run.dir, 0, 0, 0, 0) == 0) {
			if (is_this_run(tap_run.dir))
				return true;
			if (!tap_options.force)
				continue;
			replace(tap_run.dir);
		}
		int err = make_run_dir(tap_run.dir);

		if (err == 0 || is_this_run(tap_run.dir))   /* another image of this run may have been quicker */
			return true;
		if (err != -EXISTS && err != -NOT_EMPTY)
			return false;                   /* not writable, no such place, disk full */
	}
	return false;
}

bool tap_run_find(void)
{
	if (tap_gate->alive)
		return true;
	for (uint32_t n = 1; n < 100000; n++) {
		if (!tap_run_name_path(tap_run.dir, n, "") || TAP_SYS(faccessat, AT_FDCWD, tap_run.dir, 0, 0, 0, 0) < 0)
			return false;
		if (is_this_run(tap_run.dir))
			return true;
	}
	return false;
}
