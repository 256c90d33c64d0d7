/*
 * cli/run_name.c - the name of a trace: %p %h %q{VAR} %n %r %i %%
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run.h"
#include "common/plain/pattern.h"

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

/* Only what is a trace is ever replaced: a directory with our `run`, or a packed file. */
static int replace(const char *trace, struct gt_err *err)
{
	char inside[PATH_MAX + 8];
	struct stat st;

	if (lstat(trace, &st))
		return 0;
	snprintf(inside, sizeof inside, "%s/run", trace);
	if (S_ISREG(st.st_mode) ? unlink(trace)
				: !S_ISDIR(st.st_mode) || access(inside, F_OK) ||
				nftw(trace, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
		return gt_fail(err, GT_EXIT_OUTPUT, "it does not look like a trace, or cannot be removed", NULL,
			"%s cannot be replaced", trace);
	return 0;
}

static int make(struct gt_run *run, const char *name, struct gt_err *err)
{
	char cwd[PATH_MAX] = "";
	size_t n = strlen(name);

	if (name[0] != '/' && !getcwd(cwd, sizeof cwd))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "the working directory cannot be named");
	if (n > 7 && !strcmp(name + n - 7, ".gputap"))
		n -= 7;
	if ((size_t)snprintf(run->name, sizeof run->name, "%s%s%.*s", cwd, *cwd ? "/" : "", (int)n, name) >=
			sizeof run->name ||
		(size_t)snprintf(run->trace, sizeof run->trace, "%s.gputap", run->name) >= sizeof run->trace)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is too long");
	return mkdir(run->trace, 0777) ? errno : 0;
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
			rc = mkdir(run->trace, 0777) ? errno : 0;
			if (!rc)
				return 0;
		}
		if (rc == EEXIST)
			return gt_fail(err, GT_EXIT_OUTPUT, NULL, "another -o NAME, a %n in it, or -f to replace it",
				"%s is there already", run->trace);
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(rc),
			"gputap run -o NAME in a directory that can be written", "%s cannot be made", run->trace);
	}
	return gt_fail(err, GT_EXIT_OUTPUT, NULL, NULL, "no free number for %s", name);
}
