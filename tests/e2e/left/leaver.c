/*
 * tests/e2e/left/leaver.c - a program that leaves a process behind, which starts another program when it is told to
 *
 *	leaver WAY GO FACTS STATUS PROGRAM [ARG]...
 *
 * WAY: daemon (daemon(3)), setsid, double (two forks and a session of its own), orphan (a fork in the same group),
 * starts (an orphan that starts the program by posix_spawn and waits for it), threaded (an orphan whose first thread
 * ends). What is left waits until its parent is gone, writes into the file FACTS who it is, reads a line from the FIFO
 * GO, and execs PROGRAM. The first process ends with STATUS at once.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char **args;
static pid_t first, first_group, first_session;

static int parent_gone[2];

/* The end of the pipe says that the parent ends, which is a moment before it is another's child. */
static void await_parent(pid_t parent)
{
	char c;

	close(parent_gone[1]);
	while (read(parent_gone[0], &c, 1) > 0)
		;
	while (getppid() == parent)
		usleep(1000);
	close(parent_gone[0]);
}

static void say_facts(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		_exit(8);
	fprintf(f, "parent %d, leads group: %d, session: %d; in the first one's group: %d, in its session: %d\n",
		getppid(), getpgrp() == getpid(), getsid(0) == getpid(), getpgrp() == first_group,
		getsid(0) == first_session);
	fclose(f);
}

static void await_go(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c;

	while (fd >= 0 && read(fd, &c, 1) == 1 && c != '\n')
		;
	close(fd);
}

static void start(void)
{
	pid_t pid;
	int status;

	if (posix_spawn(&pid, args[5], NULL, NULL, args + 5, environ))
		_exit(9);
	waitpid(pid, &status, 0);
	_exit(0);
}

static void *goes_on(void *unused)
{
	await_go(args[2]);
	execv(args[5], args + 5);
	_exit(9);
	return unused;
}

static void stay(const char *way)
{
	say_facts(args[3]);
	if (!strcmp(way, "threaded")) {
		pthread_t t;

		pthread_create(&t, NULL, goes_on, NULL);
		pthread_exit(NULL);
	}
	await_go(args[2]);
	if (!strcmp(way, "starts"))
		start();
	execv(args[5], args + 5);
	_exit(9);
}

int main(int argc, char **argv)
{
	const char *way;

	if (argc < 6 || pipe2(parent_gone, O_CLOEXEC))
		return 2;
	way = argv[1];
	args = argv;
	first = getpid();
	first_group = getpgrp();
	first_session = getsid(0);
	if (!strcmp(way, "daemon")) {
		if (daemon(1, 1))
			return 2;
		await_parent(first);
		stay(way);
	}
	if (fork())
		_exit(atoi(argv[4]));
	await_parent(first);
	if (!strcmp(way, "setsid") || !strcmp(way, "double"))
		setsid();
	if (!strcmp(way, "double")) {
		pid_t middle = getpid();

		if (pipe2(parent_gone, O_CLOEXEC))
			_exit(8);
		if (fork())
			_exit(0);
		await_parent(middle);
	}
	stay(way);
}
