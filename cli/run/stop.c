/*
 * cli/run/stop.c - job control: the launcher stops when the program has stopped, and not before
 *
 * Ctrl-Z reaches launcher and program alike. The shell takes the terminal back as soon as the launcher stands: a
 * program that is still reading would take what is typed for the shell, and one that ignores the signal would lose its
 * terminal.
 *
 * Runs      in the launcher, on its one thread.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <sys/wait.h>

#include "cli/run/run.h"
#include "cli/run/signals.h"

static bool asked;                      /* to stop; the program has not done so yet */

void gt_run_stop_ask(void) { asked = true; }

/*
 * By the same signal, which the shell names; the kernel takes it for nothing where no shell could continue us. What
 * continues us is a signal like any other, and is passed on if it was for us alone.
 */
void gt_run_stop_follow(pid_t program)
{
	siginfo_t info = { .si_pid = 0 };

	/* Nobody told us: who stopped the program alone continues it alone. */
	if (!asked || waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOHANG) || !info.si_pid)
		return;
	asked = false;
	if (gt_signals_is_pending(SIGCONT))
		return;                         /* to stop now would undo it */
	gt_signals_stop_by(info.si_status == SIGTTIN || info.si_status == SIGTTOU
			? info.si_status
			: SIGTSTP);             /* a handler that tidied up may have used SIGSTOP */
}
