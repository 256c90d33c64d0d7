/*
 * tests/e2e/signals.c - a program that says which signals reach it, and how
 *
 *   signals report      a line for each signal: number, si_code, value of sigqueue, sender; the last one ends it
 *   signals wait        ends or stops as the signal has it
 *   signals state       what it inherited: blocked and ignored signals, as /proc has them
 *   signals parent N    sends N to its parent, and waits for the end of its input
 *   signals stop        stops as a program that tidies up first: a handler of SIGTSTP that uses SIGSTOP
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LAST = 64, STATUS = 7 };

static void say(const char *text, size_t n)
{
	if (write(1, text, n) < 0)
		_exit(1);
}

static void report(int number, siginfo_t *info, void *context)
{
	char line[96];
	bool queued = info->si_code == SI_QUEUE;
	int n = snprintf(line, sizeof line, "%d %d %d %d\n", number, info->si_code,
		queued ? info->si_value.sival_int : 0, queued ? (int)info->si_pid : 0);

	(void)context;
	say(line, (size_t)n);
	if (number == LAST)
		_exit(STATUS);
}

static void tidy_up(int number)
{
	(void)number;
	say("tidied up\n", 10);
	raise(SIGSTOP);
	say("goes on\n", 8);
}

static void catch_all(void)
{
	struct sigaction action = { .sa_sigaction = report, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigfillset(&action.sa_mask);            /* one line after another */
	for (int n = 1; n <= LAST; n++)
		sigaction(n, &action, NULL);    /* refused for KILL, STOP and the C library's own two */
}

static void print_state(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6))
			fputs(line, stdout);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char line[64];
	cl_uint n;

	clGetPlatformIDs(0, NULL, &n);
	if (!strcmp(what, "state")) {
		print_state();
		return STATUS;
	}
	if (!strcmp(what, "report"))
		catch_all();
	if (!strcmp(what, "stop"))
		signal(SIGTSTP, tidy_up);
	say(line, (size_t)snprintf(line, sizeof line, "ready %d\n", (int)getpid()));
	if (!strcmp(what, "parent")) {
		kill(getppid(), atoi(argv[2]));
		while (read(0, line, sizeof line) > 0)
			;
		return STATUS;
	}
	for (;;)
		pause();
}
