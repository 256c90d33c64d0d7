/*
 * tests/e2e/ftrace/calls.c - a known number of system calls, by two threads and a child
 *
 * calls N: getppid N times in main's thread, sched_yield N times in another one, umask N times in a child.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int n;

static void *other(void *unused)
{
	(void)unused;
	for (int i = 0; i < n; i++)
		syscall(SYS_sched_yield);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;
	int status;

	n = argc > 1 ? atoi(argv[1]) : 100;
	if (pthread_create(&thread, NULL, other, NULL))
		return 1;
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
	pthread_join(thread, NULL);
	child = fork();
	if (!child) {
		for (int i = 0; i < n; i++)
			syscall(SYS_umask, 027);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	printf("%d %d %d ", (int)getpid(), (int)child, (int)getppid());
	printf("%d %d %d\n", SYS_getppid, SYS_sched_yield, SYS_umask);
	return 3;
}
