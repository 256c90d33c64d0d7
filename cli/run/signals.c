/*
 * cli/run/signals.c - which signals the launcher passes on, and how
 *
 * Runs in the launcher, on its one thread. Invariants: cli/run/signals.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/run/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/run/run.h"

enum { SIGNALS = 64, KERNEL_SET_BYTES = 8, FOUND_ONCE = 32 };
#define BIT(number) (1ull << ((number) - 1))

static struct {
	unsigned long long mask, ignored;       /* a bit for each signal, as the kernel has them */
} given;
static int descriptor = -1;
static bool holding, has_sentinel;

/* ------------------------------------------------------------------ what was given */

static void set_mask(unsigned long long mask, unsigned long long *before)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, before, (size_t)KERNEL_SET_BYTES);
}

void gt_signals_begin(void)
{
	struct sigaction action;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &given.mask, (size_t)KERNEL_SET_BYTES);
	for (int n = 1; n <= SIGNALS; n++)
		if (!sigaction(n, NULL, &action) && action.sa_handler == SIG_IGN)
			given.ignored |= BIT(n);
	signal(SIGCHLD, SIG_DFL);       /* who ignores it is told no status */
	signal(SIGXFSZ, SIG_IGN);       /* a file that may not grow is an error to be told */
}

void gt_signals_give(void)
{
	for (int n = 1; n <= SIGNALS; n++)
		if (n != SIGKILL && n != SIGSTOP)
			signal(n, given.ignored & BIT(n) ? SIG_IGN : SIG_DFL);
	set_mask(given.mask, NULL);
}

/* ---------------------------------------------------------------------- passing on */

/* Whether two processes were told the same. */
static bool is_same(const siginfo_t *a, const siginfo_t *b)
{
	return a->si_signo == b->si_signo && a->si_code == b->si_code && a->si_pid == b->si_pid &&
		a->si_uid == b->si_uid && a->si_value.sival_ptr == b->si_value.sival_ptr;
}

/* Several of an ordinary signal are one, for one process sooner than for the other: a report holds for all of them. */
static bool take_report(struct gt_signals_list *reports, const siginfo_t *info)
{
	for (unsigned i = 0; i < reports->n; i++)
		if (is_same(&reports->v[i], info)) {
			if (info->si_signo >= FOUND_ONCE)
				reports->v[i].si_signo = 0;
			return true;
		}
	return false;
}

static bool is_stop(int number) { return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU; }

/*
 * The kernel takes a pending CONT away where a signal comes that stops, and the other way round: then the sentinel has
 * the later one alone, and it came to the group. Passing the earlier one on would undo what the later one did. The
 * launcher has the later one too, then, and behind the earlier; if it does not, its own was taken away by what was sent
 * to it alone.
 */
static bool was_displaced(const struct gt_signals_list *reports, const struct gt_signals_list *here, unsigned at)
{
	int number = here->v[at].si_signo;

	if (number != SIGCONT && !is_stop(number))
		return false;
	for (unsigned i = 0; i < reports->n; i++) {
		const siginfo_t *by = &reports->v[i];

		if (number == SIGCONT ? !is_stop(by->si_signo) : by->si_signo != SIGCONT)
			continue;
		for (unsigned k = at + 1; k < here->n; k++)
			if (is_same(&here->v[k], by))
				return true;
	}
	return false;
}

/* What the kernel sends to a process for something that happens to it: a lost terminal, a power failure. */
static bool is_news(int number)
{
	return number == SIGHUP || number == SIGCONT || number == SIGINT || number == SIGPWR;
}

/*
 * As it came, as far as the kernel lets one process speak for another: the value and the sender of sigqueue go with it;
 * kill says that the launcher sent it.
 */
static void send_to(pid_t pid, const siginfo_t *info)
{
	siginfo_t copy = *info;

	if (info->si_code == SI_TKILL)
		syscall(SYS_tgkill, pid, pid, info->si_signo);
	else if (info->si_code >= 0 || syscall(SYS_rt_sigqueueinfo, pid, info->si_signo, &copy))
		kill(pid, info->si_signo);
}

/*
 * One that was sent to the launcher alone. The program takes the launcher for its parent: what it sends there is for
 * the launcher's own parent, as if the launcher were not there.
 */
static void pass_on(const struct gt_run *run, const siginfo_t *info)
{
	/*
	 * What the launcher did itself: its child's end, a limit of its own. PIPE and XFSZ of its own writes are here,
	 * since the kernel keeps what is ignored while it is blocked; they look as if the launcher had sent them.
	 */
	if ((info->si_code > 0 && !is_news(info->si_signo)) || (info->si_code <= 0 && info->si_pid == getpid()))
		return;
	if (info->si_code > 0 || info->si_pid != run->pid)
		send_to(run->pid, info);
	else if (getppid() > 0)                 /* 0: in another namespace, out of everybody's reach */
		send_to(getppid(), info);
}

static void look_at(const struct gt_run *run, const siginfo_t *info, bool by_group)
{
	/* The group's signal may have reached the program before its terminal had the new size: nobody else says so. */
	if (info->si_signo == SIGWINCH && gt_capture_resize(run) && by_group)
		kill(run->pid, SIGWINCH);
	if (is_stop(info->si_signo))
		gt_run_stop_ask();
	if (!by_group)
		pass_on(run, info);
}

/* Without a sentinel: what the kernel sends is the terminal's, for the group; what a process sends is for us. */
static bool by_guess(const siginfo_t *info) { return info->si_code > 0; }

/*
 * A round: what is here is asked about. What came meanwhile may be reported already, and is settled then, or it is
 * asked about in the next round. A report that is left over is of a signal that the launcher took for another of the
 * same kind: by SENTINEL1 everything that was reported is here by now.
 */
static bool settle(const struct gt_run *run, struct gt_signals_list *here, struct gt_signals_list *next)
{
	struct gt_signals_list reports = { 0 };
	bool child = false;
	unsigned old = here->n;

	gt_signals_wait_for_senders();
	has_sentinel = has_sentinel && gt_sentinel_ask(&reports);
	gt_signals_wait_for_senders();
	if (has_sentinel)
		gt_signals_take_pending(here);
	for (unsigned i = 0; i < here->n; i++) {
		const siginfo_t *info = &here->v[i];
		bool by_group = has_sentinel
			? take_report(&reports, info) || was_displaced(&reports, here, i)
			: by_guess(info);

		child |= info->si_signo == SIGCHLD;
		if (i >= old && !by_group && gt_signals_add(next, info))
			continue;
		if (run)
			look_at(run, info, by_group);
	}
	free(reports.v);
	return child;
}

bool gt_signals_pass(const struct gt_run *run)
{
	struct gt_signals_list here = { 0 }, next = { 0 };
	bool child = false;

	gt_signals_take_pending(&here);
	while (here.n) {
		child |= settle(run, &here, &next);
		free(here.v);
		here = next;
		next = (struct gt_signals_list){ 0 };
	}
	free(here.v);
	return child;
}

bool gt_signals_is_pending(int number)
{
	unsigned long long set = 0;

	return !syscall(SYS_rt_sigpending, &set, (size_t)KERNEL_SET_BYTES) && set & BIT(number);
}

void gt_signals_stop_by(int number)
{
	unsigned long long but = ~BIT(number);
	struct sigaction fall = { .sa_handler = SIG_DFL }, before;

	sigaction(number, &fall, &before);
	kill(getpid(), number);
	set_mask(but, &but);            /* we stand here, until somebody continues us */
	set_mask(but, NULL);
	sigaction(number, &before, NULL);
}

void gt_signals_die_by(int number)
{
	signal(number, SIG_DFL);
	set_mask(0, NULL);
	kill(getpid(), number);
}

/* ------------------------------------------------------------------------ the time */

int gt_signals_descriptor(void) { return descriptor; }

void gt_signals_hold(void)
{
	static const unsigned long long all = ~0ull;
	struct gt_signals_list ours = { 0 };

	if (holding)
		return;
	set_mask(all, NULL);
	has_sentinel = gt_sentinel_begin();
	/* Nothing was passed on so far, and the program is not there: what came meanwhile is ours. */
	set_mask(given.mask, NULL);
	set_mask(all, NULL);
	has_sentinel = has_sentinel && gt_sentinel_ask(&ours);
	free(ours.v);
	descriptor = (int)syscall(SYS_signalfd4, -1, &all, (size_t)KERNEL_SET_BYTES, 02000000 | 04000);
	holding = true;
}

static void do_nothing(int number) { (void)number; }

/*
 * The program is gone, and what is sent to the pid now finds the launcher at its own work, whose files it would lose.
 * INT, TERM, QUIT and HUP end it in good order (cli/interrupt.h), a fault of ours stays one, and all else does nothing:
 * by a handler, because exec takes that back for children.
 */
static void outlive_strays(void)
{
	static const int strays[] = { SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT,
		SIGXCPU };
	struct sigaction nothing = { .sa_handler = do_nothing, .sa_flags = SA_RESTART };

	for (unsigned i = 0; i < sizeof strays / sizeof *strays; i++)
		if (!(given.ignored & BIT(strays[i])))
			sigaction(strays[i], &nothing, NULL);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		if (!(given.ignored & BIT(n)))
			sigaction(n, &nothing, NULL);
}

void gt_signals_release(void)
{
	if (!holding)
		return;
	gt_signals_pass(NULL);
	gt_sentinel_end();
	has_sentinel = holding = false;
	if (descriptor >= 0)
		close(descriptor);
	descriptor = -1;
	outlive_strays();
	set_mask(given.mask, NULL);
}
