/*
 * common/temporary.c - names of files that are not finished
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/temporary.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

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
