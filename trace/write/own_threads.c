/*
 * trace/write/own_threads.c - whether a thread of ours is all that is left of the program
 *
 * Runs      in threads of our own.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <sys/stat.h>

#include "trace/write/own_threads.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

static uint32_t own;                    /* threads that are there */
static int32_t own_pid;                 /* in this process: a forked child has none of its parent's */

void tap_own_thread_begins(const char *name)
{
	int32_t pid = (int32_t)tap_sys_getpid(), before = __atomic_exchange_n(&own_pid, pid, __ATOMIC_RELAXED);

	if (before != pid)
		__atomic_store_n(&own, 0, __ATOMIC_RELAXED);
	TAP_SYS(prctl, 15 /* PR_SET_NAME */, name, 0, 0, 0, 0);
	__atomic_fetch_add(&own, 1, __ATOMIC_RELAXED);
}

void tap_own_thread_ends(void)
{
	__atomic_fetch_sub(&own, 1, __ATOMIC_RELAXED);
}

/* The main thread has left: it has no memory any more, and so no program. */
static bool main_has_left(void)
{
	char path[8];

	return tap_sys_readlink("/proc/self/exe", path, sizeof path) == -ENOENT;
}

/* The kernel counts threads as links of their folder, beside its own two. The main thread stays among them. */
static bool others_have_left(void)
{
	struct stat tasks;

	return TAP_SYS(newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0, 0, 0) == 0 &&
		tasks.st_nlink == 2 + 1 + __atomic_load_n(&own, __ATOMIC_RELAXED);
}

bool tap_own_thread_is_left_over(uint64_t mask)
{
	if (tap_seccomp || !main_has_left() || !others_have_left())
		return false;
	tap_own_thread_ends();
	tap_sys_signals_restore(mask);
	return true;
}
