/*
 * tests/e2e/osrt/kinds.c - one of each: locks, conditions, semaphores, cancellation, files, processes
 *
 * kinds [COUNT]: prints what it saw; whatever a wrapper changed (results, errno, cancellation) shows there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t ready, never;
static int go;
extern char **environ;

/* A library's constructor, long before main and before gputap's own. */
__attribute__((constructor(102))) static void early(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	usleep(10);
}

__attribute__((destructor)) static void late(void) { usleep(11); }

static pid_t thread_id;                 /* of the thread that is about to wait */

static void tell(void)
{
	thread_id = gettid();
	sem_post(&ready);
}

static void *waiter(void *arg)
{
	pthread_mutex_lock(&lock);
	sem_post(&ready);
	while (!go)
		pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *contender(void *arg)
{
	tell();
	pthread_mutex_lock(&lock);      /* held by main */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void cleanup(void *arg) { *(int *)arg = 1; }

static void *cancelled(void *arg)
{
	pthread_cleanup_push(cleanup, arg);
	tell();
	sem_wait(&never);
	pthread_cleanup_pop(0);
	return NULL;
}

static void threads(void)
{
	pthread_t t;
	void *back;
	int cleaned = 0;

	pthread_create(&t, NULL, waiter, &go);
	sem_wait(&ready);
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&lock);
	pthread_join(t, &back);
	printf("waiter %d\n", back == &go);

	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, contender, NULL);
	sem_wait(&ready);
	wait_asleep(thread_id);
	usleep(20000);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);

	pthread_create(&t, NULL, cancelled, &cleaned);
	sem_wait(&ready);
	wait_asleep(thread_id);
	pthread_cancel(t);
	pthread_join(t, &back);
	printf("cancelled %d %d\n", back == PTHREAD_CANCELED, cleaned);

	/* a pending cancellation is acted on although the semaphore is free */
	sem_post(&never);
	printf("free semaphore %d\n", sem_wait(&never));
	errno = 77;
	printf("empty semaphore %d %d\n", sem_trywait(&never), errno);
}

static void files(const char *path)
{
	char text[64] = "";
	FILE *f;
	int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0640), c, sum = 0;

	printf("written %zd\n", write(fd, "twelve bytes", 12));
	printf("read %zd %s\n", pread(fd, text, sizeof text, 0), text);
	close(fd);
	errno = 0;
	printf("missing %d %d\n", open("/no/such/file", O_RDONLY), errno);
	f = fopen(path, "r");
	while ((c = getc(f)) != EOF)
		sum += c;
	printf("sum %d\n", sum);
	fclose(f);
	f = popen("exit 3", "r");
	printf("popen %d\n", WEXITSTATUS(pclose(f)));
}

static void processes(void)
{
	char *argv[] = { "sh", "-c", "exit 5", NULL };
	int status;
	pid_t pid = vfork();

	if (!pid)
		_exit(7);
	waitpid(pid, &status, 0);
	printf("vfork %d\n", WEXITSTATUS(status));
	pid = vfork();
	if (!pid) {
		execve("/bin/sh", argv, environ);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	printf("vfork and exec %d\n", WEXITSTATUS(status));
	pid = fork();
	if (!pid) {
		usleep(12);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	printf("fork %d\n", WEXITSTATUS(status));
	printf("spawn %d\n", posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ));
	waitpid(pid, &status, 0);
	printf("spawned %d\n", WEXITSTATUS(status));
	printf("system %d\n", WEXITSTATUS(system("exit 4")));
	errno = 0;
	printf("futex %ld %d\n", syscall(SYS_futex, &go, 0 /* FUTEX_WAIT */, 99, NULL, NULL, 0), errno);
}

static sigjmp_buf back_here;
static void handler(int signal)
{
	(void)signal;
	(void)!write(-1, "", 0);        /* a call in a handler */
	siglongjmp(back_here, 1);
}

static void jumps(void)
{
	struct itimerval once = { .it_value.tv_usec = 20000 };
	const struct timespec minute = { 60, 0 };

	signal(SIGALRM, handler);
	if (!sigsetjmp(back_here, 1)) {
		setitimer(ITIMER_REAL, &once, NULL);
		nanosleep(&minute, NULL);
	}
	puts("jumped");
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 0;
	char byte = 0;

	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	threads();
	files(argc > 1 ? argv[1] : "/tmp/kinds.txt");
	processes();
	jumps();
	int null = open("/dev/null", O_WRONLY);

	for (int i = 0; i < count; i++)
		if (write(null, &byte, 1) != 1)
			return 1;
	return 0;
}
