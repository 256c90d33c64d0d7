/*
 * tests/e2e/children/starter.c - starts a program in the way that its first argument names, and ends as it does
 *
 * Says nothing itself, and makes no traced call unless the environment has STARTER_CALLS: then the parent is one that
 * records. STARTER_LINES: so many more lines in the environment. STARTER_UID: gives its privileges up before the start.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int status_of(pid_t pid)
{
	int status = 0;

	if (pid <= 0 || waitpid(pid, &status, 0) != pid)
		return 99;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int by_fork(int way, const char *path, char **argv)
{
	pid_t pid = way == 'v' ? vfork() : fork();

	if (!pid) {
		execve(path, argv, environ);
		_exit(98);
	}
	return status_of(pid);
}

static int by_spawn(int way, const char *path, char **argv)
{
	pid_t pid = 0;
	int err = (way == 'S' ? posix_spawnp : posix_spawn)(&pid, path, NULL, NULL, argv, environ);

	errno = err;
	return err ? 98 : status_of(pid);
}

/* Stays in this process when it fails: errno, and the environment as it was. */
static int fails(const char *path, char **argv)
{
	char **before = environ, *preload = getenv("LD_PRELOAD");
	char copy[4096] = "";

	snprintf(copy, sizeof copy, "%s", preload ? preload : "");
	errno = 0;
	if (execve(path, argv, environ) != -1 || errno != EACCES)
		return 1;
	errno = 0;
	if (execvp("no-such-program-anywhere", argv) != -1 || errno != ENOENT)
		return 2;
	if (environ != before || strcmp(copy, preload ? preload : ""))
		return 3;
	return 0;
}

static void more_lines(int n)
{
	char name[32];

	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof name, "STARTER_%d", i);
		setenv(name, "x", 1);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[1] : "?", *path = argv[2];
	cl_uint n;

	if (getenv("STARTER_CALLS"))
		clGetPlatformIDs(0, NULL, &n);
	if (getenv("STARTER_LINES"))
		more_lines(atoi(getenv("STARTER_LINES")));
	if (getenv("STARTER_UID") && setuid((uid_t)atoi(getenv("STARTER_UID"))))
		return 96;
	fflush(NULL);
	switch (*way) {
	case 'e': execve(path, argv + 2, environ); break;
	case 'p': execvp(path, argv + 2); break;
	case 'l': execl(path, path, argv[3], NULL); break;
	case 'f': fexecve(open(path, O_RDONLY | O_CLOEXEC), argv + 2, environ); break;
	case 'y': syscall(SYS_execve, path, argv + 2, environ); break;
	case 's': case 'S': return by_spawn(*way, path, argv + 2);
	case 'v': case 'k': return by_fork(*way, path, argv + 2);
	case 'm':                               /* many by vfork: what they hold of the parent's memory does not grow */
		for (int i = 0; i < 200; i++)
			if (by_fork('v', path, argv + 2))
				return 97;
		char command[64];

		snprintf(command, sizeof command, "wc -l </proc/%d/maps", getpid());
		return system(command);
	case 'c': return WEXITSTATUS(system(path));
	case 'x': return fails(path, argv + 2);
	}
	return 98;
}
