/*
 * cli/metrics/rules.c - rules on kernel metrics: Python files that a process of their own lists and applies
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/metrics/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/sections/deploy.h"
#include "cli/cli.h"
#include "common/harmless.h"
#include "common/installed.h"
#include "common/trusted.h"

extern char **environ;

#define SCRIPT "gputap-rules"
#define SOURCE "gputap-source"
#define WORDS 80                              /* of the command line */
#define MOST_RULES 32                         /* that --rule names */
#define NOT_FOUND 127                         /* status of a child that could not become the program */

/* ------------------------------------------------------------------ the process */

static bool find_script(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = { "../lib/gputap/python/", "../python/", "../../python/" };

	return gt_installed(places, sizeof places / sizeof *places, name, path) && !access(path, R_OK);
}

struct words { char *v[WORDS]; unsigned n; };

/* A name that begins with a dash is no option. */
static const char *as_path(const char *name, char to[PATH_MAX])
{
	snprintf(to, PATH_MAX, "%s%s", *name == '-' ? "./" : "", name);
	return to;
}

static void add(struct words *w, const char *word)
{
	if (w->n + 1 < WORDS)
		w->v[w->n++] = (char *)word;
	w->v[w->n] = NULL;
}

/* why: what the system said, or NULL. */
static int no_python(const char *name, const char *why, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_MISSING, why, NULL, "%s python3, which cannot be run",
		strcmp(name, SCRIPT) ? "the source page needs" : "rules need");
}

/* Runs `python3 NAME words`; out: standard output of it (-1: ours). 0, or -1 with *err. */
static int start(const char *name, const struct words *given, int out, pid_t *pid, struct gt_err *err)
{
	posix_spawn_file_actions_t actions;
	struct words w = { .n = 0 };
	char script[PATH_MAX];
	int rc;

	if (!find_script(name, script))
		return gt_fail(err, GT_EXIT_MISSING, "they are in lib/gputap/python, which make install fills", NULL,
			"the rules and the Python package of gputap are not installed");
	add(&w, "python3");
	if (!gt_trust_home())
		add(&w, "-s");                  /* modules of that HOME would run as us */
	add(&w, script);
	for (unsigned i = 0; i < given->n; i++)
		add(&w, given->v[i]);
	if (fflush(stdout) || posix_spawn_file_actions_init(&actions))
		return gt_no_memory(err);
	rc = out >= 0 ? posix_spawn_file_actions_adddup2(&actions, out, 1) : 0;
	rc = rc ? rc : posix_spawnp(pid, "python3", &actions, NULL, w.v, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc ? no_python(name, strerror(rc), err) : 0;
}

/* The exit status, as docs/errors.md has them; -1 with *err. */
static int end(const char *name, pid_t pid, struct gt_err *err)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, "%s cannot be waited for", name);
	if (WIFSIGNALED(status))
		return gt_fail(err, GT_EXIT_MISSING, strsignal(WTERMSIG(status)), NULL, "%s was killed", name);
	if (WEXITSTATUS(status) == NOT_FOUND)
		return no_python(name, NULL, err);
	if (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) > GT_EXIT_MISSING)
		return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "%s failed; its message stands above", name);
	return WEXITSTATUS(status);
}

static void add_folder(struct words *w, const char *option, const char *folder)
{
	add(w, option);
	add(w, folder);
}

struct folders { char rules[PATH_MAX], sections[PATH_MAX], why[GT_TRUST_WHY]; };

/*
 * gputap's own rules are put where they can be edited, as section files are (STOCK1); the user's may lie beside his
 * section files too. Where that cannot be done, the process takes those that are installed. Without `write` they are
 * only looked for there: a conversion leaves nothing at home.
 */
static void add_own_folders(struct words *w, struct folders *f, bool write, const struct gt_options *o)
{
	char stock[PATH_MAX];
	struct gt_err err;
	struct stat st;

	if (!gt_option_true(o, "deploy") || !find_script(SCRIPT, stock))
		return;
	if (!gt_user_folder("rules", f->rules, f->why) || !gt_user_folder("sections", f->sections, f->why)) {
		if (*f->why && write && !gt_option_true(o, "list-sections"))    /* which said so of the same folder */
			fprintf(stderr, "gputap: %s: only the rules that came with gputap are used\n",
				gt_harmless(f->why));
		return;
	}
	strcpy(strrchr(stock, '/') + 1, "rules");               /* shorter than the script's name */
	if (!write && stat(f->rules, &st))
		return;
	if (!write || !gt_stock_deploy(stock, f->rules, ".py", &err)) {
		add_folder(w, "--own-folder", f->rules);
		if (!stat(f->sections, &st))
			add_folder(w, "--own-folder", f->sections);
	} else if (!gt_option_true(o, "list-sections")) {       /* which said so of its own files */
		gt_cli_fail(&err);
	}
}

static void add_folders(struct words *w, struct folders *f, bool write, const struct gt_options *o)
{
	const char *one = gt_option(o, "section-folder"), *all = gt_option(o, "section-folder-recursive");

	if (*one)
		add_folder(w, "--folder", one);
	if (*all)
		add_folder(w, "--folder-recursive", all);
	if (!*one && !*all)
		add_own_folders(w, f, write, o);
}

/* ------------------------------------------------------------------ the list */

/* A line of `list --plain`: fields with tabs between. */
static int take_line(struct gt_rules *r, char *line, bool *whole, struct gt_err *err)
{
	char *field[5] = { line, "", "", "", "" };
	struct gt_rule *rule;

	for (unsigned i = 1; i < 5 && (line = strchr(line, '\t')); i++) {
		*line++ = 0;
		field[i] = line;
	}
	if (!strcmp(field[0], "failed")) {
		fprintf(stderr, "gputap: %s: %s\n", gt_harmless(field[1]), gt_harmless(field[2]));
		r->failed = true;
	} else if (!strcmp(field[0], "end")) {
		*whole = true;
	} else if (!strcmp(field[0], "rule")) {
		if (!(rule = GT_LIST_ADD(&r->all)))
			return gt_no_memory(err);
		*rule = (struct gt_rule){ .id = field[1], .section = field[2], .name = field[3], .path = field[4] };
	}
	return 0;
}

static int read_all(int fd, struct gt_text *t, struct gt_err *err)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(fd, piece, sizeof piece)) != 0) {
		if (n < 0 && errno != EINTR)
			return gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, SCRIPT " cannot be read");
		for (ssize_t i = 0; i < n; i++)
			gt_text_char(t, piece[i] ? piece[i] : ' ');
	}
	gt_text_char(t, 0);
	return t->failed ? gt_no_memory(err) : 0;
}

/* What it says to these words. */
static int answer(const struct words *w, struct gt_text *text, struct gt_err *err)
{
	int ends[2], rc;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return gt_fail(err, GT_EXIT_MISSING, strerror(errno), NULL, "no pipe for " SCRIPT);
	rc = start(SCRIPT, w, ends[1], &pid, err);
	close(ends[1]);
	if (!rc) {
		int status;

		rc = read_all(ends[0], text, err);
		status = end(SCRIPT, pid, err);
		if (status > 0)
			gt_fail(err, GT_EXIT_MISSING, NULL, NULL, SCRIPT " failed; its message stands above");
		if (status || rc < 0)
			rc = -1;
	}
	close(ends[0]);
	return rc;
}

int gt_rules_list(struct gt_rules *r, const struct gt_options *options, struct gt_err *err)
{
	struct words w = { .n = 0 };
	struct folders folders;
	bool whole = false;
	int rc;

	*r = (struct gt_rules){ 0 };
	add(&w, "list");
	add(&w, "--plain");
	add_folders(&w, &folders, true, options);
	rc = answer(&w, &r->text, err);
	for (char *line = rc ? NULL : r->text.data, *next; line && *line && !rc; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		rc = take_line(r, line, &whole, err);
	}
	if (!rc && !whole)
		rc = gt_fail(err, GT_EXIT_MISSING, NULL, NULL, SCRIPT " ended before its answer was whole");
	if (rc)
		gt_rules_free(r);
	return rc;
}

void gt_rules_free(struct gt_rules *r)
{
	free(r->all.v);
	gt_text_free(&r->text);
	*r = (struct gt_rules){ 0 };
}

/* ------------------------------------------------------------------ what they need */

/* Of --rule; false: a name is cut. */
static bool add_rules(struct words *w, const struct gt_options *o, char room[1024])
{
	char *left = room, *id;

	if (snprintf(room, 1024, "%s", gt_option(o, "rule")) >= 1024)
		return false;
	for (unsigned n = 0; n < MOST_RULES && (id = strsep(&left, ",")); n++)
		if (*id) {
			add(w, "--rule");
			add(w, id);
		}
	return true;
}

int gt_rules_require(const struct gt_options *options, bool (*take)(void *ctx, const struct gt_rule_needs *needs),
	void *ctx, struct gt_err *err)
{
	static struct gt_text text;             /* rules are asked once: a plan is made for several chips */
	struct words w = { .n = 0 };
	struct folders folders;
	char rules[1024];
	bool whole = false;

	add(&w, "require");
	add(&w, "--plain");
	add_folders(&w, &folders, false, options);
	if (!add_rules(&w, options, rules))
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--rule names too many rules");
	if (!text.used && answer(&w, &text, err)) {
		gt_text_free(&text);
		return -1;
	}
	for (const char *line = text.data, *next; line && *line; line = next) {
		size_t n = strcspn(line, "\n"), id, section;
		const char *at = memchr(line, '\t', n), *behind;

		next = line + n + (line[n] == '\n');
		whole |= !strncmp(line, "end", 3);
		if (!at)
			continue;
		id = strcspn(++at, "\t\n");
		behind = at + id + (at[id] == '\t');
		section = strcspn(behind, "\t\n");
		if (!strncmp(line, "failed\t", 7))
			fprintf(stderr, "gputap: rule file %s: %s\n", gt_harmless_n(at, id),
				gt_harmless_n(behind, section));
		else if (!strncmp(line, "require\t", 8) && !take(ctx, &(struct gt_rule_needs){
					{ at, id }, { behind, section },
					{ behind + section + 1, strcspn(behind + section + 1, "\n") } }))
			break;
	}
	return whole ? 0 : gt_fail(err, GT_EXIT_MISSING, NULL, NULL, SCRIPT " ended before its answer was whole");
}

/* ------------------------------------------------------------------ application */

int gt_rules_apply(
	const char *report, const struct gt_rules_to *to, const struct gt_options *options, struct gt_err *err)
{
	char rules[1024], from_path[PATH_MAX], to_path[PATH_MAX];
	struct words w = { .n = 0 };
	struct folders folders;
	int rc;
	pid_t pid;

	add(&w, "apply");
	add(&w, as_path(report, from_path));
	add(&w, to->quiet ? "--quiet" : "--text");
	add_folders(&w, &folders, !to->quiet, options);
	if (!add_rules(&w, options, rules))
		return gt_fail(err, GT_EXIT_USAGE, NULL, NULL, "--rule names too many rules");
	if (to->path) {
		add(&w, "-o");
		add(&w, as_path(to->path, to_path));
	}
	if (to->replace)
		add(&w, "-f");
	rc = start(SCRIPT, &w, -1, &pid, err);
	return rc ? rc : end(SCRIPT, pid, err);
}

int gt_source_page(const char *report, const char *name, const struct gt_options *options, struct gt_err *err)
{
	const char *view = gt_option(options, "print-source"), *metrics = gt_option(options, "metrics");
	char path[PATH_MAX];
	struct words w = { .n = 0 };
	pid_t pid;
	int rc;

	add(&w, as_path(report, path));
	add(&w, "--of");
	add(&w, name);
	add(&w, "--base");
	add(&w, gt_option(options, "print-kernel-base"));
	if (gt_option_true(options, "csv") || gt_option_is(options, "format", "csv"))
		add(&w, "--csv");
	if (strcmp(view, "all")) {
		add(&w, "--view");
		add(&w, view);
	}
	if (*metrics) {
		add(&w, "--metrics");
		add(&w, metrics);
	}
	rc = start(SOURCE, &w, -1, &pid, err);
	return rc ? rc : end(SOURCE, pid, err);
}
