/*
 * interpose/exec.c - the ways out of a process image that leave without its exit handlers
 *
 * _exit, _Exit and quick_exit run our exit chain first; the exec family writes down where the process goes, and that
 * the new image will not be followed when its environment no longer preloads us (the environment itself is the
 * application's). The C library's own exec calls (system, posix_spawn) do not come by here; they inherit the
 * environment.
 *
 * Runs      in the calling thread, also between vfork and exec: what must not happen there, process.c leaves out.
 * Must not  allocate: the child of a fork in a threaded program may do nothing that a signal handler may not.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/elf.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

#define EXPORTED __attribute__((visibility("default")))
#define OURS "libgputap"                        /* in LD_PRELOAD or OPENCL_LAYERS: the next image loads us again */

static struct {
	void (*exit_now)(int);
	void (*exit_c)(int);
	void (*quick_exit)(int);
	int (*execve)(const char *, char *const *, char *const *);
	int (*execvp)(const char *, char *const *);
	int (*execvpe)(const char *, char *const *, char *const *);
	int (*fexecve)(int, char *const *, char *const *);
	int (*execveat)(int, const char *, char *const *, char *const *, int);
} real;
static bool preloaded;                          /* by environment, so that children are expected to be followed */

/* ------------------------------------------------------------ environment */

static bool names_us(const char *variable, const char *entry)
{
	size_t n = strlen(variable);

	return strncmp(entry, variable, n) == 0 && strstr(entry + n, OURS);
}

static bool loads_us(char *const *env)
{
	for (; env && *env; env++)
		if (names_us("LD_PRELOAD=", *env) || names_us("OPENCL_LAYERS=", *env))
			return true;
	return false;
}

static void find_real(void)
{
#define FIND(member, name) real.member = (__typeof__(real.member))tap_next_symbol(name)
	FIND(exit_now, "_exit");
	FIND(exit_c, "_Exit");
	FIND(quick_exit, "quick_exit");
	FIND(execvp, "execvp");
	FIND(execvpe, "execvpe");
	FIND(fexecve, "fexecve");
	FIND(execveat, "execveat");
	FIND(execve, "execve");
#undef FIND
}

__attribute__((constructor)) static void init(void)
{
	find_real();
	preloaded = loads_us(environ);
}

static void need_real(void)
{
	if (!real.execve)
		find_real();
}

/* ------------------------------------------------------------------- exit */

static _Noreturn void leave(int status)
{
	for (;;)
		TAP_SYS(exit_group, status, 0, 0, 0, 0, 0);
}

EXPORTED _Noreturn void _exit(int status)
{
	need_real();
	tap_process_exit(REC_EXIT_UNDERSCORE, status);
	if (real.exit_now)
		real.exit_now(status);
	leave(status);
}

EXPORTED _Noreturn void _Exit(int status)
{
	need_real();
	tap_process_exit(REC_EXIT_UNDERSCORE, status);
	if (real.exit_c)
		real.exit_c(status);
	leave(status);
}

EXPORTED _Noreturn void quick_exit(int status)
{
	need_real();
	tap_process_exit(REC_EXIT_QUICK, status);
	if (real.quick_exit)
		real.quick_exit(status);
	leave(status);
}

/* ------------------------------------------------------------------- exec */

static void before(const char *path, char *const *env)
{
	need_real();
	tap_process_exec(path, preloaded && !loads_us(env));
}

static int missing(void)
{
	errno = ENOSYS;
	return -1;
}

EXPORTED int execve(const char *path, char *const argv[], char *const env[])
{
	before(path, env);
	return real.execve ? real.execve(path, argv, env) : missing();
}

EXPORTED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORTED int execvp(const char *file, char *const argv[])
{
	before(file, environ);
	return real.execvp ? real.execvp(file, argv) : missing();
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const env[])
{
	before(file, env);
	return real.execvpe ? real.execvpe(file, argv, env) : missing();
}

EXPORTED int fexecve(int fd, char *const argv[], char *const env[])
{
	before("", env);
	return real.fexecve ? real.fexecve(fd, argv, env) : missing();
}

EXPORTED int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	before(path, env);
	return real.execveat ? real.execveat(dir, path, argv, env, flags) : missing();
}

/* Arguments up to the NULL that ends them. */
static size_t count_arguments(va_list *list)
{
	size_t n = 1;

	while (va_arg(*list, char *))
		n++;
	return n;
}

/*
 * By pointer: execle's environment stands behind what is copied here. A va_list that is passed by value is a copy on
 * aarch64 (a structure), and only on x86-64 (an array) would the caller's have moved on.
 */
static void copy_arguments(char **argv, size_t n, const char *first, va_list *list)
{
	argv[0] = (char *)first;
	for (size_t i = 1; i <= n; i++)
		argv[i] = va_arg(*list, char *);
}

/* As the C library does it, the vector is on the stack: no allocation behind fork. argv[n] is the NULL. */
#define ARGUMENTS(first) \
	va_list list; \
	va_start(list, first); \
	size_t n = count_arguments(&list); \
	va_end(list); \
	char *argv[n + 1]; \
	va_start(list, first); \
	copy_arguments(argv, n, first, &list)

EXPORTED int execl(const char *path, const char *arg, ...)
{
	ARGUMENTS(arg);
	va_end(list);
	return execve(path, argv, environ);
}

EXPORTED int execlp(const char *file, const char *arg, ...)
{
	ARGUMENTS(arg);
	va_end(list);
	return execvp(file, argv);
}

EXPORTED int execle(const char *path, const char *arg, ...)
{
	ARGUMENTS(arg);
	char *const *env = va_arg(list, char *const *);

	va_end(list);
	return execve(path, argv, env);
}
