/*
 * trace/write/run/dir.c - the directory of a run: found, or made complete
 *
 * Runs      on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * The first image that records makes NAME.gputap, complete with its `run` file, by one rename: whoever sees the
 * directory sees whose it is. Where a directory cannot be renamed (an overlay without extended attributes) it is made
 * in its place, and who comes second waits for the file.
 *
 * RUNDIR1  A trace is its maker's alone. Only where that is root may other users' processes of the run add to it, since
 *          daemons drop their privileges: they can pass through the directory, and have one of their own, `other`, that
 *          all may write to and nobody may list. The empty file in it tells them by its name whose it is.
 *
 * RUNDIR2  What cannot be made where it was asked for stands in the folder for temporary files, and a note says so: a
 *          working directory that was deleted, a place that a user other than the first may not write to.
 *
 * RUNDIR3  A launcher makes the directory before the program starts, and a child finds its parent's. Where neither is
 *          there it was removed or moved, with what it held: `run` of the one that is made in its place says so.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/stat.h>

#include "common/plain/unfinished.h"
#include "common/plain/without.h"
#include "trace/write/entries.h"
#include "trace/write/run/run.h"

/* errno values: raw calls return them negated */
enum { NO_ENTRY = 2, EXISTS = 17, CROSS_DEVICE = 18, NOT_EMPTY = 39 };

/* ----------------------------------------------------------------- whose is it */

/* The beginning of dir's `run` file, in the scratch memory; false: there is none that can be read. */
static bool read_run(const char *dir)
{
	char *path = tap_scratch_take();

	tap_run_path(path, dir, "/run");
	int fd = tap_sys_open(path, O_RDONLY | O_NOFOLLOW, 0);

	tap_scratch_give(path);
	if (fd < 0)
		return false;
	long n = tap_sys_read(fd, tap_run.scratch, sizeof tap_run.scratch - 1);

	tap_sys_close(fd);
	tap_run.scratch[n > 0 ? n : 0] = 0;
	return true;
}

/* What stands behind the key at the beginning of a line of the scratch memory, or NULL. */
static const char *line_of(const char *key)
{
	const char *at = __builtin_strstr(tap_run.scratch, key);

	return at && (at == tap_run.scratch || at[-1] == '\n') ? at + tap_text_length(key) : NULL;
}

/* folder: "/" or "/other/" */
static void marker_path(char *path, const char *dir, const char *folder)
{
	struct tap_text t;

	tap_text_init(&t, path, TAP_PATH_MAX);
	tap_text_str(&t, dir);
	tap_text_str(&t, folder);
	tap_text_str(&t, tap_run.id);
}

static bool is_there(const char *path) { return TAP_SYS(faccessat, AT_FDCWD, path, 0, 0, 0, 0) == 0; }

static bool has_marker(const char *dir, const char *folder)
{
	char *path = tap_scratch_take();
	bool there;

	marker_path(path, dir, folder);
	there = is_there(path);
	tap_scratch_give(path);
	return there;
}

/*
 * By its `run` file, or by the name of an empty file: in `other` for another user (RUNDIR1), beside `run` for who has
 * no descriptor left to open that.
 */
static bool is_this_run(const char *dir)
{
	if (read_run(dir)) {
		const char *id = line_of("run_id=");

		return id && __builtin_strncmp(id, tap_run.id, 16) == 0;
	}
	return has_marker(dir, "/other/") || (has_marker(dir, "/") && !gc_without("run-by-name"));
}

/* Made in its place and not finished: there is no `run` file yet, or what goes into it by one write is not. */
static bool is_being_made(const char *dir)
{
	char *path = tap_scratch_take();
	long err;

	tap_run_path(path, dir, "/run");
	err = TAP_SYS(faccessat, AT_FDCWD, path, 0, 0, 0, 0);
	tap_scratch_give(path);
	if (err == -NO_ENTRY)
		return is_there(dir);           /* else whoever began it could not, and took it away */
	return read_run(dir) && !tap_run.scratch[0];
}

enum { WAIT_MS = 2000 };                /* for whoever makes it, on a machine that has much else to do */

/* As is_this_run; of a directory that is being made, a while later. */
static bool becomes_this_run(const char *dir)
{
	int64_t pause[2] = { 0, 1000000 };      /* seconds, ns */

	for (int i = 0; i < WAIT_MS; i++) {
		bool made = !is_being_made(dir);        /* asked first: what is made by then has its name */

		if (is_this_run(dir))
			return true;
		if (made || tap_run.launched)
			return false;
		TAP_SYS(nanosleep, pause, NULL, 0, 0, 0, 0);
	}
	return false;
}

/* --------------------------------------------------------------------- removing */

static bool digits(const char **s)
{
	const char *from = *s;

	while (**s >= '0' && **s <= '9')
		(*s)++;
	return *s != from;
}

/* 16 hexadecimal digits: the file that tells other users whose trace this is. */
static bool is_run_id(const char *name)
{
	size_t n = 0;

	while ((name[n] >= '0' && name[n] <= '9') || (name[n] >= 'a' && name[n] <= 'f'))
		n++;
	return n == 16 && !name[n];
}

static bool begins(const char *name, const char *with) { return !__builtin_strncmp(name, with, tap_text_length(with)); }

/* Whether a trace may hold this: the run's own files, folders PID.N, and what stands in those. */
static bool name_is_ours(const char *name)
{
	static const char *const files[] = { "run", "cuda-args.zst", "output.1", "output.2", "export.lock",
		"export.log", "meta", "debug.log", "other", "lost" };
	const char *s = name;

	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (tap_text_equal(name, files[i]))
			return true;
	if (begins(name, "table.") || begins(name, "functions.") || begins(name, "mark.") || is_run_id(name))
		return true;
	if (!digits(&s) || *s++ != '.')
		return false;
	return tap_text_equal(s, "str") || (digits(&s) && !*s);
}

enum errand { LOOK, REMOVE };

/* Goes through a directory and those below it. LOOK: false when something in it is not ours. */
static bool tree(const char *dir, int levels, enum errand errand)
{
	int fd = tap_sys_open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	char *path = tap_scratch_take(), *names = tap_scratch_take();
	struct tap_entries e = { .fd = fd, .room = names, .size = TAP_SCRATCH_BYTES };
	bool ours = path && names;

	for (const char *name; fd >= 0 && ours && (name = tap_entries_next(&e));) {
		struct tap_text t;

		if (tap_text_equal(name, ".") || tap_text_equal(name, ".."))
			continue;
		if (errand == LOOK)
			ours = name_is_ours(name);
		else if (TAP_SYS(unlinkat, fd, name, 0, 0, 0, 0) == 0)
			continue;
		if (!levels || !ours)
			continue;
		tap_text_init(&t, path, TAP_PATH_MAX);
		tap_text_str(&t, dir);
		tap_text_char(&t, '/');
		tap_text_str(&t, name);
		ours = tree(path, levels - 1, errand);
	}
	tap_scratch_give(names);
	tap_scratch_give(path);
	if (fd >= 0)
		tap_sys_close(fd);
	if (errand == REMOVE)
		tap_sys_unlink(dir, AT_REMOVEDIR);
	return ours;
}

enum { TRACE_LEVELS = 2 };              /* other/PID.N/K.str */

static bool unfinished_name(char *path, const char *final)
{
	uint64_t random = 0;

	if (TAP_SYS(getrandom, &random, sizeof random, 1 /* GRND_NONBLOCK */, 0, 0, 0) != sizeof random)
		random = tap_tick() * 0x9e3779b97f4a7c15ull ^ (uint64_t)tap_sys_gettid() << 32;
	return gc_unfinished_name(final, tap_run.id, random, path, TAP_PATH_MAX);
}

/*
 * Only what is a trace is replaced, and nothing that holds something else; it is moved aside first: a reader never sees
 * half of it under its name.
 */
static void replace(const char *dir)
{
	char *path;

	if (!read_run(dir) || !line_of("format=") || !line_of("run_id=") || !tree(dir, TRACE_LEVELS, LOOK))
		return;
	path = tap_scratch_take();
	if (path && unfinished_name(path, dir)) {
		int err = tap_sys_rename_new(dir, path);

		if (err == 0 || err == -CROSS_DEVICE)
			tree(err ? dir : path, TRACE_LEVELS, REMOVE);
	}
	tap_scratch_give(path);
}

/* ----------------------------------------------------------------------- making */

/* RUNDIR1. A failure costs other users' records, of which they leave a mark. */
static void open_to_others(const char *dir, char *path)
{
	if (TAP_SYS(geteuid, 0, 0, 0, 0, 0, 0) != 0)
		return;
	tap_run_path(path, dir, "/other");
	if (tap_sys_mkdir_own(path) != 0)
		return;
	marker_path(path, dir, "/other/");
	int fd = tap_sys_create_own(path, O_WRONLY);

	if (fd >= 0)
		tap_sys_close(fd);
	tap_run_path(path, dir, "/other");
	TAP_SYS(fchmodat, AT_FDCWD, path, 01733, 0, 0, 0);
	TAP_SYS(fchmodat, AT_FDCWD, dir, 0711, 0, 0, 0);
}

/* What `gputap run --pack` made of the trace, which is its own from then on. */
static bool is_packed(void)
{
	char *path = tap_scratch_take();
	struct stat st;
	bool packed = path && tap_run_name_path(path, 1, "") &&
		TAP_SYS(newfstatat, AT_FDCWD, path, &st, 0, 0, 0) == 0 && S_ISREG(st.st_mode);

	tap_scratch_give(path);
	return packed;
}

/* RUNDIR3 */
static bool is_made_again(void)
{
	return (tap_run.launched || tap_run.parent_name[0]) && !tap_run_is_elsewhere() && !is_packed() &&
		!gc_without("made-again");
}

/* The empty directory becomes a trace. */
static int fill(const char *dir)
{
	char *path;

	if (!tap_run_write_run(dir, is_made_again()))
		return -28;                     /* ENOSPC, most likely */
	path = tap_scratch_take();
	open_to_others(dir, path);
	marker_path(path, dir, "/");
	TAP_SYS(mknodat, AT_FDCWD, path, S_IFREG | 0600, 0, 0, 0);
	tap_scratch_give(path);
	return 0;
}

/* Where a directory cannot be renamed. */
static int make_in_place(const char *dir)
{
	int err = tap_sys_mkdir_own(dir);

	if (err == 0 && (err = fill(dir)) < 0)
		tree(dir, TRACE_LEVELS, REMOVE);
	return err;
}

/* Makes the directory under a name of its own, `path`, and moves it to its place when it can be recognised. */
static int make_run_dir_by(const char *dir, char *path)
{
	int err = -EXISTS;

	for (int tries = 0; err == -EXISTS && tries < 8; tries++)
		err = unfinished_name(path, dir) ? tap_sys_mkdir_own(path) : -36 /* ENAMETOOLONG */;
	if (err < 0)
		return err == -EXISTS ? -1 : err;
	err = fill(path);
	int renamed = err == 0 ? tap_sys_rename_new(path, dir) : 0;

	if (err < 0 || renamed < 0)
		tree(path, TRACE_LEVELS, REMOVE);
	/* What can be made and not renamed (EXDEV, most likely) can be made there. */
	if (renamed < 0 && renamed != -EXISTS && renamed != -NOT_EMPTY && !gc_without("in-place"))
		return make_in_place(dir);
	return err < 0 ? err : renamed;
}

static int make_run_dir(const char *dir)
{
	char *path = tap_scratch_take();
	int err = path ? make_run_dir_by(dir, path) : -12 /* ENOMEM */;

	tap_scratch_give(path);
	return err;
}

/* ---------------------------------------------------------------------- finding */

/* In the place that name.c names now. *err: why not. */
static bool find_or_make(int *err)
{
	for (uint32_t n = 1; n < 100000; n++) {
		if (!tap_run_name_path(tap_run.dir, n, ""))
			return false;
		if (is_there(tap_run.dir)) {
			if (becomes_this_run(tap_run.dir))
				return true;
			if (!tap_options.force)
				continue;
			replace(tap_run.dir);
		}
		*err = make_run_dir(tap_run.dir);
		/* another image of this run may have been quicker */
		if (*err == 0 || becomes_this_run(tap_run.dir))
			return true;
		if (*err != -EXISTS && *err != -NOT_EMPTY)
			return false;                   /* not writable, no such place, disk full */
	}
	return false;
}

bool tap_run_dir_find(void)
{
	int err = 0;

	for (int tries = 0; tries < 2 && tap_run_name_begin(); tries++)        /* what is done again will hold */
		if (find_or_make(&err))
			return true;
	return tap_run_name_elsewhere(-err) && find_or_make(&err);      /* RUNDIR2 */
}

static bool find(void)
{
	for (uint32_t n = 1; n < 100000; n++) {
		if (!tap_run_name_path(tap_run.dir, n, "") || !is_there(tap_run.dir))
			return false;
		if (is_this_run(tap_run.dir))
			return true;
	}
	return false;
}

bool tap_run_find(void)
{
	if (tap_gate->alive)
		return true;
	return (tap_run_name_begin() && find()) || (tap_run_name_elsewhere(0) && find());
}
