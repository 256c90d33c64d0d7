/*
 * common/temporary.c - names of files that are not finished
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/plain/unfinished.h"

static char run[17];                      /* whose work it is; "": nobody said */

void gt_temporary_run(const char *id)
{
	if (id && strlen(id) == sizeof run - 1 && strspn(id, "0123456789abcdef") == sizeof run - 1)
		memcpy(run, id, sizeof run);
}

bool gt_temporary_name(const char *final, char *out, size_t room)
{
	uint64_t random;

	if (!*run && getrandom(&random, sizeof random, 0) == sizeof random)
		snprintf(run, sizeof run, "%016llx", (unsigned long long)random);
	return getrandom(&random, sizeof random, 0) == sizeof random &&
		gc_unfinished_name(final, run, random, out, room);
}

int gt_create_own(const char *path, int flags)
{
	int fd = open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		fchmod(fd, 0600);
	return fd;
}

/* ------------------------------------------------------------------ what a killed process left */

/* "x.ncu-rep.RUN-RANDOM.part.4711.part", which is made beside an unfinished file, as that file. */
static bool is_of(const char *name, const char *final)
{
	char without[NAME_MAX + 1];
	size_t n = strlen(name);

	if (gc_unfinished_is_of(name, final))
		return true;
	if (n < 6 || n > NAME_MAX || strcmp(name + n - 5, ".part"))
		return false;
	for (n -= 5; n && name[n - 1] >= '0' && name[n - 1] <= '9'; n--)
		;
	snprintf(without, sizeof without, "%.*s", n ? (int)n - 1 : 0, name);
	return gc_unfinished_is_of(without, final);
}

/* A file of ours that nobody has open: the kernel grants a lease for writing then, and only then. */
static void remove_unused(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	/* SIGURG: to be told of who opens it now ends nobody, as SIGIO would */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !fcntl(fd, F_SETSIG, SIGURG) &&
		!fcntl(fd, F_SETLEASE, F_WRLCK)) {
		unlinkat(folder, name, 0);
		fcntl(fd, F_SETLEASE, F_UNLCK);
	}
	close(fd);
}

static void remove_leftovers(const char *final)
{
	const char *slash = strrchr(final, '/'), *name = slash ? slash + 1 : final;
	char folder[PATH_MAX];
	DIR *dir;

	if ((size_t)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - final) : 1,
		    slash ? final : ".") >= sizeof folder)
		return;
	dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (is_of(e->d_name, name))
			remove_unused(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
}

/* ------------------------------------------------------------------ the name */

/* Not every file system can rename without replacing; where none can, a name that was free a moment ago has to do. */
int gt_temporary_put(const char *temporary, const char *final, bool replace)
{
	enum { NO_REPLACE = 1 << 0 };   /* RENAME_NOREPLACE, which older headers lack as they do the function */
	struct stat st;

	if (replace) {
		if (rename(temporary, final))
			return -1;
		remove_leftovers(final);
		return 0;
	}
	if (!syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, final, NO_REPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (!lstat(final, &st)) {
		errno = EEXIST;
		return -1;
	}
	return rename(temporary, final);
}
