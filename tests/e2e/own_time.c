/*
 * tests/e2e/own_time.c - the first calls of a process, of its child and of a thread; two threads that only compute
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *first_call(void *unused)
{
	usleep(2000);
	return unused;
}

static void *compute(void *unused)
{
	volatile double x = 1;

	for (int i = 0; i < 3000000; i++)
		x *= 1.0001;
	return unused;
}

int main(void)
{
	pthread_t thread[3];

	first_call(NULL);
	if (!fork()) {
		first_call(NULL);
		_exit(0);
	}
	wait(NULL);
	pthread_create(&thread[0], NULL, first_call, NULL);
	for (int i = 1; i < 3; i++)
		pthread_create(&thread[i], NULL, compute, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	puts("ok");
	return 0;
}
