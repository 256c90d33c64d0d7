/*
 * cli/run/stop.c - job control: the launcher stops when the program has stopped, and not before
 *
 * Ctrl-Z reaches launcher and program alike. The shell takes the terminal back as soon as the launcher stands: a
 * program that is still reading would take what is typed for the shell, and one that ignores the signal would lose its
 * terminal.
 *
 * Runs      in the launcher, on its one thread; handlers set flags.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "cli/run/run.h"

static const int numbers[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD };
enum { STOPS = 3, CAUGHT = sizeof numbers / sizeof *numbers };

static struct sigaction before[CAUGHT];
static volatile pid_t program;
static volatile sig_atomic_t asked;             /* to stop; the program has not done so yet */
static volatile sig_atomic_t continued;

/* From the terminal the whole group has it; from elsewhere only we do. SIGCHLD ends the wait, and nothing else. */
static void came(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (number == SIGCONT)
		continued = 1;
	else if (number != SIGCHLD) {
		asked = 1;
		if (info->si_code <= 0)
			kill(program, number);
	}
	errno = saved;
}

/* What the launcher was told to ignore it goes on ignoring: the program does. */
void gt_run_stop_catch(pid_t pid)
{
	struct sigaction action = { .sa_sigaction = came, .sa_flags = SA_SIGINFO | SA_RESTART };

	program = pid;
	for (unsigned i = 0; i < CAUGHT; i++)
		if (!sigaction(numbers[i], NULL, &before[i]) && before[i].sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
}

void gt_run_stop_leave(void)
{
	for (unsigned i = 0; i < CAUGHT; i++)
		sigaction(numbers[i], &before[i], NULL);
}

/* By the same signal, which the shell names; the kernel takes it for nothing where no shell could continue us. */
static void stop(int number)
{
	struct sigaction fall = { .sa_handler = SIG_DFL }, caught;

	if (number != SIGTTIN && number != SIGTTOU)
		number = SIGTSTP;               /* a handler that tidied up may have used SIGSTOP */
	sigaction(number, &fall, &caught);
	raise(number);
	sigaction(number, &caught, NULL);
}

void gt_run_stop_follow(void)
{
	siginfo_t info = { .si_pid = 0 };

	/* Nobody told us: who stopped the program alone continues it alone. */
	if (!asked || waitid(P_PID, (id_t)program, &info, WSTOPPED | WNOHANG) || !info.si_pid)
		return;
	asked = continued = 0;
	stop(info.si_status);
	info.si_pid = 0;
	/* As a rule the shell continued the whole group. */
	if (continued && !waitid(P_PID, (id_t)program, &info, WCONTINUED | WNOHANG) && !info.si_pid)
		kill(program, SIGCONT);
}
