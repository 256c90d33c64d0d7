/*
 * interpose/exec.c - the ways out of a process image that leave without its exit handlers
 *
 * _exit, _Exit and quick_exit run our exit chain first; the exec family looks at where the process goes, gives the new
 * image the libraries that it can take (child_environment.h), and writes down when it will not be followed. The C
 * library's own exec calls do not come by here: spawn.c.
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

#include "common/plain/without.h"
#include "interpose/child_environment.h"
#include "interpose/elf.h"
#include "interpose/leave.h"
#include "trace/write/process.h"
#include "trace/write/sys.h"

#define EXPORTED __attribute__((visibility("default")))

static struct {
	void (*exit_now)(int);
	void (*exit_c)(int);
	void (*quick_exit)(int);
	void (*quick_exit_old)(int);
	int (*execve)(const char *, char *const *, char *const *);
	int (*execvp)(const char *, char *const *);
	int (*execvpe)(const char *, char *const *, char *const *);
	int (*fexecve)(int, char *const *, char *const *);
	int (*execveat)(int, const char *, char *const *, char *const *, int);
} real;

bool tap_is_newer_function(const char *name)
{
	/* glibc 2.34, 2.39 */
	static const char *const newer[] = { "execveat", "pidfd_spawn", "pidfd_spawnp" };

	for (unsigned i = 0; i < sizeof newer / sizeof *newer; i++)
		if (strcmp(name, newer[i]) == 0)
			return true;
	return false;
}

static void find_real(void)
{
#if defined(__x86_64__)
#define FIRST_QUICK_EXIT "GLIBC_2.10"
#else
#define FIRST_QUICK_EXIT "GLIBC_2.17"
#endif
	static const struct tap_wanted wanted[] = {
		{ "_exit", NULL, &real.exit_now },
		{ "_Exit", NULL, &real.exit_c },
		{ "quick_exit", "GLIBC_2.24", &real.quick_exit },
		{ "quick_exit", FIRST_QUICK_EXIT, &real.quick_exit_old },
		{ "execvp", NULL, &real.execvp },
		{ "execvpe", NULL, &real.execvpe },
		{ "fexecve", NULL, &real.fexecve },
		{ "execveat", NULL, &real.execveat },
		{ "execve", NULL, &real.execve },
	};

	tap_next_symbols(wanted, sizeof wanted / sizeof *wanted);
}

__attribute__((constructor)) static void init(void)
{
	find_real();
	tap_child_init();
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

static _Noreturn void leave_quickly(void (*go)(int), int status)
{
	tap_process_exit(REC_EXIT_QUICK, status);
	if (go)
		go(status);
	leave(status);
}

/* versions.S */
_Noreturn void tap_quick_exit(int status) __attribute__((visibility("hidden")));
_Noreturn void tap_quick_exit(int status)
{
	need_real();
	leave_quickly(real.quick_exit, status);
}

_Noreturn void tap_quick_exit_old(int status) __attribute__((visibility("hidden")));
_Noreturn void tap_quick_exit_old(int status)
{
	need_real();
	leave_quickly(real.quick_exit_old, status);
}

/* ------------------------------------------------------------------- exec */

static int missing(void)
{
	errno = ENOSYS;
	return -1;
}

/*
 * syscall(nr, ...): exit_group(status), execve(path, argv, env), execveat(dir, path, argv, env, flags). seccomp.S goes
 * on to the real function, with all registers as they came. So an environment that has to change is tried here; should
 * that fail, the call that follows fails too, and says why. execveat's flags do not come by here: it starts as it is.
 */
void tap_syscall_leaves(long nr, long first, long second, long third, long fourth)
	__attribute__((visibility("hidden")));

static void leave_by_syscall(long nr, int dir, const char *path, char *const *argv, char *const *env)
{
	struct tap_child c;

	tap_child_look(&c, dir, path, env);
	tap_process_exec(&c.started);
	if (c.bytes && nr == SYS_execve) {
		TAP_SYS(execve, path, argv, tap_child_environment(&c), 0, 0, 0);
		tap_child_forget(&c);
	}
	tap_child_not_started(&c);              /* by the call that follows, without a word of it */
}

void tap_syscall_leaves(long nr, long first, long second, long third, long fourth)
{
	if (gc_without("leaves-by-syscall"))
		return;
	if (nr == SYS_exit_group)
		tap_process_exit(REC_EXIT_UNDERSCORE, (int)first);
	else if (nr == SYS_execve)
		leave_by_syscall(nr, AT_FDCWD, (const char *)first, (char *const *)second, (char *const *)third);
	else
		leave_by_syscall(nr, (int)first, (const char *)second, (char *const *)third, (char *const *)fourth);
}

/* Looks, tells, and names the environment: `env_of_child`, valid until `forget`. */
#define BEFORE(look, ...) \
	struct tap_child child; \
	need_real(); \
	look(&child, __VA_ARGS__); \
	tap_process_exec(&child.started); \
	char *const *env_of_child = tap_child_environment(&child)

/* An exec that came back has failed. */
static int failed(struct tap_child *c, int result)
{
	tap_child_not_started(c);
	tap_child_forget(c);
	return result;
}

EXPORTED int execve(const char *path, char *const argv[], char *const env[])
{
	BEFORE(tap_child_look, AT_FDCWD, path, env);
	return failed(&child, real.execve ? real.execve(path, argv, env_of_child) : missing());
}

EXPORTED int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

EXPORTED int execvpe(const char *file, char *const argv[], char *const env[])
{
	BEFORE(tap_child_search, file, env);
	return failed(&child, real.execvpe ? real.execvpe(file, argv, env_of_child) : missing());
}

EXPORTED int execvp(const char *file, char *const argv[])
{
	need_real();
	if (real.execvpe)
		return execvpe(file, argv, environ);
	return real.execvp ? real.execvp(file, argv) : missing();
}

EXPORTED int fexecve(int fd, char *const argv[], char *const env[])
{
	BEFORE(tap_child_look, fd, "", env);
	return failed(&child, real.fexecve ? real.fexecve(fd, argv, env_of_child) : missing());
}

EXPORTED int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
	BEFORE(tap_child_look, dir, path, env);
	return failed(&child, real.execveat ? real.execveat(dir, path, argv, env_of_child, flags) : missing());
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

/*
 * As the C library does it, the vector is on the stack: no allocation behind fork. It is as large as the C library's,
 * and stands there in its place. argv[n] is the NULL.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla"
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
#pragma GCC diagnostic pop
