/*
 * trace/read/store_dir.c - a trace as the writer left it: a directory
 *
 * Only names that a trace can have are looked at. Symbolic links and anything that is not a plain file are refused: a
 * trace may come from a stranger, and reading it must not read something else.
 *
 * STOREDIR1  In `other` any user of the machine may have put something while root's run was on. A folder in it counts
 *            when it and its files are one owner's, and no other name leads to them; else it is left out whole. Its
 *            files have the names that they would have in the trace itself: `other/4711.1/0.str` is 4711.1/0.str.
 * STOREDIR2  It is the run's when it says so: by an empty file with the run's id as its name, or in its `meta`. What a
 *            stranger put there does not, or he knew the id. So what is taken is marked with its owner all the same, by
 *            a mark of the key GT_ADDED_MARK, and the folders that were left out are counted by GT_FOREIGN_MARK. Marks
 *            are files, so a packed trace keeps them.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/read/facts.h"
#include "trace/read/stage.h"
#include "trace/read/store.h"

#define OPEN_FILES 64                     /* descriptors held at most: a trace may have thousands of streams */

struct open_file {
	pthread_rwlock_t lock;            /* of the file chosen here: held to read while it is read */
	int fd;
	uint32_t file;
	struct gt_stage stage;            /* as it was when the file was opened */
};

struct dir {
	int root;
	char run_id[17];                  /* "": `run` is not there, or does not say */
	struct open_file open[OPEN_FILES];
};

/* gt_store_file.place: 0 = where its name says, else in this folder of `other`: pid and instance. */
static uint64_t place_of(int pid, int instance) { return (uint64_t)pid << 32 | (uint32_t)instance; }

/* STOREDIR1. A plain file that has this owner and no other name. */
static bool is_owned(const struct stat *st, uid_t owner)
{
	return S_ISREG(st->st_mode) && st->st_uid == owner && st->st_nlink == 1;
}

static int open_folder(int root, const char *name)
{
	return openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Opens the folder of a file in `other`; *owner is its. */
static int open_other(int root, uint64_t place, uid_t *owner)
{
	int other = open_folder(root, "other"), fd;
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), "%u.%u", (unsigned)(place >> 32), (unsigned)place);
	fd = other < 0 ? -1 : open_folder(other, name);
	if (other >= 0)
		close(other);
	if (fd >= 0 && fstat(fd, &st) == 0)
		*owner = st.st_uid;
	return fd;
}

/* The directory part must not be a link either: opened step by step, following nothing. */
static int open_plain(int root, const struct gt_store_file *file)
{
	const char *slash = strchr(file->name, '/'), *name = slash ? slash + 1 : file->name;
	char part[GT_STORE_NAME_MAX];
	uid_t owner = 0;
	struct stat st;
	int dir = root, fd;

	snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - file->name) : 0, file->name);
	if (file->place)
		dir = open_other(root, file->place, &owner);
	else if (slash)
		dir = open_folder(root, part);
	if (dir < 0)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (dir != root)
		close(dir);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !(file->place ? is_owned(&st, owner) : S_ISREG(st.st_mode)))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

/* gt_plain_read over a descriptor */
static int64_t read_plain(void *self, uint64_t offset, void *to, size_t bytes)
{
	return gt_store_pread(((const struct open_file *)self)->fd, to, bytes, offset);
}

static int choose_file(struct gt_store *s, struct open_file *f, uint32_t file)
{
	struct dir *d = s->self;
	struct gt_store_name name;

	if (f->fd >= 0)
		close(f->fd);
	f->fd = open_plain(d->root, &s->files[file]);
	f->file = file;
	f->stage.n = 0;
	if (f->fd < 0)
		return -1;
	if (gt_store_name_parse(s->files[file].name, &name) && name.is_stream)
		gt_stage_find(&f->stage, read_plain, f);
	return 0;
}

static int64_t dir_read(struct gt_store *s, uint32_t file, uint64_t offset, void *to, size_t bytes)
{
	struct dir *d = s->self;
	struct open_file *f = &d->open[file % OPEN_FILES];
	int64_t got = -1;
	int why;

	if (offset > INT64_MAX - bytes)
		return 0;
	pthread_rwlock_rdlock(&f->lock);
	if (f->fd < 0 || f->file != file) {       /* chosen, and read, alone */
		pthread_rwlock_unlock(&f->lock);
		pthread_rwlock_wrlock(&f->lock);
	}
	if ((f->fd >= 0 && f->file == file) || !choose_file(s, f, file))
		got = gt_stage_read(&f->stage, read_plain, f, offset, to, bytes);
	why = errno;
	pthread_rwlock_unlock(&f->lock);
	errno = why;
	return got;
}

static void dir_close(struct gt_store *s)
{
	struct dir *d = s->self;

	for (size_t i = 0; i < OPEN_FILES; i++) {
		if (d->open[i].fd >= 0)
			close(d->open[i].fd);
		pthread_rwlock_destroy(&d->open[i].lock);
	}
	close(d->root);
	free(d);
}

static int scan(struct gt_store *s, int fd, const char *prefix, struct gt_err *err);

/* "4711.1" */
static bool is_image_name(const char *name)
{
	char probe[GT_STORE_NAME_MAX];
	struct gt_store_name parsed;

	if (strlen(name) + 6 > sizeof(probe))
		return false;
	snprintf(probe, sizeof(probe), "%.70s/meta", name);
	return gt_store_name_parse(probe, &parsed);
}

/* ---- other ---- */

/* Name in the trace of a file in a folder of `other`; false: none that a trace can have. */
static bool name_in_other(const char *folder, const char *name, char full[GT_STORE_NAME_MAX])
{
	struct gt_store_name parsed;

	if ((size_t)snprintf(full, GT_STORE_NAME_MAX, "%s/%s", folder, name) < GT_STORE_NAME_MAX &&
		gt_store_name_parse(full, &parsed))
		return true;
	/* what belongs to the run as a whole, and could not be put there */
	return (!strncmp(name, "table.", 6) || !strncmp(name, GT_FUNCTIONS_FILE, strlen(GT_FUNCTIONS_FILE))) &&
		(size_t)snprintf(full, GT_STORE_NAME_MAX, "%s", name) < GT_STORE_NAME_MAX &&
		gt_store_name_parse(full, &parsed);
}

/* The files of one folder of `other`: looked at, or added. -1: not all one owner's, or no memory. */
static int each_in_other(struct gt_store *s, DIR *dir, const char *folder, uint64_t place, uid_t owner, bool add)
{
	char full[GT_STORE_NAME_MAX];
	struct gt_store_file *f;
	struct dirent *e;
	struct stat st;

	rewinddir(dir);
	while ((e = readdir(dir))) {
		if (!name_in_other(folder, e->d_name, full) || fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (!is_owned(&st, owner))
			return -1;
		if (!add)
			continue;
		f = gt_store_add(s, full, (uint64_t)st.st_size);
		if (!f)
			return -1;
		f->place = place;
		f->owner = owner;
		f->added = true;
	}
	return 0;
}

/* The first bytes of a plain file, with a zero behind them; "" when there is none. */
static void read_head(int dir, const char *name, char *to, size_t room)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int64_t n = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) ? gt_store_pread(fd, to, room - 1, 0) : 0;

	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
}

enum { HEAD = 16384 };                    /* bytes of `run` and `meta` in front of which the id stands */

static bool read_run_id(int dir, const char *name, char id[17])
{
	char head[HEAD];
	const char *line;

	id[0] = 0;
	read_head(dir, name, head, sizeof(head));
	line = strncmp(head, "run_id=", 7) ? strstr(head, "\nrun_id=") : head;
	return line && sscanf(line + (*line == '\n'), "run_id=%16[0-9a-f]", id) == 1;
}

/* STOREDIR2 */
static bool is_of_run(const struct dir *d, int folder)
{
	char id[17];
	struct stat st;

	if (!d->run_id[0])
		return true;
	if (!fstatat(folder, d->run_id, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		return true;
	return read_run_id(folder, "meta", id) && !strcmp(id, d->run_id);
}

static bool add_mark(struct gt_store *s, unsigned pid, unsigned instance, const char *key, uint32_t number)
{
	char name[GT_STORE_NAME_MAX];

	snprintf(name, sizeof(name), GT_MARK_FILE "%08x%08x.%s.%u", pid, instance, key, number);
	return gt_store_add(s, name, 0) != NULL;
}

/* Whether the folder is the run's, and was taken or counted. */
static bool scan_folder(struct gt_store *s, int other, const char *name)
{
	struct gt_store_name parsed;
	char probe[GT_STORE_NAME_MAX];
	int fd = open_folder(other, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct stat st;

	snprintf(probe, sizeof(probe), "%.70s/meta", name);
	gt_store_name_parse(probe, &parsed);
	uint64_t place = place_of(parsed.pid, parsed.instance);
	bool ours = dir && is_of_run(s->self, fd);

	if (ours && (fstat(fd, &st) || each_in_other(s, dir, name, place, st.st_uid, false) ||
			    !add_mark(s, (unsigned)parsed.pid, (unsigned)parsed.instance, GT_ADDED_MARK, st.st_uid) ||
			    each_in_other(s, dir, name, place, st.st_uid, true)))
		s->refused++;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return ours;
}

/* Takes fd over. */
static void scan_other(struct gt_store *s, int fd)
{
	DIR *dir = fdopendir(fd);
	uint32_t foreign = 0;
	struct stat st;

	if (!dir) {
		close(fd);
		return;
	}
	s->open = !fstat(fd, &st) && st.st_mode & S_IWOTH;
	for (struct dirent *e; (e = readdir(dir));)
		if (is_image_name(e->d_name))
			foreign += !scan_folder(s, fd, e->d_name);
	closedir(dir);
	if (foreign && !add_mark(s, 0, 0, GT_FOREIGN_MARK, foreign))
		s->refused += foreign;
}

/*
 * Of an image whose process could make no file in it: the writer gives its folders this mode, whatever the umask. What
 * it counted stands in marks beside it as well, so a folder whose mode somebody changed hides nothing of a run.
 */
static bool is_own_folder(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0700;
}

/* A process that made its folder, and no file in it: as if it had said so. */
static int mark_empty(struct gt_store *s, const char *image, struct gt_err *err)
{
	char name[GT_STORE_NAME_MAX];
	unsigned pid = 0, instance = 0;

	sscanf(image, "%u.%u", &pid, &instance);
	snprintf(name, sizeof(name), GT_MARK_FILE "%016x.failed.%u", instance, pid);
	return gt_store_add(s, name, 0) ? 0 : gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", s->path);
}

static int scan_entry(struct gt_store *s, int fd, const char *prefix, const char *name, struct gt_err *err)
{
	char full[GT_STORE_NAME_MAX];
	struct gt_store_name parsed;
	struct stat st;
	size_t files;
	bool image = !*prefix && is_image_name(name), own;
	int sub;

	if (!*prefix && !strcmp(name, "other") && (sub = open_folder(fd, name)) >= 0)
		scan_other(s, sub);
	if ((size_t)snprintf(full, sizeof(full), "%s%s", prefix, name) >= sizeof(full))
		return 0;
	if (!image && !gt_store_name_parse(full, &parsed))
		return 0;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;                         /* gone since it was listed */
	if (image ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return gt_fail(err, GT_EXIT_INPUT,
			"a trace holds plain files and directories only; links are not followed", NULL, "%s/%s: %s",
			s->path, full, S_ISLNK(st.st_mode) ? "is a symbolic link" : "is not what its name says");
	if (!image) {
		struct gt_store_file *f = gt_store_add(s, full, (uint64_t)st.st_size);

		if (!f)
			return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", s->path);
		f->owner = st.st_uid;
		return 0;
	}
	sub = open_folder(fd, name);
	if (sub < 0)
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be opened", s->path, full);
	snprintf(full, sizeof(full), "%.70s/", name);
	files = s->n_files;
	own = is_own_folder(sub);
	return scan(s, sub, full, err) < 0 || (s->n_files == files && own && mark_empty(s, name, err) < 0) ? -1 : 0;
}

/* Takes fd over. */
static int scan(struct gt_store *s, int fd, const char *prefix, struct gt_err *err)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	int rc = 0;

	if (!dir) {
		close(fd);
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be listed", s->path, prefix);
	}
	while (rc == 0 && (e = readdir(dir)))
		rc = scan_entry(s, dirfd(dir), prefix, e->d_name, err);
	closedir(dir);
	return rc;
}

int gt_store_open_dir(struct gt_store *s, int fd, struct gt_err *err)
{
	struct dir *d = malloc(sizeof(*d));
	int list = d ? openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (list < 0) {
		free(d);
		close(fd);
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s: cannot be listed", s->path);
	}
	d->root = fd;
	for (size_t i = 0; i < OPEN_FILES; i++) {
		pthread_rwlock_init(&d->open[i].lock, NULL);
		d->open[i].fd = -1;
	}
	read_run_id(fd, "run", d->run_id);
	s->self = d;
	s->read = dir_read;
	s->close = dir_close;
	return scan(s, list, "", err);
}
