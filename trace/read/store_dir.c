/*
 * trace/read/store_dir.c - a trace as the writer left it: a directory
 *
 * Only names that a trace can have are looked at. Symbolic links and anything that is not a plain file are refused: a
 * trace may come from a stranger, and reading it must not read something else.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format/rec.h"
#include "trace/read/store.h"

#define OPEN_FILES 64                     /* descriptors held at most: a trace may have thousands of streams */

/* A chunk that stands in a window of its file (REC_CHUNK_STAGE) and not, or not wholly, in its own place. */
struct staged { uint64_t target, image, bytes; };

struct open_file {
	int fd;
	uint32_t file;
	unsigned n_staged;
	struct staged staged[2];
};

struct dir {
	int root;
	struct open_file open[OPEN_FILES];
};

/* The directory part must not be a link either: opened step by step, following nothing. */
static int open_plain(int root, const char *name)
{
	const char *slash = strchr(name, '/');
	char part[GT_STORE_NAME_MAX];
	struct stat st;
	int dir = root, fd;

	if (slash) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - name), name);
		dir = openat(root, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (dir < 0)
			return -1;
		name = slash + 1;
	}
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (dir != root)
		close(dir);
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static int64_t read_plain(int fd, uint64_t offset, void *to, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (int64_t)done;
}

/* Where `offset` of the file really stands, and how many of `*bytes` stand there together. */
static uint64_t place_of(const struct open_file *f, uint64_t offset, size_t *bytes)
{
	for (unsigned i = 0; i < f->n_staged; i++) {
		const struct staged *w = &f->staged[i];

		if (offset >= w->target && offset - w->target < w->bytes) {
			if (*bytes > w->bytes - (offset - w->target))
				*bytes = w->bytes - (offset - w->target);
			return w->image + (offset - w->target);
		}
		if (offset < w->target && *bytes > w->target - offset)
			*bytes = w->target - offset;
	}
	return offset;
}

static int64_t read_staged(const struct open_file *f, uint64_t offset, void *to, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		size_t part = bytes - done;
		uint64_t at = place_of(f, offset + done, &part);
		int64_t got = read_plain(f->fd, at, (char *)to + done, part);

		if (got < 0)
			return -1;
		done += (size_t)got;
		if ((size_t)got < part)
			break;
	}
	return (int64_t)done;
}

/* Windows stand before the chunks they hold: one look along the row, as far as the second. */
static void find_windows(struct open_file *f)
{
	struct rec_chunk c;
	unsigned seen = 0;

	f->n_staged = 0;
	for (uint64_t at = REC_CONTROL_BYTES; seen < 2;) {
		if (read_staged(f, at, &c, sizeof(c)) < (int64_t)sizeof(c) || c.magic != REC_CHUNK_MAGIC ||
		    c.bytes < sizeof(c) || c.bytes > INT64_MAX / 2 - at)
			return;
		if (c.kind == REC_CHUNK_STAGE && ++seen && c.bytes > REC_STAGE_IMAGE && c.rec_stage_target > at &&
		    c.rec_stage_target < INT64_MAX / 2 && c.rec_stage_target % REC_BLOCK == 0)
			f->staged[f->n_staged++] = (struct staged){ c.rec_stage_target, at + REC_STAGE_IMAGE, c.bytes - REC_STAGE_IMAGE };
		at = (at + c.bytes + REC_BLOCK - 1) / REC_BLOCK * REC_BLOCK;
	}
}

static int64_t dir_read(struct gt_store *s, uint32_t file, uint64_t offset, void *to, size_t bytes)
{
	struct dir *d = s->self;
	struct open_file *f = &d->open[file % OPEN_FILES];
	struct gt_store_name name;

	if (offset > INT64_MAX - bytes)
		return 0;
	if (f->fd < 0 || f->file != file) {
		if (f->fd >= 0)
			close(f->fd);
		f->fd = open_plain(d->root, s->files[file].name);
		f->file = file;
		f->n_staged = 0;
		if (f->fd < 0)
			return -1;
		if (gt_store_name_parse(s->files[file].name, &name) && name.is_stream)
			find_windows(f);
	}
	return read_staged(f, offset, to, bytes);
}

static void dir_close(struct gt_store *s)
{
	struct dir *d = s->self;

	for (size_t i = 0; i < OPEN_FILES; i++)
		if (d->open[i].fd >= 0)
			close(d->open[i].fd);
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

static int scan_entry(struct gt_store *s, int fd, const char *prefix, const char *name, struct gt_err *err)
{
	char full[GT_STORE_NAME_MAX];
	struct gt_store_name parsed;
	struct stat st;
	bool image = !*prefix && is_image_name(name);
	int sub;

	if ((size_t)snprintf(full, sizeof(full), "%s%s", prefix, name) >= sizeof(full))
		return 0;
	if (!image && !gt_store_name_parse(full, &parsed))
		return 0;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;                         /* gone since it was listed */
	if (image ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return gt_fail(err, GT_EXIT_INPUT, "a trace holds plain files and directories only; links are not followed", NULL,
		               "%s/%s: %s", s->path, full, S_ISLNK(st.st_mode) ? "is a symbolic link" : "is not what its name says");
	if (!image)
		return gt_store_add(s, full, (uint64_t)st.st_size) ? 0 : gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "%s: out of memory", s->path);
	sub = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0)
		return gt_fail(err, GT_EXIT_INPUT, strerror(errno), NULL, "%s/%s: cannot be opened", s->path, full);
	snprintf(full, sizeof(full), "%.70s/", name);
	return scan(s, sub, full, err);
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
	for (size_t i = 0; i < OPEN_FILES; i++)
		d->open[i].fd = -1;
	s->self = d;
	s->read = dir_read;
	s->close = dir_close;
	return scan(s, list, "", err);
}
