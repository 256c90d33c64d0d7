/*
 * common/trusted.c - files of this machine that the tool opens by a name
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKS_MOST 40                     /* symbolic links on one way, as in the kernel */

/* ------------------------------------------------------------------ who may write */

/* A group that has nobody in it but the owner, which many systems give each user. */
static bool is_private_group(uid_t uid, gid_t gid)
{
	const struct passwd *user = getpwuid(uid);
	char name[256];
	const struct group *group;

	if (!user || user->pw_gid != gid)
		return false;
	snprintf(name, sizeof name, "%s", user->pw_name);
	group = getgrgid(gid);
	return group && !strcmp(group->gr_name, name) && (!group->gr_mem[0] || !strcmp(group->gr_mem[0], name)) &&
		(!group->gr_mem[0] || !group->gr_mem[1]);
}

static unsigned long number_in(const char *path, unsigned field)
{
	unsigned long v[3] = { 0 };
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%lu %lu %lu", &v[0], &v[1], &v[2]) < 1)
		v[0] = v[1] = v[2] = 0;
	if (f)
		fclose(f);
	return v[field];
}

/*
 * In a user namespace that does not know the owner, as in a container without privileges: the folders on the way to
 * what is ours are the host's, whose root is shown so.
 */
static bool is_outside(uid_t uid)
{
	return number_in("/proc/self/uid_map", 2) < 4294967295ul && uid == number_in("/proc/sys/kernel/overflowuid", 0);
}

static bool is_owner(const struct stat *st, uid_t also)
{
	return st->st_uid == geteuid() || st->st_uid == 0 || st->st_uid == also ||
		(S_ISDIR(st->st_mode) && is_outside(st->st_uid));
}

/* last: what is looked for, rather than a folder on the way. */
static bool is_writable_by_others(const struct stat *st, bool last)
{
	mode_t by = st->st_mode & (S_IWGRP | S_IWOTH);

	if (S_ISLNK(st->st_mode) || !by || (S_ISDIR(st->st_mode) && !last && st->st_mode & S_ISVTX))
		return false;
	return by & S_IWOTH || !is_private_group(st->st_uid, st->st_gid);
}

/* ------------------------------------------------------------------ the way there */

/*
 * A walk from the root, one name after another, that follows links itself: at is the folder reached, rest the names to
 * come, part the one that was refused.
 */
struct way { int at; char rest[PATH_MAX], part[PATH_MAX]; struct stat st; unsigned links; uid_t also; };

static bool begin_way(struct way *w, const char *path)
{
	char here[PATH_MAX];

	*w = (struct way){ .at = -1 };
	if (*path == '/')
		return snprintf(w->rest, sizeof w->rest, "%s", path) < (int)sizeof w->rest;
	return getcwd(here, sizeof here) &&
		snprintf(w->rest, sizeof w->rest, "%.2000s/%.2000s", here, path) < (int)sizeof w->rest;
}

static bool follow(struct way *w, const char *name, const char *behind)
{
	char to[PATH_MAX], whole[PATH_MAX];
	ssize_t n = readlinkat(w->at, name, to, sizeof to - 1);

	if (n <= 0 || ++w->links > LINKS_MOST) {
		errno = ELOOP;
		return false;
	}
	to[n] = 0;
	if ((size_t)snprintf(whole, sizeof whole, "%.*s%s%.2000s", (int)n, to, *behind ? "/" : "", behind) >=
		sizeof whole) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(w->rest, whole, sizeof w->rest);
	if (*to == '/')
		w->part[0] = 0;
	return true;
}

/* Goes into the folder; what is no folder is left for who opens it. */
static bool enter(struct way *w, const char *name)
{
	int next = openat(w->at < 0 ? AT_FDCWD : w->at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (next < 0)
		return false;
	if (w->at >= 0)
		close(w->at);
	w->at = next;
	return true;
}

static bool to_root(struct way *w)
{
	w->part[0] = 0;
	if (w->at >= 0)
		close(w->at);
	w->at = -1;
	return enter(w, "/");
}

static bool refuse(void)
{
	errno = EPERM;
	return false;
}

/*
 * TRUST2. To the end of the way: w->st is what lies there, and (of a file) w->at its folder, w->rest its name. False
 * with errno; EPERM: w->part is not to be trusted, and w->st is what it is.
 */
static bool walk(struct way *w)
{
	for (;;) {
		char *name = w->rest + strspn(w->rest, "/"), *end = name + strcspn(name, "/"), *behind;
		char one[NAME_MAX + 1];
		size_t used;

		if ((w->at < 0 || w->rest[0] == '/') && !to_root(w))
			return false;
		if (!*name)
			return !fstat(w->at, &w->st);
		if (end - name > NAME_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		snprintf(one, sizeof one, "%.*s", (int)(end - name), name);
		behind = end + strspn(end, "/");
		if (fstatat(w->at, one, &w->st, AT_SYMLINK_NOFOLLOW))
			return false;
		used = strlen(w->part);
		snprintf(w->part + used, sizeof w->part - used, "/%s", one);
		if (!is_owner(&w->st, *behind ? geteuid() : w->also) || is_writable_by_others(&w->st, !*behind))
			return refuse();
		if (S_ISLNK(w->st.st_mode)) {
			w->part[used] = 0;
			if (!follow(w, one, behind))
				return false;
			continue;
		}
		memmove(w->rest, S_ISDIR(w->st.st_mode) ? behind : one,
			strlen(S_ISDIR(w->st.st_mode) ? behind : one) + 1);
		if (!S_ISDIR(w->st.st_mode)) {
			errno = ENOTDIR;
			return !*behind;
		}
		if (!enter(w, one))
			return false;
	}
}

/* ------------------------------------------------------------------ opening */

static int check_opened(int fd, uint64_t most, struct stat *st)
{
	if (fd < 0)
		return -1;
	*st = (struct stat){ .st_mode = 0 };
	if (!fstat(fd, st) && S_ISREG(st->st_mode) && (uint64_t)st->st_size <= most)
		return fd;
	close(fd);
	errno = S_ISREG(st->st_mode) ? EFBIG : EINVAL;
	return -1;
}

int gt_open_regular(const char *path, uint64_t most, struct stat *st)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd;
	char name[40];

	if (place < 0)
		return -1;
	if (fstat(place, st) || !S_ISREG(st->st_mode)) {
		close(place);
		errno = EINVAL;
		return -1;
	}
	snprintf(name, sizeof name, "/proc/self/fd/%d", place);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)          /* no /proc */
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int why = errno;
	close(place);
	errno = why;
	return check_opened(fd, most, st);
}

int gt_open_trusted(const char *path, uint64_t most, uid_t also, struct stat *st)
{
	struct way w;
	int fd = -1, why;

	if (!begin_way(&w, path))
		return -1;
	w.also = also;
	if (walk(&w)) {
		errno = EINVAL;
		/* the folder is ours or root's: nobody puts another file in the place of the one looked at */
		if (S_ISREG(w.st.st_mode))
			fd = openat(w.at, w.rest, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	}
	why = errno;
	if (w.at >= 0)
		close(w.at);
	errno = why;
	return check_opened(fd, most, st);
}

enum gt_trust gt_trust_folder(const char *path, char why[GT_TRUST_WHY])
{
	struct way w;
	enum gt_trust is = GT_TRUST_NO;

	snprintf(why, GT_TRUST_WHY, "%.200s cannot be reached", path);
	if (!begin_way(&w, path))
		return GT_TRUST_NO;
	w.also = geteuid();
	if (walk(&w))
		is = S_ISDIR(w.st.st_mode) ? GT_TRUST_YES : GT_TRUST_NO;
	else if (errno == ENOENT)
		is = GT_TRUST_MISSING;
	else if (errno == EPERM)
		snprintf(why, GT_TRUST_WHY,
			is_owner(&w.st, w.also) ? "others may write to %.200s" : "%.200s belongs to user %u", w.part,
			(unsigned)w.st.st_uid);
	if (w.at >= 0)
		close(w.at);
	return is;
}

bool gt_trust_home(void)
{
	const char *home = getenv("HOME");
	char why[GT_TRUST_WHY];

	return !home || *home != '/' || gt_trust_folder(home, why) != GT_TRUST_NO;
}

char *gt_read_opened(int fd, uint64_t most, size_t *bytes)
{
	struct stat st;
	char *text = NULL;
	ssize_t n = 0;
	size_t room;

	*bytes = 0;
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	room = (uint64_t)st.st_size < most ? (size_t)st.st_size : (size_t)most;
	text = malloc(room + 1);
	while (text && *bytes < room && (n = read(fd, text + *bytes, room - *bytes)) > 0)
		*bytes += (size_t)n;
	int why = text ? errno : ENOMEM;
	close(fd);
	if (!text || n < 0) {
		free(text);
		errno = why;
		return NULL;
	}
	text[*bytes] = 0;
	return text;
}
