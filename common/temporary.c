/*
 * common/temporary.c - names of files that are not finished
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/temporary.h"

#include <errno.h>
#include <fcntl.h>
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

/* Not every file system can rename without replacing; where none can, a name that was free a moment ago has to do. */
int gt_temporary_put(const char *temporary, const char *final, bool replace)
{
	enum { NO_REPLACE = 1 << 0 };   /* RENAME_NOREPLACE, which older headers lack as they do the function */
	struct stat st;

	if (replace)
		return rename(temporary, final);
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
