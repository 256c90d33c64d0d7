/*
 * tests/e2e/live/moment.c - preloaded into the launcher: when it has moved the trace, a child of the program goes on
 *
 * At the first name that a trace loses, the file `moved` is made, and `done` is waited for. With NO_EXCHANGE the file
 * system is one that cannot exchange two names.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void child_goes_on(void)
{
	static int before;
	int fd;

	if (before++ || (fd = open("moved", O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) < 0)
		return;
	close(fd);
	for (int i = 0; i < 6000 && access("done", F_OK); i++)
		usleep(10000);
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
	size_t n = strlen(from);
	int rc = real(from, to), e = errno;

	if (!rc && n > 7 && !strcmp(from + n - 7, ".gputap"))
		child_goes_on();
	errno = e;
	return rc;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), a[6], rc;
	va_list ap;
	int e;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_renameat2 && getenv("NO_EXCHANGE")) {
		errno = EINVAL;
		return -1;
	}
	rc = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	e = errno;
	if (number == SYS_renameat2 && !rc)
		child_goes_on();
	errno = e;
	return rc;
}
