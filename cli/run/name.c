/*
 * cli/run/name.c - the name of a trace: %p %h %q{VAR} %n %r %i %%
 *
 * NAMED1  Of launchers that take or replace one name at once, one has the lock of the folder until its `run` stands:
 *         then the others see a trace that is being written, and never an empty folder or half of an old trace.
 * NAMED2  A trace that is being written is replaced by nobody, and it keeps no program from running: that one's trace
 *         gets the next free name, NAME-2 and so on.
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
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "common/harmless.h"
#include "common/plain/pattern.h"
#include "common/plain/unfinished.h"
#include "common/temporary.h"
#include "trace/read/holders.h"
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
	return remove(path) && errno != ENOENT; /* another launcher may tidy up as well */
}

int gt_run_remove_trace(const char *trace, struct gt_err *err)
{
	if (nftw(trace, remove_entry, 16, FTW_DEPTH | FTW_PHYS) && !access(trace, F_OK))
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
	bool in_other = !strncmp(name, "other/", 6);

	if (in_other)
		name += 6;
	const char *slash = strchr(name, '/'), *last = slash && in_other ? slash + 1 : name;

	if (!folder && strlen(last) == 16 && strspn(last, "0123456789abcdef") == 16)
		return true;            /* whose it is, for other users, and of which run what they add is */

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

/* ------------------------------------------------------------------ what is in the way */

enum { REPLACED, BUSY };

/*
 * Only what is a trace is ever replaced, and of a folder that holds something else nothing is touched. It is put aside,
 * which takes no time, and removed when the name is ours (gt_run_named). *writer: the process that writes it; BUSY.
 */
static int replace(struct gt_run *run, int *writer, struct gt_err *err)
{
	struct gt_holders all;
	struct stat st;

	if (lstat(run->trace, &st))
		return REPLACED;
	if (!is_trace(run->trace, &st))
		return gt_fail(err, GT_EXIT_OUTPUT, "it is not a trace, or holds something that is not of a trace",
			NULL, "%s cannot be replaced", run->trace);
	gt_holders_of_trace(run->trace, &all);
	*writer = all.n ? all.v[0].pid : 0;
	if (*writer)
		return BUSY;
	if (gt_temporary_name(run->trace, run->replaced, sizeof run->replaced) && !rename(run->trace, run->replaced))
		return REPLACED;
	*run->replaced = 0;
	if (S_ISREG(st.st_mode) ? unlink(run->trace) : nftw(run->trace, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be replaced", run->trace);
	return REPLACED;
}

/* "/place/NAME.gputap" -> "/place"; where in `trace` the last name begins. */
static size_t folder_of(const char *trace, char folder[PATH_MAX])
{
	const char *slash = strrchr(trace, '/');
	size_t n = slash && slash > trace ? (size_t)(slash - trace) : 1;

	snprintf(folder, PATH_MAX, "%.*s", (int)n, trace);
	return slash ? (size_t)(slash - trace) + 1 : 0;
}

/* "NAME.runN.gputap" of NAME.gputap, the trace of a later run (--reruns): by its name and by what it says itself. */
static bool is_of_later_run(const char *folder, const char *name, const char *final)
{
	size_t n = strlen(final) - strlen(".gputap");
	const char *number = name + n + strlen(".run");
	char path[PATH_MAX + 264], text[4096];

	if (strncmp(name, final, n) || strncmp(name + n, ".run", 4) || !strspn(number, "0123456789") ||
		strcmp(number + strspn(number, "0123456789"), ".gputap"))
		return false;
	snprintf(path, sizeof path, "%s/%s/run", folder, name);
	return begin_of(path, text, sizeof text) && has_line(text, "run_id=") && has_line(text, "rerun=1");
}

static bool is_held(const char *trace)
{
	struct gt_holders all;

	gt_holders_of_trace(trace, &all);
	return all.n;
}

/* What a killed launcher left beside the trace: half of a packed one, one that it removed, a later run's. */
static void remove_leftovers(const char *trace)
{
	char folder[PATH_MAX], path[2 * PATH_MAX];
	size_t from = folder_of(trace, folder);
	struct gt_err ignored = { 0 };
	DIR *dir = opendir(folder);
	struct stat st;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!gc_unfinished_is_of(e->d_name, trace + from) &&
			!is_of_later_run(folder, e->d_name, trace + from))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (lstat(path, &st) || st.st_uid != geteuid())
			continue;
		if (S_ISREG(st.st_mode))
			unlink(path);
		else if (S_ISDIR(st.st_mode) && !is_held(path))
			gt_run_remove_trace(path, &ignored);
	}
	if (dir)
		closedir(dir);
}

/* ------------------------------------------------------------------ the name */

enum { LOCK_TRIES = 200, LOCK_PAUSE_NS = 10 * 1000 * 1000 };    /* anybody who can read the folder can lock it */

/* NAMED1. Without a lock (some file systems have none) it goes on as if nobody else were there. */
static void lock_folder(struct gt_run *run)
{
	char folder[PATH_MAX];

	folder_of(run->trace, folder);
	if (run->naming >= 0)
		close(run->naming);
	run->naming = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; run->naming >= 0 && i < LOCK_TRIES && flock(run->naming, LOCK_EX | LOCK_NB); i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_PAUSE_NS }, NULL);
	}
}

int gt_run_named(struct gt_run *run, struct gt_err *err)
{
	if (run->naming >= 0)
		close(run->naming);
	run->naming = -1;
	remove_leftovers(run->trace);
	return *run->replaced && !access(run->replaced, F_OK) ? gt_run_remove_trace(run->replaced, err) : 0;
}

/* A trace is its maker's alone, whatever the umask is. 0 or errno. */
static int make_own(const char *trace)
{
	if (mkdir(trace, 0700))
		return errno;
	chmod(trace, 0700);
	return 0;
}

/* run->trace, of run->name. */
static int set_trace(struct gt_run *run, struct gt_err *err)
{
	if ((size_t)snprintf(run->trace, sizeof run->trace, "%s.gputap", run->name) >= sizeof run->trace)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is too long");
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
		sizeof run->name)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is too long");
	if (set_trace(run, err))
		return -1;
	lock_folder(run);
	return make_own(run->trace);
}

/* Whether an export of the run would meet something that nobody said may be replaced. */
static bool export_is_there(const struct gt_run *run)
{
	char path[PATH_MAX + 32];
	const char *suffix;
	bool found = false;

	for (const char *at = gt_option(run->options, "export"); !found && (suffix = gt_export_suffix(&at));) {
		snprintf(path, sizeof path, "%s%s", run->name, suffix);
		found = !access(path, F_OK);
	}
	return found;
}

/* NAMED2. Nothing else is replaced for it. */
static int make_beside(struct gt_run *run, int writer, struct gt_err *err)
{
	size_t n = strlen(run->name);
	char asked[PATH_MAX];

	snprintf(asked, sizeof asked, "%s", run->trace);
	for (unsigned number = 2; number < 100000; number++) {
		if ((size_t)snprintf(run->name + n, sizeof run->name - n, "-%u", number) >= sizeof run->name - n)
			return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is too long");
		if (set_trace(run, err))
			return -1;
		int rc = export_is_there(run) ? EEXIST : make_own(run->trace);

		if (rc == EEXIST)
			continue;
		if (rc)
			return gt_fail(err, GT_EXIT_OUTPUT, strerror(rc), NULL, "%s cannot be made", run->trace);
		fprintf(stderr, "gputap: %s is being written by process %d: this run's trace is %s\n",
			gt_harmless(asked), writer, gt_harmless(run->trace));
		return 0;
	}
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: no name beside it is free", asked);
}

static int make_in_its_place(struct gt_run *run, struct gt_err *err)
{
	int writer = 0, rc = replace(run, &writer, err);

	if (rc < 0)
		return -1;
	if (rc == BUSY)
		return make_beside(run, writer, err);
	rc = make_own(run->trace);
	return rc ? gt_fail(err, GT_EXIT_OUTPUT, strerror(rc), NULL, "%s cannot be made", run->trace) : 0;
}

int gt_run_name(struct gt_run *run, struct gt_err *err)
{
	char name[PATH_MAX];
	bool numbered = gc_pattern_is_numbered(gt_option(run->options, "output"));

	for (long number = 1; number < 1000000; number++) {
		if (expand(run, (uint64_t)number, name, sizeof name, err))
			return -1;
		int rc = make(run, name, err);

		if (rc <= 0)
			return rc;
		if (rc == EEXIST && numbered)
			continue;
		if (rc == EEXIST && gt_option_true(run->options, "force"))
			return make_in_its_place(run, err);
		if (rc == EEXIST)
			return gt_fail(err, GT_EXIT_OUTPUT, NULL, "another -o NAME, a %n in it, or -f to replace it",
				"%s is there already", run->trace);
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(rc),
			"gputap run -o NAME in a directory that can be written", "%s cannot be made", run->trace);
	}
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "%s: every number that %%n could stand for is taken", name);
}
