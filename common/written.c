/*
 * common/written.c - whether what was printed has arrived
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/written.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The C library drops what it could not write earlier, and keeps no reason: the usual ones can be seen. 0: none. */
static int reason_of(int fd)
{
	struct rlimit limit;
	struct statvfs st;
	off_t at = lseek(fd, 0, SEEK_CUR);

	if (at >= 0 && !getrlimit(RLIMIT_FSIZE, &limit) && (rlim_t)at >= limit.rlim_cur)
		return EFBIG;
	return at >= 0 && !fstatvfs(fd, &st) && !st.f_bavail ? ENOSPC : 0;
}

int gt_written(FILE *f, const char *shown, struct gt_err *err)
{
	errno = 0;
	bool failed = fflush(f) || ferror(f);

	if (!failed)
		return 0;
	int why = errno ? errno : reason_of(fileno(f));

	return gt_fail(err, GT_EXIT_OUTPUT, why ? strerror(why) : NULL, NULL, "%s cannot be written", shown);
}
