/*
 * cli/run/left.c - what the program leaves behind: who of the run is still there when it has ended, and --wait=all
 *
 * A daemon, a background job, an orphan that starts another program later: each goes on recording, or may come to. The
 * launcher takes nothing away under them, says who they are, and waits for them if it was told to. It is never their
 * parent: a subreaper would show in what getppid returns there.
 *
 * Runs      in the launcher, on its one thread, behind the program's end.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/perf/perf.h"
#include "cli/run/run.h"
#include "common/harmless.h"
#include "trace/read/live.h"

/* GRACE_MS: children that end because the program did, at the end of a pipe say, are not what it left behind. */
enum { GRACE_MS = 250, SECOND_MS = 1000, EMPTY_RINGS_MS = 100, LOOK_MS = 20, RINGS_MOST = 1024 };
enum { AT_SIGNALS, AT_MARKS, AT_HOLDERS, AT_RINGS = AT_HOLDERS + GT_HOLDERS_MOST, AT_MOST = AT_RINGS + RINGS_MOST };

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

void gt_run_holders(const struct gt_run *run, struct gt_holders *all)
{
	gt_holders_of_run(run->run_id, all);
	gt_holders_add_writers(run->trace, all);
}

bool gt_run_is_held(const struct gt_run *run)
{
	struct gt_holders all;

	gt_run_holders(run, &all);
	return all.n;
}

/* ------------------------------------------------------------------ signals */

/* What ends the launcher's wait, and not the launcher: those that nobody told it to ignore or to block. */
static int watch_signals(sigset_t *before)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGQUIT, SIGHUP };
	struct sigaction action;
	sigset_t ends;

	sigemptyset(&ends);
	sigprocmask(SIG_BLOCK, NULL, before);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN &&
			!sigismember(before, numbers[i]))
			sigaddset(&ends, numbers[i]);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* All that have come: who stops a service may send two of them. */
static void release_signals(int fd, const sigset_t *before)
{
	struct signalfd_siginfo info;

	while (fd >= 0 && read(fd, &info, sizeof info) > 0)
		;
	if (fd >= 0)
		close(fd);
	sigprocmask(SIG_SETMASK, before, NULL);
}

/* ------------------------------------------------------------------ waiting */

static unsigned watch_holders(const struct gt_holders *all, struct pollfd *p)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < GT_HOLDERS_MOST; i++) {
		p[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
		if (i < all->n)
			p[i].fd = (int)syscall(SYS_pidfd_open, all->v[i].pid, 0);
		seen += p[i].fd >= 0;
	}
	return seen;
}

/* What else the launcher is there for while something records. */
static void attend(struct gt_run *run, int64_t *logged)
{
	if (now_ms() - *logged >= SECOND_MS) {
		gt_run_log_clock(run);
		*logged = now_ms();
	}
	if (run->perf)
		gt_perf_drain(run->perf);
	gt_run_take_marks(run);
}

static int longest(const struct gt_run *run, int64_t until, bool all_seen)
{
	int64_t left = until < 0 ? SECOND_MS : until - now_ms();

	if (!all_seen && left > LOOK_MS)
		left = LOOK_MS;         /* one has just gone, or an old kernel has no descriptors of processes */
	if (run->perf && left > EMPTY_RINGS_MS)
		left = EMPTY_RINGS_MS;
	return left < 0 ? 0 : (int)left;
}

/* Until none is there, or that time (-1: for ever), or a signal, which `signals` has. False: a signal came. */
static bool wait_for(struct gt_run *run, struct gt_holders *all, int64_t until, int signals)
{
	static struct pollfd p[AT_MOST];
	int rings[RINGS_MOST];
	unsigned n = AT_RINGS + gt_perf_descriptors(run->perf, rings, RINGS_MOST), seen;
	int64_t logged = now_ms();

	p[AT_SIGNALS] = (struct pollfd){ .fd = signals, .events = POLLIN };
	p[AT_MARKS] = (struct pollfd){ .fd = run->marks, .events = POLLIN };
	for (unsigned i = AT_RINGS; i < n; i++)
		p[i] = (struct pollfd){ .fd = rings[i - AT_RINGS], .events = POLLIN };
	for (;;) {
		gt_run_holders(run, all);
		if (!all->n || (until >= 0 && now_ms() >= until))
			return true;
		seen = watch_holders(all, p + AT_HOLDERS);
		int ready = poll(p, n, longest(run, until, seen == all->n || seen == GT_HOLDERS_MOST));

		for (unsigned i = AT_HOLDERS; i < AT_RINGS; i++)
			if (p[i].fd >= 0)
				close(p[i].fd);
		for (unsigned i = AT_RINGS; ready > 0 && i < n; i++)
			if (p[i].revents & (POLLHUP | POLLERR | POLLNVAL))
				p[i].fd = -1;   /* a ring whose threads are all gone says so for ever */
		attend(run, &logged);
		if (ready > 0 && p[AT_SIGNALS].revents)
			return false;
	}
}

static bool waits_for_all(const struct gt_run *run) { return !strcmp(gt_option(run->options, "wait"), "all"); }

static void say_waiting(const struct gt_run *run, const struct gt_holders *all)
{
	char text[512];

	if (!run->quiet)
		fprintf(stderr, "gputap: the program has ended: waiting for process %s\n",
			gt_harmless(gt_holders_text(all, text, sizeof text)));
}

static void log_them(const struct gt_run *run, const struct gt_holders *all)
{
	char line[96];

	for (unsigned i = 0; i < all->n && i < GT_HOLDERS_MOST; i++) {
		snprintf(line, sizeof line, "%d %llu %s", all->v[i].pid, gt_live_start(all->v[i].pid), all->v[i].name);
		gt_run_log(run, "left", line);
	}
}

void gt_run_wait_for_left(struct gt_run *run)
{
	struct gt_holders all;
	sigset_t before;
	int signals = watch_signals(&before);

	if (wait_for(run, &all, now_ms() + GRACE_MS, signals) && all.n && waits_for_all(run)) {
		say_waiting(run, &all);
		wait_for(run, &all, -1, signals);
	}
	release_signals(signals, &before);
	log_them(run, &all);
}
