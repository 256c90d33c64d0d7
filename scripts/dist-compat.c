/*
 * scripts/dist-compat.c - names of the C library that a static SQLite asks for in a younger version than it needs
 *
 * Linked into the tool of a release alone (make dist), with --wrap for each. Debian 11's archive is built with
 * fcntl64 of glibc 2.28, which on 64-bit machines is fcntl, and with log of 2.29, which only leaves out an old error
 * handler. The shim needs none of this.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#else
#define OLDEST "GLIBC_2.17"
#endif

__asm__(".symver oldest_log, log@" OLDEST);
__asm__(".symver oldest_fcntl, fcntl@" OLDEST);
double oldest_log(double x);
int oldest_fcntl(int fd, int command, ...);

double __wrap_log(double x);
double __wrap_log(double x) { return oldest_log(x); }

int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	return oldest_fcntl(fd, command, arg);
}
