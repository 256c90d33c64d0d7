/*
 * cli/interrupt.c - the end of an export that somebody interrupts
 *
 * Runs      the handler in whichever thread the signal meets: system calls only.
 *
 * INTERRUPT1  `writing` is a whole name or empty at any moment: it is filled while `length` is 0, and the handler reads
 *             it only when `length` is not.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BESIDE "-journal"                       /* SQLite's, next to a database that is being written */

static char writing[PATH_MAX + 32 + sizeof BESIDE];
static _Atomic size_t length;                   /* INTERRUPT1: stored behind the name, loaded by the handler */

static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
static sigset_t watched;                        /* those of them that nobody told us to ignore */

/* From here on one of any of them ends at once: the word below may have no reader, and take for ever. */
static void fall_back(void)
{
	struct sigaction fallback = { .sa_handler = SIG_DFL };

	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigismember(&watched, numbers[i]))
			sigaction(numbers[i], &fallback, NULL);
	pthread_sigmask(SIG_UNBLOCK, &watched, NULL);
}

/* The others are held back until nothing half-written is left: who stops a service may send two of them together. */
static void end(int number)
{
	static const char said[] = "\ngputap: interrupted: nothing half-written is left, the trace is kept\n";
	size_t n = atomic_load_explicit(&length, memory_order_acquire);

	if (n) {
		unlink(writing);
		memcpy(writing + n, BESIDE, sizeof BESIDE);
		unlink(writing);
	}
	fall_back();
	if (write(STDERR_FILENO, said, sizeof said - 1) < 0)
		errno = 0;              /* nobody listens */
	kill(getpid(), number);
	_exit(128 + number);
}

void gt_interrupt_watch(void)
{
	struct sigaction action = { .sa_handler = end }, old;

	sigemptyset(&watched);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&watched, numbers[i]);
	action.sa_mask = watched;
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigismember(&watched, numbers[i]))
			sigaction(numbers[i], &action, NULL);
}

void gt_interrupt_file(const char *path)
{
	size_t n = path ? strlen(path) : 0;

	atomic_store_explicit(&length, 0, memory_order_release);
	if (!n || n >= sizeof writing - sizeof BESIDE)
		return;
	memcpy(writing, path, n + 1);
	atomic_store_explicit(&length, n, memory_order_release);        /* INTERRUPT1 */
}
