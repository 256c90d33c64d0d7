/*
 * cli/run/sentinel.c - a process of the launcher's group that takes note of what the group is sent
 *
 * The kernel tells the receiver of a signal who sent it and how, but not whether it was sent to that process or to its
 * group: both come with the same siginfo. Nobody knows the sentinel's pid, so what reaches it was sent to the group.
 *
 * Runs      the sentinel in a process of its own, forked by the launcher; it holds nothing but a socket to it, and ends
 *           with it.
 *
 * SENTINEL1  A signal to a group is queued for one member after another while the sender holds the kernel's list of
 *            tasks for reading. Whoever then takes that list for writing comes back only when the sender is done with
 *            all of them: setpgid does that before it looks at its arguments. So what the launcher has, and waited for
 *            like this, the sentinel has too, and the other way round.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/run/signals.h"

#ifndef SYS_close_range
#define SYS_close_range 436               /* glibc 2.31 does not know it */
#endif

enum { KERNEL_SET_BYTES = 8, LOOK_MS = 20 };

static int to_sentinel = -1;
static pid_t sentinel;

/* ------------------------------------------------------------- both of them */

bool gt_signals_add(struct gt_signals_list *list, const siginfo_t *info)
{
	if (list->n == list->room) {
		unsigned room = list->room ? 2 * list->room : 16;
		siginfo_t *more = realloc(list->v, room * sizeof *more);

		if (!more)
			return false;
		list->v = more;
		list->room = room;
	}
	list->v[list->n++] = *info;
	return true;
}

/* By the kernel's own call: the C library leaves the two signals out that it uses itself, and they can be sent too. */
static bool take_next(siginfo_t *info)
{
	static const unsigned long long all = ~0ull;
	const struct timespec now = { 0, 0 };
	long number;

	do
		number = syscall(SYS_rt_sigtimedwait, &all, info, &now, (size_t)KERNEL_SET_BYTES);
	while (number < 0 && errno == EINTR);
	return number > 0;
}

void gt_signals_take_pending(struct gt_signals_list *list)
{
	siginfo_t info;

	while (take_next(&info) && gt_signals_add(list, &info))
		;
}

void gt_signals_wait_for_senders(void)
{
	int saved = errno;

	(void)setpgid(INT_MAX, 0);      /* there is no such process: SENTINEL1 */
	errno = saved;
}

/* --------------------------------------------------------------- the sentinel */

static void answer(int socket)
{
	siginfo_t info;

	memset(&info, 0, sizeof info);
	while (take_next(&info))
		if (write(socket, &info, sizeof info) != (ssize_t)sizeof info)
			_exit(0);
	memset(&info, 0, sizeof info);          /* no signal has the number 0: that was all */
	if (write(socket, &info, sizeof info) != (ssize_t)sizeof info)
		_exit(0);
}

/* Everything is blocked already: nothing but SIGKILL ends it before the launcher does, and SIGSTOP stops it. */
static void watch(int socket)
{
	char asked;

	prctl(PR_SET_NAME, "gputap-signals");
	if (dup2(socket, 0) < 0)
		_exit(0);
	if (syscall(SYS_close_range, 1u, ~0u, 0u))
		for (int i = 1; i < 4096; i++)
			close(i);       /* whoever waits for the end of a pipe waits for its last holder */
	if (chdir("/"))
		errno = 0;
	while (read(0, &asked, 1) == 1)
		answer(0);
	_exit(0);
}

/* --------------------------------------------------------------- the launcher */

bool gt_sentinel_begin(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return false;
	sentinel = fork();
	if (sentinel == 0) {
		close(ends[0]);
		watch(ends[1]);
	}
	close(ends[1]);
	if (sentinel < 0) {
		close(ends[0]);
		return false;
	}
	to_sentinel = ends[0];
	return true;
}

void gt_sentinel_end(void)
{
	if (to_sentinel < 0)
		return;
	close(to_sentinel);
	to_sentinel = -1;
	kill(sentinel, SIGKILL);        /* it may stand: nothing else reaches it then */
	while (waitpid(sentinel, NULL, 0) < 0 && errno == EINTR)
		;
}

/* SIGSTOP to the group stopped it with all others, and what continued the launcher may have been for it alone. */
static void let_it_go_on(void)
{
	siginfo_t state = { .si_pid = 0 };

	if (!waitid(P_PID, (id_t)sentinel, &state, WSTOPPED | WNOHANG) && state.si_pid)
		kill(sentinel, SIGCONT);
}

static bool read_whole(siginfo_t *info)
{
	size_t done = 0;

	while (done < sizeof *info) {
		struct pollfd p = { .fd = to_sentinel, .events = POLLIN };
		int ready = poll(&p, 1, LOOK_MS);
		ssize_t n = ready > 0 ? read(to_sentinel, (char *)info + done, sizeof *info - done) : 1;

		if (!ready)
			let_it_go_on();
		else if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		else if (ready > 0)
			done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool gt_sentinel_ask(struct gt_signals_list *list)
{
	siginfo_t info;

	if (to_sentinel < 0 || send(to_sentinel, "", 1, MSG_NOSIGNAL) != 1)
		return false;
	while (read_whole(&info)) {
		if (!info.si_signo)
			return true;
		/* What we sent ourselves, so that it goes on, nobody else was sent. */
		if (!(info.si_signo == SIGCONT && info.si_code <= 0 && info.si_pid == getpid()))
			gt_signals_add(list, &info);
	}
	return false;
}
