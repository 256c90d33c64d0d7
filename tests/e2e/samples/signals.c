/*
 * tests/e2e/samples/signals.c - a program that uses every signal it can: what it prints is the same whoever samples it
 *
 *   signals MS      computes MS in each of: the first thread with handlers for all signals, a thread that blocks all, a
 *                   forked child, a thread that began late; then cancels one
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static volatile sig_atomic_t expected, unexpected;
static double ms;
static sem_t rung;

static double used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#define COMPUTES(name) \
	__attribute__((noinline)) static void name(void) \
	{ \
		for (double end = used() + ms; used() < end;) \
			for (int i = 0; i < 100000; i++) \
				sink = sink + i * 0.5; \
	}
COMPUTES(in_first)
COMPUTES(in_handler)
COMPUTES(in_blocked)
COMPUTES(in_child)
COMPUTES(in_late)

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (number == SIGUSR1 && info->si_code == SI_TKILL) {
		expected = expected + 1;
		in_handler();
	} else {
		unexpected = unexpected + 1;
	}
}

static void take_all(void)
{
	struct sigaction a = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int taken = 0;

	for (int i = 1; i <= 64; i++)
		if (i != SIGCHLD && i != SIGTERM && i != SIGSEGV && i != SIGABRT && i != SIGINT)
			taken += !sigaction(i, &a, NULL);
	printf("handlers: %d\n", taken);
}

/* As daemons do: one thread takes all signals. */
static void *waits(void *unused)
{
	sigset_t all;
	int number = 0;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	in_blocked();
	while (sigwait(&all, &number) || number != SIGUSR2)
		printf("sigwait: %d\n", number);
	return (void *)(long)number;
}

static void ring(union sigval v)
{
	if (v.sival_int == 4711)
		sem_post(&rung);
	else
		unexpected = unexpected + 1;
}

static void *rings_and_late(void *unused)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring,
		.sigev_value.sival_int = 4711 };
	struct itimerspec when = { { 0, 2000000 }, { 0, 2000000 } };
	timer_t timer;

	sem_init(&rung, 0, 0);
	if (!timer_create(CLOCK_MONOTONIC, &e, &timer) && !timer_settime(timer, 0, &when, NULL))
		for (int i = 0; i < 5; i++)
			while (sem_wait(&rung) && errno == EINTR)
				;
	timer_delete(timer);
	in_late();
	return unused;
}

static void *sleeps(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;
	sigset_t second;
	void *got;
	int status;

	ms = argc > 1 ? atof(argv[1]) : 50;
	take_all();
	in_first();
	raise(SIGUSR1);
	sigemptyset(&second);
	sigaddset(&second, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &second, NULL);      /* the thread may be asked before it waits */
	pthread_create(&t, NULL, waits, NULL);
	pthread_kill(t, SIGUSR2);
	pthread_join(t, &got);
	printf("sigwait: %ld\n", (long)got);
	pthread_create(&t, NULL, rings_and_late, NULL);
	pthread_join(t, NULL);
	fflush(stdout);
	pid_t child = fork();
	if (!child) {
		in_child();
		_exit(5);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	printf("child: %d\n", WEXITSTATUS(status));
	pthread_create(&t, NULL, sleeps, NULL);
	pthread_cancel(t);
	pthread_join(t, &got);
	printf("cancelled: %d\nexpected %d unexpected %d\n", got == PTHREAD_CANCELED, (int)expected, (int)unexpected);
	return 7;
}
