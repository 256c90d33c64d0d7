/*
 * tests/e2e/cl_quiet.c - what tracing adds to real calls besides time: allocations, locks, system calls
 *
 *	cl_quiet KIND SHIM      KIND: device-info, set-arg, retain-release
 *
 * Runs CALLS calls of a kind in a child, bare and then with SHIM preloaded. Allocations and locks are counted by this
 * program's own functions of those names, which the runtime and the shim bind to; system calls by stopping the child at
 * each of them and reading how many calls it had made by then. Prints, for the script:
 *
 *	bare ALLOCATIONS LOCKS SYSTEM_CALLS
 *	traced ALLOCATIONS LOCKS SYSTEM_CALLS
 *	switches N                              places where a traced call made system calls and the bare one did not
 *	longest CALLS                           calls in a row without a system call
 *	most N                                  system calls in one call
 *
 * Exit status 77: no process may be traced here, or a build whose allocator is not ours to replace.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 60000
#define WARM_UP 30000                   /* past the first chunks of a stream */
#define MARK 0x71756965l                /* a getpid with this argument begins and ends the counting */
#define SHARED_FD 77

#ifndef PTRACE_GET_SYSCALL_INFO
#define PTRACE_GET_SYSCALL_INFO 0x420e
#endif

/* Between the child and the one that watches it. */
struct shared { volatile uint64_t calls, allocations, locks; };
static struct shared *shared;
static volatile bool counting;

#ifndef __SANITIZE_ADDRESS__
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
static int (*real_lock)(pthread_mutex_t *);

static void count_allocation(void) { if (counting) shared->allocations++; }
void *malloc(size_t n) { count_allocation(); return __libc_malloc(n); }
void *calloc(size_t n, size_t size) { count_allocation(); return __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { count_allocation(); return __libc_realloc(p, n); }
void free(void *p) { count_allocation(); __libc_free(p); }

int pthread_mutex_lock(pthread_mutex_t *m)
{
	if (!real_lock)
		real_lock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	if (counting)
		shared->locks++;
	return real_lock(m);
}
#endif

static void one(const char *kind, uint64_t i)
{
	cl_uint value;

	if (kind[0] == 'd')
		CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof value, &value, NULL));
	else if (kind[0] == 's')
		CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	else if (i & 1)
		CHECK(clReleaseMemObject(buffer));
	else
		CHECK(clRetainMemObject(buffer));
}

/* Else zeros would mean nothing. */
static bool counters_count(void)
{
	counting = true;
	void *volatile p = malloc(1);

	free(p);
	counting = false;
	return shared->allocations == 2;
}

static int calls(const char *kind)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
	if (shared == MAP_FAILED)
		return 3;
	if (!counters_count())
		return 4;
	shared->allocations = 0;
	open_context();
	open_kernel();
	for (uint64_t i = 0; i < WARM_UP; i++)
		one(kind, i);
	syscall(SYS_getpid, MARK);
	counting = true;
	for (uint64_t i = 0; i < CALLS; i++) {
		one(kind, i);
		shared->calls = i + 1;
	}
	counting = false;
	syscall(SYS_getpid, MARK);
	return 0;
}

/* ------------------------------------------------------------------ the one that watches */

/* struct ptrace_syscall_info, as far as it is needed */
struct stop { uint8_t op, pad[3]; uint32_t arch; uint64_t pc, sp, nr, arg[6]; };

struct seen { uint64_t calls, places, longest, most, last, here; };

static pid_t start(const char *kind, const char *shim)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		_exit(97);
	raise(SIGSTOP);
	if (shim)
		setenv("LD_PRELOAD", shim, 1);
	execl("/proc/self/exe", "cl_quiet", kind, (char *)NULL);
	_exit(98);
}

/* A system call between the marks, after `calls` calls. */
static void note(struct seen *s, uint64_t calls)
{
	s->calls++;
	if (calls != s->last || !s->places) {
		if (calls - s->last > s->longest)
			s->longest = calls - s->last;
		s->places++;
		s->here = 0;
		s->last = calls;
	}
	if (++s->here > s->most)
		s->most = s->here;
}

static int watch(pid_t pid, struct seen *s)
{
	bool between = false;
	struct stop at;
	int status;

	waitpid(pid, &status, 0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (long signal = 0;
		ptrace(PTRACE_SYSCALL, pid, 0, signal) == 0 && waitpid(pid, &status, 0) == pid && !WIFEXITED(status);) {
		if (WIFSIGNALED(status))
			return 128;
		signal = WSTOPSIG(status) == (SIGTRAP | 0x80) || WSTOPSIG(status) == SIGTRAP ||
				WSTOPSIG(status) == SIGSTOP
			? 0
			: WSTOPSIG(status);
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof at, &at) <= 0)
			return 97;
		if (at.op != 1)                 /* entry */
			continue;
		if (at.nr == SYS_getpid && at.arg[0] == MARK)
			between = !between;
		else if (between)
			note(s, shared->calls);
	}
	if (CALLS - s->last > s->longest)
		s->longest = CALLS - s->last;
	return WEXITSTATUS(status);
}

static int count(const char *kind, const char *shim, struct seen *s)
{
	*s = (struct seen){ 0 };
	*shared = (struct shared){ 0 };
	int status = watch(start(kind, shim), s);

	printf("%s %lu %lu %lu\n", shim ? "traced" : "bare", (unsigned long)shared->allocations,
		(unsigned long)shared->locks, (unsigned long)s->calls);
	return status;
}

int main(int argc, char **argv)
{
	struct seen bare, traced;
	int status;

	if (argc == 2)
		return calls(argv[1]);
	if (argc != 3)
		return 2;
#ifdef __SANITIZE_ADDRESS__
	return 77;
#endif
	int fd = memfd_create("cl_quiet", 0);

	if (fd < 0 || ftruncate(fd, sizeof *shared) || dup2(fd, SHARED_FD) < 0)
		return 3;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	status = count(argv[1], NULL, &bare);
	if (!status)
		status = count(argv[1], argv[2], &traced);
	if (status)
		return status == 97 ? 77 : status;
	printf("switches %lu\n", (unsigned long)(traced.places - bare.places));
	printf("longest %lu\nmost %lu\n", (unsigned long)traced.longest, (unsigned long)traced.most);
	return 0;
}
