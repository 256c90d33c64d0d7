/*
 * cli/run/name.c - the name of a trace: %p %h %q{VAR} %n %r %i %%
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "common/plain/pattern.h"
#include "trace/read/live.h"
#include "trace/read/pack_format.h"
#include "trace/read/store.h"

static const char *variable(void *ctx, const char *name, size_t bytes)
{
	char word[256];

	(void)ctx;
	return (size_t)snprintf(word, sizeof word, "%.*s", (int)bytes, name) < sizeof word ? getenv(word) : NULL;
}

static int expand(const struct gt_run *run, uint64_t number, char *out, size_t room, struct gt_err *err)
{
	char host[256] = "";
	const struct gc_pattern p = { .pid = (uint64_t)run->pid, .host = host, .program = run->command[0],
		.variable = variable, .number = number };
	struct gc_word wrong;

	gethostname(host, sizeof host - 1);
	room -= 16;             /* ".gputap", and what is put behind it */
	switch (gc_pattern_expand(&p, gt_option(run->options, "output"), out, room, &wrong)) {
	case GC_PATTERN_OK:
		return 0;
	case GC_PATTERN_LETTER:
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL,
			"-o: unknown '%.*s'; known: %%p %%h %%q{VAR} %%n %%r %%i %%%%", (int)wrong.bytes, wrong.at);
	case GC_PATTERN_BRACES:
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: %%q must be %%q{VARIABLE}");
	case GC_PATTERN_UNSET:
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the environment has no %.*s for %%q{%.*s}",
			(int)wrong.bytes, wrong.at, (int)wrong.bytes, wrong.at);
	case GC_PATTERN_LONG:
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is too long");
	case GC_PATTERN_EMPTY:
		break;
	}
	return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is empty");
}

int gt_run_check_name(const struct gt_run *run, struct gt_err *err)
{
	char name[PATH_MAX];

	return expand(run, 1, name, sizeof name, err);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st; (void)type; (void)ftw;
	return remove(path);
}

int gt_run_remove_trace(const char *trace, struct gt_err *err)
{
	if (nftw(trace, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be removed", trace);
	return 0;
}

static bool has_line(const char *text, const char *begin)
{
	const char *at = strstr(text, begin);

	return at && (at == text || at[-1] == '\n');
}

/* The first bytes of a plain file, zero terminated; nothing of anything else. */
static size_t begin_of(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? read(fd, to, room - 1) : 0;

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* Whether a file or folder of a trace may have this name: what readers know, and what is there while it is written. */
static bool name_is_ours(const char *name, bool folder)
{
	static const char *const beside[] = { "export.lock", "export.log", "debug.log", "run.new" };
	static const char *const of_image[] = { "meta.new", "table.new", "debug.log" };
	struct gt_store_name parsed;
	char image[GT_STORE_NAME_MAX];

	if (!strcmp(name, "other"))
		return folder;
	if (!strncmp(name, "other/", 6))
		name += 6;
	if (!folder && strlen(name) == 16 && strspn(name, "0123456789abcdef") == 16)
		return true;            /* whose it is, for other users */
	const char *slash = strchr(name, '/');

	if (slash && gt_store_name_parse(slash + 1, &parsed) && !parsed.in_image)
		return !folder;         /* another user's table */
	if (folder)
		return (size_t)snprintf(image, sizeof image, "%s/meta", name) < sizeof image &&
			gt_store_name_parse(image, &parsed);
	for (unsigned i = 0; !slash && i < sizeof beside / sizeof *beside; i++)
		if (!strcmp(name, beside[i]))
			return true;
	for (unsigned i = 0; slash && i < sizeof of_image / sizeof *of_image; i++)
		if (!strcmp(slash + 1, of_image[i]))
			return true;
	return gt_store_name_parse(name, &parsed);
}

static size_t root_bytes;               /* of the path that nftw walks, with its slash */

static int find_foreign(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)type;
	if (!ftw->level)
		return 0;
	return (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode)) &&
		name_is_ours(path + root_bytes, S_ISDIR(st->st_mode)) ? 0 : 1;
}

/* By its contents, whatever its name is. */
static bool is_trace(const char *path, const struct stat *st)
{
	char inside[PATH_MAX + 8], text[4096];
	uint64_t magic;

	if (S_ISREG(st->st_mode))
		return begin_of(path, text, sizeof text) >= sizeof magic &&
			(memcpy(&magic, text, sizeof magic), magic == PACK_MAGIC);
	snprintf(inside, sizeof inside, "%s/run", path);
	root_bytes = strlen(path) + 1;
	return S_ISDIR(st->st_mode) && begin_of(inside, text, sizeof text) && has_line(text, "format=") &&
		has_line(text, "run_id=") && !nftw(path, find_foreign, 16, FTW_PHYS);
}

/* Only what is a trace is ever replaced, and of a folder that holds something else nothing is touched. */
static int replace(const char *trace, struct gt_err *err)
{
	struct stat st;
	int writer;

	if (lstat(trace, &st))
		return 0;
	if (!is_trace(trace, &st))
		return gt_fail(err, GT_EXIT_OUTPUT, "it is not a trace, or holds something that is not of a trace",
			NULL, "%s cannot be replaced", trace);
	writer = gt_live_writer_but(trace, 0);
	if (writer)
		return gt_fail(err, GT_EXIT_OUTPUT, NULL, "another -o NAME, or a %n in it",
			"%s is being written: process %d is still running", trace, writer);
	if (S_ISREG(st.st_mode) ? unlink(trace) : nftw(trace, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be replaced", trace);
	return 0;
}

/* A trace is its maker's alone, whatever the umask is. 0 or errno. */
static int make_own(const char *trace)
{
	if (mkdir(trace, 0700))
		return errno;
	chmod(trace, 0700);
	return 0;
}

static int make(struct gt_run *run, char *name, struct gt_err *err)
{
	char cwd[PATH_MAX] = "";
	size_t n;

	gt_export_cut_suffix(name, gt_option(run->options, "export"));
	n = strlen(name);
	if (name[0] != '/' && !getcwd(cwd, sizeof cwd))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "the working directory cannot be named");
	if (n > 7 && !strcmp(name + n - 7, ".gputap"))
		n -= 7;
	if ((size_t)snprintf(run->name, sizeof run->name, "%s%s%.*s", cwd, *cwd ? "/" : "", (int)n, name) >=
			sizeof run->name ||
		(size_t)snprintf(run->trace, sizeof run->trace, "%s.gputap", run->name) >= sizeof run->trace)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is too long");
	return make_own(run->trace);
}

int gt_run_name(struct gt_run *run, struct gt_err *err)
{
	char name[PATH_MAX];
	bool numbered = gc_pattern_is_numbered(gt_option(run->options, "output"));

	for (long number = 1; number < 1000000; number++) {
		if (expand(run, (uint64_t)number, name, sizeof name, err))
			return -1;
		int rc = make(run, name, err);

		if (!rc)
			return 0;
		if (rc < 0)
			return -1;
		if (rc == EEXIST && numbered)
			continue;
		if (rc == EEXIST && gt_option_true(run->options, "force")) {
			if (replace(run->trace, err))
				return -1;
			rc = make_own(run->trace);
			if (!rc)
				return 0;
		}
		if (rc == EEXIST)
			return gt_fail(err, GT_EXIT_OUTPUT, NULL, "another -o NAME, a %n in it, or -f to replace it",
				"%s is there already", run->trace);
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(rc),
			"gputap run -o NAME in a directory that can be written", "%s cannot be made", run->trace);
	}
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: every number that %%n could stand for is taken", name);
}
