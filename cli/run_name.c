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

static const char *rank_of(void)
{
	static const char *const names[] = { "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "RANK" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	return "0";
}

struct text { char *out; size_t used, room; };

static void add(struct text *t, const char *s)
{
	for (; *s && t->used + 1 < t->room; s++)
		t->out[t->used++] = *s;
	t->out[t->used] = 0;
}

/* A value from outside must stay one path component: '/' would lead elsewhere. */
static void add_value(struct text *t, const char *s)
{
	size_t at = t->used;

	add(t, s);
	for (; at < t->used; at++)
		if (t->out[at] == '/')
			t->out[at] = '_';
}

static const char *program_name(const struct gt_run *run)
{
	const char *slash = strrchr(run->command[0], '/');

	return slash ? slash + 1 : run->command[0];
}

/* number < 0: check only. Sets *numbered when the pattern holds %n. */
static int expand(const struct gt_run *run, long number, char *out, size_t room, bool *numbered, struct gt_err *err)
{
	struct text t = { out, 0, room };
	char one[2] = { 0 }, word[256];

	*out = 0;
	*numbered = false;
	for (const char *p = gt_option(run->options, "output"); *p; p++) {
		if (*p != '%') {
			one[0] = *p;
			add(&t, one);
			continue;
		}
		switch (*++p) {
		case '%': add(&t, "%"); break;
		case 'p': snprintf(word, sizeof word, "%d", (int)run->pid); add(&t, word); break;
		case 'h': gethostname(word, sizeof word); word[sizeof word - 1] = 0; add_value(&t, word); break;
		case 'n': snprintf(word, sizeof word, "%ld", number); add(&t, word); *numbered = true; break;
		case 'r': add_value(&t, rank_of()); break;
		case 'i': add_value(&t, program_name(run)); break;
		case 'q': {
			const char *end = p[1] == '{' ? strchr(p, '}') : NULL;

			if (!end || (size_t)(end - p - 2) >= sizeof word || end == p + 2)
				return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: %%q must be %%q{VARIABLE}");
			snprintf(word, sizeof word, "%.*s", (int)(end - p - 2), p + 2);
			if (!getenv(word))
				return gt_fail(err, GT_EXIT_USAGE, NULL, NULL,
					"-o: the environment has no %s for %%q{%s}", word, word);
			add_value(&t, getenv(word));
			p = end;
			break;
		}
		default:
			return gt_fail(err, GT_EXIT_USAGE, NULL, NULL,
				"-o: unknown '%%%.1s'; known: %%p %%h %%q{VAR} %%n %%r %%i %%%%", p);
		}
	}
	if (t.used + 16 >= room || !t.used)
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "-o: the name is %s", t.used ? "too long" : "empty");
	return 0;
}

int gt_run_check_name(const struct gt_run *run, struct gt_err *err)
{
	char name[PATH_MAX];
	bool numbered;

	return expand(run, 1, name, sizeof name, &numbered, err);
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
	bool numbered;

	for (long number = 1; number < 1000000; number++) {
		if (expand(run, number, name, sizeof name, &numbered, err))
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
