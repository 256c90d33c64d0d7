/*
 * tests/e2e/osrt/counts.c - calls of the C library that are one system call each, by threads and by children
 *
 * counts N: each of three threads, of a forked child and of a program that this one becomes makes each call N times,
 * and each of its calls a number of times of its own: a mix-up of two functions shows.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int number;

static void *work(void *arg)
{
	char name[] = "/tmp/gputap-counts-XXXXXX";
	int fd = mkstemp(name), epoll = epoll_create1(0), pair[2];
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct epoll_event event = { .events = EPOLLIN };

	unlink(name);
	for (int i = 0; i < number; i++) {
		(void)!ftruncate(fd, i);
		for (int k = 0; k < 2; k++)
			flock(fd, k ? LOCK_UN : LOCK_SH);
		for (int k = 0; k < 3; k++)
			(void)!pwrite(fd, "x", 1, k);
		for (int k = 0; k < 4; k++)
			sched_yield();
		for (int k = 0; k < 5; k++)
			kill(getpid(), 0);
		for (int k = 0; k < 6; k++)
			msync(page, 4096, MS_ASYNC);
		for (int k = 0; k < 8; k++)
			fcntl(fd, F_GETFD);
		socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
		for (int k = 0; k < 7; k++)
			epoll_ctl(epoll, k % 2 ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, pair[0], &event);
		shutdown(pair[0], SHUT_RDWR);
		shutdown(pair[1], SHUT_RDWR);
		close(pair[0]);
		close(pair[1]);
		fdatasync(-1); /* one that fails */
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	pid_t child;

	number = argc > 1 ? atoi(argv[1]) : 1;
	if (argc > 2) { /* what the child became */
		work(NULL);
		return 0;
	}
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	child = fork();
	if (!child) {
		work(NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = fork();
	if (!child) {
		execl("/proc/self/exe", argv[0], argv[1], "again", (char *)NULL);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	return 0;
}
