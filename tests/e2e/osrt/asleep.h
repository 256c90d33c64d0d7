/*
 * tests/e2e/osrt/asleep.h - wait until another thread of this process sleeps in the kernel, however slow the machine is
 *
 * By system calls alone: gputap records none of them.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_E2E_OSRT_ASLEEP_H
#define GPUTAP_TESTS_E2E_OSRT_ASLEEP_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void wait_asleep(pid_t thread)
{
	char path[64], text[256] = "";
	const char *state;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
	do {
		int fd = (int)syscall(SYS_openat, -100, path, O_RDONLY);
		long n = syscall(SYS_read, fd, text, sizeof text - 1);

		text[n > 0 ? n : 0] = 0;
		syscall(SYS_close, fd);
		state = strrchr(text, ')');
	} while (state && state[2] != 'S');
}

#endif
