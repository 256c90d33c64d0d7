/*
 * trace/write/run/name.c - the name of a run: the pattern of --output, answered
 *
 * Runs      init: in the constructor. path: on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * What a launcher hands over has been answered by it: only %n is left, for whoever makes the directory.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "common/plain/pattern.h"
#include "common/plain/without.h"
#include "trace/write/run/run.h"

/* Absolute NAME without .gputap, holding %n and %% alone: as it was asked for, and where temporary files go. */
static char asked[TAP_PATH_MAX], temporary[TAP_PATH_MAX];
static const char *base = asked;        /* the one that is tried now */
static bool no_place;                   /* a name without a place: the working directory is gone */
static int why_elsewhere;               /* errno; 0: not known */
static const char suffix[] = ".gputap";

/*
 * What the program was started as: a script's own name, and a link's. A descriptor's path (fexecve) names nothing: then
 * the file that runs.
 */
static const char *program_name(char *path, size_t room)
{
	const char *started = (const char *)getauxval(AT_EXECFN);
	long n;

	if (started && *started && __builtin_strncmp(started, "/proc/", 6) && __builtin_strncmp(started, "/dev/fd/", 8))
		return started;
	n = tap_sys_readlink("/proc/self/exe", path, room - 1);
	if (n <= 0)
		return "program";
	path[n] = 0;
	return path;
}

static const char *variable(void *ctx, const char *name, size_t bytes)
{
	char word[128];
	struct tap_text t;

	(void)ctx;
	tap_text_init(&t, word, sizeof word);
	tap_text_bytes(&t, name, bytes);
	return t.used == bytes ? tap_environ(word) : NULL;
}

/* Everything but %n, which is answered when the directory is made. What is wrong costs that part of the name. */
static void expand(struct tap_text *t, const char *pattern)
{
	char *path = tap_scratch_take();
	struct utsname host;
	struct gc_word wrong;

	if (TAP_SYS(uname, &host, 0, 0, 0, 0, 0) != 0)
		host.nodename[0] = 0;
	const struct gc_pattern p = {
		.pid = tap_run.root_pid,
		.host = host.nodename,
		.program = program_name(path, TAP_PATH_MAX),
		.variable = variable,
		.keep = true,
	};

	gc_pattern_expand(&p, pattern, t->at + t->used, t->size - t->used, &wrong);
	tap_scratch_give(path);
	t->used += tap_text_length(t->at + t->used);
}

/* Text in which '%' means itself. */
static void put_literally(struct tap_text *t, const char *s)
{
	for (; *s; s++) {
		tap_text_char(t, *s);
		if (*s == '%')
			tap_text_char(t, '%');
	}
}

/* What stands behind the last '/' of `asked`, in the folder for temporary files. */
static void prepare_elsewhere(void)
{
	const char *folder = tap_environ("TMPDIR"), *last = asked;
	struct tap_text t;

	for (const char *s = asked; *s; s++)
		if (*s == '/')
			last = s + 1;
	tap_text_init(&t, temporary, sizeof temporary);
	put_literally(&t, folder && *folder == '/' ? folder : "/tmp");
	tap_text_char(&t, '/');
	tap_text_str(&t, last);
}

/* The working directory and a slash; false: it was deleted, or lies outside of what this process can see. */
static bool put_here(struct tap_text *t)
{
	char *here = tap_scratch_take();
	long n = TAP_SYS(getcwd, here, TAP_PATH_MAX, 0, 0, 0, 0);
	bool there = n > 1 && here[0] == '/';

	put_literally(t, there && here[1] ? here : "");
	tap_scratch_give(here);
	tap_text_char(t, '/');
	return there;
}

static void put_name(struct tap_text *t, const char *pattern, bool answered)
{
	if (answered && !tap_run.launched) {
		tap_text_str(t, pattern);       /* by the root image: %n and %% are left */
		return;
	}
	if (pattern[0] != '/')
		no_place = !put_here(t);
	if (tap_run.launched) {
		put_literally(t, pattern);
		return;
	}
	expand(t, pattern);
	if (t->used > 7 && tap_text_equal(asked + t->used - 7, suffix))
		asked[t->used - 7] = 0;
}

void tap_run_name_init(const char *pattern, bool answered)
{
	struct tap_text t;

	tap_text_init(&t, asked, sizeof asked);
	put_name(&t, pattern, answered);
	prepare_elsewhere();
}

const char *tap_run_name(void) { return no_place ? temporary : asked; }

bool tap_run_name_begin(void)
{
	base = asked;
	return !no_place;
}

/* Where there is no room now there may be some later: only a place that is of no use is given up. */
static bool may_pass(int err)
{
	static const int room[] = { 4 /* EINTR */, 12 /* ENOMEM */, 23 /* ENFILE */, 24 /* EMFILE */, 27 /* EFBIG */,
		28 /* ENOSPC */, 122 /* EDQUOT */ };

	for (size_t i = 0; i < sizeof room / sizeof *room; i++)
		if (err == room[i])
			return true;
	return false;
}

bool tap_run_name_elsewhere(int err)
{
	if (may_pass(err) || gc_without("elsewhere") || tap_text_equal(asked, temporary))
		return false;
	base = temporary;
	why_elsewhere = err;
	return true;
}

bool tap_run_is_elsewhere(void) { return base == temporary; }

void tap_run_name_note(void)
{
	if (no_place)
		tap_note(TAP_PART_CORE, "the program's working directory was deleted: the trace stands in %s",
			tap_run.dir);
	else if (tap_run_is_elsewhere())
		tap_note(TAP_PART_CORE, "no trace could be made at %s (error %d): it stands in %s", asked,
			why_elsewhere, tap_run.dir);
}

/* base with %n answered, behind it "-n" for the second and later tries when there is no %n, ".gputap", `tail`. */
bool tap_run_name_path(char *to, uint32_t n, const char *tail)
{
	bool numbered = gc_pattern_is_numbered(base);
	struct gc_word wrong;
	struct tap_text t;

	tap_text_init(&t, to, TAP_PATH_MAX);
	/* only %n and %% are left */
	gc_pattern_expand(&(struct gc_pattern){ .number = n, .program = "", .host = "", .variable = variable }, base,
		to, TAP_PATH_MAX, &wrong);
	t.used = tap_text_length(to);
	if (!numbered && n > 1) {
		tap_text_char(&t, '-');
		tap_text_u64(&t, n);
	}
	tap_text_str(&t, suffix);
	tap_text_str(&t, tail);
	return t.used + 64 < t.size;
}
