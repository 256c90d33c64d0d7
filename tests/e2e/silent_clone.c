/*
 * tests/e2e/silent_clone.c - whether a child can be made whose end raises no signal: status 0, or it says why not
 *
 * The emulator of user mode makes none: its clone refuses every other signal than SIGCHLD with EINVAL.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	long child = syscall(SYS_clone, 0, 0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	if (child < 0) {
		perror("no child without a signal");
		return 1;
	}
	return waitpid((pid_t)child, NULL, __WALL) != child;
}
