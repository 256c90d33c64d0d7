/*
 * tests/e2e/launcher/dies.c - preloaded into the launcher: it is killed at a certain step
 *
 * DIES_BEHIND=TEXT: behind the line of a trace's `run` that begins with TEXT. DIES_BEFORE=ENDING: when a file is about
 * to get a name with that ending.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

ssize_t write(int fd, const void *text, size_t n)
{
	const char *at = getenv("DIES_BEHIND");
	ssize_t done = syscall(SYS_write, fd, text, n);

	if (at && *at && n >= strlen(at) && !memcmp(text, at, strlen(at)))
		raise(SIGKILL);
	return done;
}

int rename(const char *from, const char *to)
{
	const char *end = getenv("DIES_BEFORE");

	if (end && *end && strlen(to) >= strlen(end) && !strcmp(to + strlen(to) - strlen(end), end))
		raise(SIGKILL);
	return (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}
