/*
 * analysis/sections/deploy.c - the section files that come with gputap, and the user's folder that they are put into
 *
 * Runs in the tool.
 *
 * STOCK1  A file that the user edited is never written again. `.deployed` in the folder holds the name and the sum of
 *         each file as it was put there: one that still has that sum follows the installed one, in a new version too.
 *
 * spec: NCU "Section Files"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "analysis/sections/deploy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/installed.h"
#include "common/memory.h"
#include "common/temporary.h"
#include "common/text.h"
#include "common/trusted.h"

#define MARKS ".deployed"
#define FILE_MOST (4u << 20)                      /* bytes of a file that is copied */

/* ------------------------------------------------------------------ where they are */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Beside the tool (build tree), or in ../lib/gputap (installed). */
static bool installed(char folder[PATH_MAX])
{
	static const char *const places[] = { "", "../lib/gputap/" };

	return gt_installed(places, sizeof places / sizeof *places, "sections/.", folder);
}

static bool name_user_folder(const char *name, char folder[PATH_MAX])
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data == '/')
		return snprintf(folder, PATH_MAX, "%s/gputap/%s", data, name) < PATH_MAX;
	return home && *home == '/' &&
		snprintf(folder, PATH_MAX, "%s/.local/share/gputap/%s", home, name) < PATH_MAX;
}

bool gt_user_folder(const char *name, char folder[PATH_MAX], char why[GT_TRUST_WHY])
{
	*why = 0;
	return name_user_folder(name, folder) && gt_trust_folder(folder, why) != GT_TRUST_NO;
}

/* ------------------------------------------------------------------ copying */

struct mark { char name[NAME_MAX + 1]; uint64_t sum; bool stock; };
struct deploy {
	const char *from, *to, *suffix;
	GT_LIST(struct mark) marks;
	bool changed;
	struct gt_err *err;
};

/* 64 bits of FNV-1a: the same in every version, for it is stored. */
static uint64_t sum_of(const struct gt_text *t)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < t->used; i++)
		h = (h ^ (unsigned char)t->data[i]) * 0x100000001b3ull;
	return h;
}

/* False with errno: it cannot be read, or is too large. */
static bool read_whole(const char *folder, const char *name, struct gt_text *t)
{
	char path[PATH_MAX];
	struct stat st;
	ssize_t n = -1;
	int fd = -1;

	t->used = 0;
	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
		fd = gt_open_regular(path, FILE_MOST, &st);
	if (fd < 0)
		return false;
	while (gt_text_need(t, 65536) && (n = read(fd, t->data + t->used, 65536)) > 0 && t->used < FILE_MOST)
		t->used += (size_t)n;
	close(fd);
	return n == 0;
}

static int cannot(const struct deploy *d, const char *name)
{
	return gt_fail(d->err, GT_EXIT_OUTPUT, strerror(errno), "GPUTAP_DEPLOY=false", "%s/%s cannot be written", d->to,
		name);
}

static int put_whole(const struct deploy *d, const char *name, const struct gt_text *t)
{
	char path[PATH_MAX], beside[PATH_MAX];
	bool done = false;
	int fd = -1;

	errno = ENAMETOOLONG;
	if (snprintf(path, sizeof path, "%s/%s", d->to, name) < (int)sizeof path &&
		gt_temporary_name(path, beside, sizeof beside))
		fd = gt_create_own(beside, O_WRONLY);
	if (fd < 0)
		return cannot(d, name);
	done = write(fd, t->data, t->used) == (ssize_t)t->used;
	done = !close(fd) && done && !rename(beside, path);
	if (done)
		return 0;
	unlink(beside);
	return cannot(d, name);
}

static struct mark *mark_of(struct deploy *d, const char *name)
{
	for (uint32_t i = 0; i < d->marks.n; i++)
		if (!strcmp(d->marks.v[i].name, name))
			return &d->marks.v[i];
	return NULL;
}

static void read_marks(struct deploy *d)
{
	struct gt_text t = { 0 };
	char *line, *rest = NULL;

	if (read_whole(d->to, MARKS, &t)) {
		gt_text_char(&t, 0);
		for (line = t.data ? strtok_r(t.data, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
			size_t n = strlen(line);
			struct mark *m = n > 17 && n <= 17 + NAME_MAX ? GT_LIST_ADD(&d->marks) : NULL;

			if (!m)
				continue;
			m->sum = strtoull(line, NULL, 16);
			snprintf(m->name, sizeof m->name, "%s", line + 17);
		}
	}
	gt_text_free(&t);
}

static int write_marks(struct deploy *d)
{
	struct gt_text t = { 0 };
	int rc;

	for (uint32_t i = 0; i < d->marks.n; i++)
		if (*d->marks.v[i].name) {
			gt_text_hex(&t, d->marks.v[i].sum, 16, false);
			gt_text_char(&t, ' ');
			gt_text_str(&t, d->marks.v[i].name);
			gt_text_char(&t, '\n');
		}
	rc = t.failed ? gt_no_memory(d->err) : put_whole(d, MARKS, &t);
	gt_text_free(&t);
	return rc;
}

/* STOCK1. now: what the folder holds under the name, if it does. */
static int deploy_file(struct deploy *d, const char *name, const struct gt_text *stock, struct gt_text *now)
{
	struct mark *m = mark_of(d, name);
	uint64_t sum = sum_of(stock);

	if (read_whole(d->to, name, now)) {
		uint64_t is = sum_of(now);

		if (is != sum && (!m || m->sum != is)) {
			if (m)
				m->stock = true;
			return 0;                 /* the user's own */
		}
		if (is == sum && m && m->sum == sum) {
			m->stock = true;
			return 0;
		}
		if (is != sum && put_whole(d, name, stock))
			return -1;
	} else if (put_whole(d, name, stock)) {
		return -1;
	}
	if (!m && !(m = GT_LIST_ADD(&d->marks)))
		return gt_no_memory(d->err);
	snprintf(m->name, sizeof m->name, "%s", name);
	m->sum = sum;
	m->stock = d->changed = true;
	return 0;
}

/* What was put there once, is no stock file any more, and was never edited. */
static void remove_old(struct deploy *d, struct gt_text *now)
{
	for (uint32_t i = 0; i < d->marks.n; i++) {
		struct mark *m = &d->marks.v[i];
		char path[PATH_MAX];

		if (m->stock || strchr(m->name, '/'))
			continue;
		if (read_whole(d->to, m->name, now) && sum_of(now) == m->sum &&
			snprintf(path, sizeof path, "%s/%s", d->to, m->name) < (int)sizeof path)
			unlink(path);
		*m->name = 0;
		d->changed = true;
	}
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);

	return n > s && !strcmp(name + n - s, suffix);
}

static int deploy_files(struct deploy *d, DIR *dir)
{
	struct gt_text stock = { 0 }, now = { 0 };
	const struct dirent *e;
	int rc = 0;

	read_marks(d);
	while (!rc && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !has_suffix(e->d_name, d->suffix))
			continue;
		if (!read_whole(d->from, e->d_name, &stock))
			rc = gt_fail(d->err, GT_EXIT_INPUT, NULL, NULL, "%s/%s: %s", d->from, e->d_name,
				strerror(errno));
		else
			rc = deploy_file(d, e->d_name, &stock, &now);
	}
	if (!rc) {
		remove_old(d, &now);
		rc = d->changed ? write_marks(d) : 0;
	}
	gt_text_free(&stock);
	gt_text_free(&now);
	return rc;
}

static bool make_folders(const char *path)
{
	char part[PATH_MAX];

	if (snprintf(part, sizeof part, "%s/", path) >= (int)sizeof part)
		return false;
	for (char *slash = part + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		if (mkdir(part, 0777) && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return is_folder(path);
}

int gt_stock_deploy(const char *from, const char *to, const char *suffix, struct gt_err *err)
{
	struct deploy d = { .from = from, .to = to, .suffix = suffix, .err = err };
	DIR *dir;
	int rc;

	if (!make_folders(to))
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), "GPUTAP_DEPLOY=false", "%s cannot be made", to);
	dir = opendir(from);
	if (!dir)
		return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: %s", from, strerror(errno));
	rc = deploy_files(&d, dir);
	closedir(dir);
	free(d.marks.v);
	return rc;
}

int gt_stock_folder(enum gt_deploy how, char folder[PATH_MAX], struct gt_err *err)
{
	char own[PATH_MAX], why[GT_TRUST_WHY];
	bool have = gt_user_folder("sections", own, why);

	if (!installed(folder))
		return gt_fail(err, GT_EXIT_MISSING, "they lie beside gputap, or in ../lib/gputap/sections", NULL,
			"gputap's own section files are not installed");
	if (!have && *why && (how == GT_DEPLOY_WRITE || (how == GT_DEPLOY_LOOK && is_folder(own))))
		return gt_fail(err, GT_EXIT_OUTPUT, why, "HOME or XDG_DATA_HOME of your own, or GPUTAP_DEPLOY=false",
			"%s is not read: the section files and rules that came with gputap are", own), 1;
	if (how == GT_DEPLOY_WRITE) {
		if (!have)
			return gt_fail(err, GT_EXIT_OUTPUT, NULL, "GPUTAP_DEPLOY=false",
				"no folder for section files that can be edited: HOME is not set"), 1;
		if (gt_stock_deploy(folder, own, ".section", err))
			return 1;
	}
	if (how != GT_DEPLOY_OFF && have && is_folder(own))
		memcpy(folder, own, sizeof own);
	return 0;
}
