/*
 * tests/e2e/ways/asleep.h - a thread is interrupted once it is seen to sleep in its call, however busy the machine is
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_E2E_WAYS_ASLEEP_H
#define GPUTAP_TESTS_E2E_WAYS_ASLEEP_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* 'S' as the kernel tells it: not running, and not waiting to run either. */
static inline int is_asleep(pid_t tid)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (!fgets(line, sizeof line, file))
		line[0] = 0;
	fclose(file);
	char *behind_name = strrchr(line, ')');

	return behind_name && !strncmp(behind_name, ") S", 3);
}

/* Nothing on the way to a call that waits for seconds sleeps for thirty looks in a row. */
static inline void until_asleep(pid_t tid)
{
	for (int looks = 0; looks < 30; usleep(1000))
		looks = is_asleep(tid) ? looks + 1 : 0;
}

static inline void *interrupt(void *tid)
{
	until_asleep((pid_t)(intptr_t)tid);
	syscall(SYS_tgkill, getpid(), (pid_t)(intptr_t)tid, SIGALRM);
	return NULL;
}

/* SIGALRM comes to the calling thread, once it sleeps. */
static inline void interrupted_by(void (*handler)(int))
{
	pthread_t t;

	signal(SIGALRM, handler);
	pthread_create(&t, NULL, interrupt, (void *)(intptr_t)syscall(SYS_gettid));
	pthread_detach(t);
}

#endif
