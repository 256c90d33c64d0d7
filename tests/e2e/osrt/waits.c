/*
 * tests/e2e/osrt/waits.c - one wait of each kind, between two threads that say who they are
 *
 * Prints a line for each: the function that waited, who waited, who ended it (0: nobody did in time), and for what
 * (the address that both sides named; 0: it is none).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "asleep.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, own_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static _Atomic pid_t waiting; /* the thread that is about to wait */
static pthread_t waiting_thread; /* its handle */
static int go, word, ends[2];

static void wait_lock(void) { pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock); }
static void wait_read(void) { pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock); }
static void wait_write(void) { pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock); }
static void wait_post(void) { sem_wait(&semaphore); }
static void wait_barrier(void) { pthread_barrier_wait(&barrier); }
static void wait_condition(void)
{
	pthread_mutex_lock(&lock);
	while (!go)
		pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
}
static void wait_in_vain(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 20000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&own_lock);
	pthread_cond_timedwait(&never, &own_lock, &until);
	pthread_mutex_unlock(&own_lock);
}

static void wait_word(void)
{
	while (!__atomic_load_n(&word, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}
static void wait_signal(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &number);
}
static void wait_data(void)
{
	char c;

	if (read(ends[0], &c, 1) != 1)
		go = -1;
}

static void give_word(void)
{
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void send_signal(void) { pthread_kill(waiting_thread, SIGUSR1); }
static void give_data(void)
{
	if (write(ends[1], "x", 1) != 1)
		go = -1;
}

static void take_lock(void) { pthread_mutex_lock(&lock); }
static void give_lock(void) { pthread_mutex_unlock(&lock); }
static void take_rwlock(void) { pthread_rwlock_wrlock(&rwlock); }
static void give_rwlock(void) { pthread_rwlock_unlock(&rwlock); }
static void post(void) { sem_post(&semaphore); }
static void nothing(void) {}
static void signal_it(void)
{
	pthread_mutex_lock(&lock);
	go = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&lock);
}

static const struct {
	const char *name;
	void (*before)(void), (*wait)(void), (*wake)(void); /* before and wake: of the other thread */
	const void *object;
} kinds[] = {
	{ "pthread_mutex_lock", take_lock, wait_lock, give_lock, &lock },
	{ "pthread_rwlock_rdlock", take_rwlock, wait_read, give_rwlock, &rwlock },
	{ "pthread_rwlock_wrlock", take_rwlock, wait_write, give_rwlock, &rwlock },
	{ "pthread_cond_wait", nothing, wait_condition, signal_it, &condition },
	{ "sem_wait", nothing, wait_post, post, &semaphore },
	{ "pthread_barrier_wait", nothing, wait_barrier, wait_barrier, &barrier },
	{ "pthread_cond_timedwait", nothing, wait_in_vain, nothing, &never },
	{ "futex", nothing, wait_word, give_word, &word },
	{ "sigwait", nothing, wait_signal, send_signal, NULL },
	{ "read", nothing, wait_data, give_data, NULL }, /* the kernel alone can tell */
};

static void *waiter(void *arg)
{
	waiting_thread = pthread_self();
	waiting = gettid();
	kinds[*(int *)arg].wait();
	return NULL;
}

/* Makes the waiter, sees it asleep, wakes it, and waits for its end. */
static void *waker(void *arg)
{
	int kind = *(int *)arg;
	pthread_t t;

	waiting = 0;
	kinds[kind].before();
	pthread_create(&t, NULL, waiter, arg);
	while (!waiting)
		;
	wait_asleep(waiting);
	printf("%s %d %d %#lx\n", kinds[kind].name, waiting, kinds[kind].wake == nothing ? 0 : gettid(),
		(unsigned long)kinds[kind].object);
	kinds[kind].wake();
	pthread_join(t, NULL);
	return NULL;
}

static void *sleeper(void *arg)
{
	(void)arg;
	waiting = gettid();
	usleep(20000);
	return NULL;
}

int main(void)
{
	sigset_t set;
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pipe(ends))
		return 1;
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++) {
		pthread_create(&t, NULL, waker, &i);
		pthread_join(t, NULL);
	}
	waiting = 0;
	pthread_create(&t, NULL, sleeper, NULL);
	pthread_join(t, NULL);
	printf("pthread_join %d %d 0\n", gettid(), waiting);
	fflush(stdout);
	pid_t child = fork();

	if (!child) {
		usleep(20000);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	printf("waitpid %d %d 0\n", gettid(), child);
	return 0;
}
