/*
 * writers/codexl/stale.c - counter files of an earlier export that would stand beside those of this one
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/codexl/stale.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".csv"
#define MARK "CounterSection"
#define HEAD_MOST 4096                            /* bytes: the lines that are looked at are the first ones */

size_t gt_codexl_base(const char *path)
{
	size_t n = strlen(path);

	return n > strlen(SUFFIX) && !strcmp(path + n - strlen(SUFFIX), SUFFIX) ? n - strlen(SUFFIX) : n;
}

void gt_codexl_put_name(struct gt_text *t, const struct gt_codexl_part *p)
{
	gt_text_str(t, p->section);
	if (p->number > 1) {
		gt_text_char(t, '.');
		gt_text_u64(t, p->number);
	}
}

void gt_codexl_put_mark(struct gt_text *t, const struct gt_codexl_part *p)
{
	gt_text_lit(t, "#" MARK "=");
	gt_codexl_put_name(t, p);
	gt_text_char(t, '\n');
}

/* ------------------------------------------------------------------ what a file says of itself */

/* Is it a counter file, and does its head begin with that line behind the API's? line NULL: with any. */
static bool says(int folder, const char *name, const char *line)
{
	static const char begin[] = "#ProfileFileVersion=5.6\n#ProfilerVersion=5.6.0\n#API=";
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char text[HEAD_MOST + 1] = "";
	const char *end;
	struct stat st;
	bool is = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && read(fd, text, HEAD_MOST) > 0 &&
		!strncmp(text, begin, sizeof begin - 1);

	if (fd >= 0)
		close(fd);
	end = is ? strchr(text, '\n') : NULL;
	for (int i = 0; end && i < 2; i++)
		end = strchr(end + 1, '\n');
	return is && (!line || (end && !strncmp(end + 1, line, strlen(line))));
}

/* NAME.Others.2.csv says "#CounterSection=Others.2". */
static bool says_its_name(int folder, const char *name, size_t from, size_t bytes)
{
	struct gt_text t = { 0 };
	bool is;

	gt_text_lit(&t, "#" MARK "=");
	gt_text_bytes(&t, name + from, bytes);
	gt_text_lit(&t, "\n");
	gt_text_char(&t, 0);
	is = !t.failed && says(folder, name, t.data);
	gt_text_free(&t);
	return is;
}

/* ------------------------------------------------------------------ the folder */

/* base: "t" of t.csv, t.Others.csv; n: of its bytes */
struct place { char *folder; const char *base; size_t n; bool split; };

static bool open_place(struct place *p, const struct gt_export *x, const struct gt_codexl_columns *c)
{
	const char *path = x->final_path, *slash = strrchr(path, '/');

	*p = (struct place){ .base = slash ? slash + 1 : path, .split = c->parts.n && c->parts.v[0].section };
	p->n = gt_codexl_base(p->base);
	p->folder = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
	return p->folder;
}

static bool is_written(const struct gt_codexl_columns *c, const char *name, size_t bytes)
{
	struct gt_text t = { 0 };
	bool is = false;

	for (uint32_t i = 0; i < c->parts.n && c->parts.v[i].section && !is; i++) {
		t.used = 0;
		gt_codexl_put_name(&t, &c->parts.v[i]);
		is = t.failed || (t.used == bytes && !memcmp(t.data, name, bytes));
	}
	gt_text_free(&t);
	return is;
}

static bool is_stale(const struct place *p, const struct gt_codexl_columns *c, int folder, const char *name)
{
	size_t n = strlen(name), s = strlen(SUFFIX), from = p->n + 1;

	if (strncmp(name, p->base, p->n) || n < p->n + s || strcmp(name + n - s, SUFFIX))
		return false;
	if (n == p->n + s)
		return p->split && says(folder, name, NULL);
	return n > from + s && name[p->n] == '.' && !is_written(c, name + from, n - s - from) &&
		says_its_name(folder, name, from, n - s - from);
}

/* Calls `act` for each; it returns false to end. */
static void each(const struct gt_export *x, const struct gt_codexl_columns *c,
	bool (*act)(void *ctx, int folder, const struct place *p, const char *name), void *ctx)
{
	struct place p;
	DIR *d = open_place(&p, x, c) ? opendir(p.folder) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_stale(&p, c, dirfd(d), e->d_name) && !act(ctx, dirfd(d), &p, e->d_name))
			break;
	if (d)
		closedir(d);
	free(p.folder);
}

static bool refuse(void *ctx, int folder, const struct place *p, const char *name)
{
	(void)folder;
	gt_fail(ctx, GT_EXIT_OUTPUT, "it would stand beside what is written, and is of an earlier export",
		"-f removes it; -o chooses another name", "%s/%s: exists already", p->folder, name);
	return false;
}

int gt_codexl_refuse_stale(const struct gt_export *x, const struct gt_codexl_columns *c, struct gt_err *err)
{
	struct gt_err found = { 0 };

	each(x, c, refuse, &found);
	if (!found.kind)
		return 0;
	*err = found;
	return -1;
}

static bool remove_one(void *ctx, int folder, const struct place *p, const char *name)
{
	(void)ctx;
	(void)p;
	unlinkat(folder, name, 0);
	return true;
}

void gt_codexl_remove_stale(const struct gt_export *x, const struct gt_codexl_columns *c)
{
	const char *name = strrchr(x->final_path, '/');
	bool split = c->parts.n && c->parts.v[0].section;

	each(x, c, remove_one, NULL);
	if (!split || !x->notes || access(x->final_path, F_OK))
		return;
	gt_text_str(x->notes, name ? name + 1 : x->final_path);
	gt_text_lit(x->notes, " is no counter file of gputap's, and stays\n");
}
