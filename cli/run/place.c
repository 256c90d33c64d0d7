/*
 * cli/run/place.c - the directory of a run, as its launcher keeps it
 *
 * Where the launcher is root, processes of the run that give their privileges up still have a place in it, `other`
 * (trace/write/run/dir.c RUNDIR1). Who cannot even reach that says so at a socket: its address is no file, so it needs
 * no permission and leaves nothing behind.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "common/plain/without.h"
#include "common/temporary.h"
#include "trace/format/counters.h"
#include "trace/format/passes.h"
#include "trace/format/rec.h"
#include "trace/read/store.h"

enum { MARKS_MAX = 4096 };              /* lines taken: anybody on this machine may send some */

static void inside(const struct gt_run *run, const char *tail, char path[PATH_MAX + 64])
{
	snprintf(path, PATH_MAX + 64, "%s/%s", run->trace, tail);
}

/* A failure costs other users' records, of which they leave a mark. */
static void open_to_others(const struct gt_run *run)
{
	char folder[PATH_MAX + 64], marker[PATH_MAX + 64], name[32];
	int fd;

	if (geteuid())
		return;
	snprintf(name, sizeof name, "other/%s", run->run_id);
	inside(run, "other", folder);
	inside(run, name, marker);
	if (mkdir(folder, 0700) || (fd = gt_create_own(marker, O_WRONLY)) < 0)
		return;
	close(fd);
	chmod(folder, 01733);
	chmod(run->trace, 0711);
}

static int listen_for_marks(const struct gt_run *run)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int n = snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "gputap-%s", run->run_id);

	socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&at, bytes)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Room for the counts of processes that find none any more. A failure costs these counts alone. */
static void make_lost_page(const struct gt_run *run)
{
	struct rec_control head = { .magic = REC_CONTROL_MAGIC, .version = REC_VERSION };
	char path[PATH_MAX + 64];

	inside(run, GT_LOST_FILE, path);
	int fd = gt_create_own(path, O_RDWR);

	if (fd < 0)
		return;
	if (posix_fallocate(fd, 0, REC_CONTROL_BYTES) || pwrite(fd, &head, sizeof head, 0) != (ssize_t)sizeof head)
		unlink(path);
	close(fd);
}

int gt_run_place(struct gt_run *run, struct gt_err *err)
{
	char path[PATH_MAX + 64];

	inside(run, "run", path);
	run->log = gt_create_own(path, O_RDWR | O_APPEND);
	if (run->log < 0)
		return gt_fail(err, GT_EXIT_OUTPUT, strerror(errno), NULL, "%s cannot be made", path);
	gt_run_log_start(run);
	open_to_others(run);
	make_lost_page(run);
	run->marks = listen_for_marks(run);
	return 0;
}

/* One line, KEY=VALUE, of a key that processes may send. */
static bool is_mark(const char *line, size_t n)
{
	static const char *const keys[] = { "failed=", "unrecorded=", "lost=", "unfollowed=", "unreachable=",
		"started=", "removed=", "removed_files=", "elsewhere=", "cuda_runtime=", GT_AWAITED_MARK "=" };
	bool known = false;

	for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++)
		known |= n > strlen(keys[i]) && !memcmp(line, keys[i], strlen(keys[i]));
	for (size_t i = 0; i + 1 < n; i++)
		known &= (unsigned char)line[i] >= 0x20;
	return known && line[n - 1] == '\n';
}

/* By a program that cannot reach its mark itself: there is one less that is awaited. */
static bool take_heard(const struct gt_run *run, const char *line, size_t n)
{
	unsigned long long mark;
	char path[PATH_MAX + 64], name[64];
	unsigned pid;
	int end = 0;

	if (n < 8 || n >= 64 || memcmp(line, "heard=", 6) || line[n - 1] != '\n')
		return false;
	snprintf(name, sizeof name, "%.*s", (int)n - 1, line);
	if (sscanf(name, "heard=%16llx.%9u%n", &mark, &pid, &end) == 2 && !name[end]) {
		snprintf(name, sizeof name, GT_MARK_FILE "%016llx." GT_AWAITED_MARK ".%u", mark, pid);
		inside(run, name, path);
		unlink(path);
	}
	return true;
}

void gt_run_take_marks(const struct gt_run *run)
{
	static unsigned taken;
	char line[PATH_MAX];
	ssize_t n;

	while (run->marks >= 0 && (n = recv(run->marks, line, sizeof line, MSG_DONTWAIT | MSG_TRUNC)) >= 0)
		if (n > 0 && (size_t)n <= sizeof line && !take_heard(run, line, (size_t)n) &&
			is_mark(line, (size_t)n) && taken++ < MARKS_MAX && write(run->log, line, (size_t)n) != n)
			return;         /* as any other line: gt_run_log */
}

void gt_run_take_named_marks(const struct gt_run *run)
{
	char key[32], value[32], line[80];
	DIR *dir = opendir(run->trace);
	bool held = gt_run_is_held(run);

	for (struct dirent *e; dir && (e = readdir(dir));) {
		/* Who is awaited may still come, and takes its mark away itself. */
		if (!gt_store_name_mark(e->d_name, key, value) || (held && !strcmp(key, GT_AWAITED_MARK)))
			continue;
		int n = snprintf(line, sizeof line, "%s=%s\n", key, value);

		/* Its process may live and change the name: who has it here is the one to tell of it. */
		if (is_mark(line, (size_t)n) && !unlinkat(dirfd(dir), e->d_name, 0) &&
			write(run->log, line, (size_t)n) != n)
			mknodat(dirfd(dir), e->d_name, S_IFREG | 0600, 0);
	}
	if (dir)
		closedir(dir);
}

static bool read_lost_page(const struct gt_run *run, struct rec_control *page)
{
	char path[PATH_MAX + 64];

	inside(run, GT_LOST_FILE, path);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool whole = fd >= 0 && gt_store_pread(fd, page, sizeof *page, 0) == (int64_t)sizeof *page;

	if (fd >= 0)
		close(fd);
	return whole;
}

uint64_t gt_run_told(const struct gt_run *run)
{
	struct rec_control page;

	return read_lost_page(run, &page) ? page.rec_run_told : 0;
}

/* Whether processes that could make no file counted something in the run's page. */
static bool counted_losses(const struct gt_run *run)
{
	struct rec_control page;
	bool any = false;

	if (read_lost_page(run, &page))
		for (int i = 0; i < REC_LOSS_COUNT; i++)
			any |= page.lost_by_others[i] != 0;
	return any;
}

void gt_run_remove_lost_page(const struct gt_run *run)
{
	char path[PATH_MAX + 64];
	struct rec_control page;

	inside(run, GT_LOST_FILE, path);
	if (read_lost_page(run, &page) && !page.pid)
		unlink(path);
}

static bool holds_image(const char *path)
{
	DIR *dir = opendir(path);
	bool found = false;

	for (struct dirent *e; dir && (e = readdir(dir));)
		found |= e->d_name[0] >= '0' && e->d_name[0] <= '9' && strchr(e->d_name, '.');
	if (dir)
		closedir(dir);
	return found;
}

bool gt_run_recorded(const struct gt_run *run)
{
	char other[PATH_MAX + 64], number[32];

	inside(run, "other", other);
	/* A number of calls that none could write is worth a trace too: `info` tells of them. */
	return holds_image(run->trace) || holds_image(other) || counted_losses(run) ||
		gt_run_says(run, "unrecorded", 0, number, sizeof number);
}

bool gt_run_says(const struct gt_run *run, const char *key, unsigned n, char *value, size_t room)
{
	char path[PATH_MAX + 64], line[PATH_MAX + 64];
	size_t length = strlen(key);
	bool found = false;
	FILE *f;

	inside(run, "run", path);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof line, f)) {
		if (strncmp(line, key, length) || line[length] != '=' || n-- > 0)
			continue;
		found = true;
		line[strcspn(line, "\n")] = 0;
		snprintf(value, room, "%s", line + length + 1);
	}
	if (f)
		fclose(f);
	return found;
}

bool gt_run_moved(const struct gt_run *run)
{
	char path[PATH_MAX + 64];
	struct stat at, ours;

	inside(run, "run", path);
	if (fstat(run->log, &ours) || !ours.st_nlink || gc_without("says-moved"))
		return false;
	return lstat(path, &at) || at.st_ino != ours.st_ino || at.st_dev != ours.st_dev;
}

void gt_run_remove_empty(const struct gt_run *run)
{
	static const char *const files[] = { "run", GT_CUDA_TABLE_FILE, REC_COUNTERS_FILE, REC_PASSES_FILE,
		GT_OUTPUT_FILE "1",
		GT_OUTPUT_FILE "2",
		GT_LOST_FILE };
	char path[PATH_MAX + 64], name[32];

	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		inside(run, files[i], path);
		unlink(path);
	}
	snprintf(name, sizeof name, "other/%s", run->run_id);
	inside(run, name, path);
	unlink(path);
	inside(run, "other", path);
	rmdir(path);
	rmdir(run->trace);
}
