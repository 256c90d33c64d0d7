/*
 * tests/e2e/ways/processes.c - leaves in every way: processes WAY, each after one call
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The C library has it from glibc 2.34 on; the tool's own stands before that too. */
int execveat(int, const char *, char *const[], char *const[], int) __attribute__((weak));
extern char **environ;

static void call(void)
{
	cl_uint n;

	clGetPlatformIDs(0, NULL, &n);
}

static void child_of(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	printf("child: %s %d\n", WIFEXITED(status) ? "status" : "signal",
		WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	fflush(stdout);
}

static void failed(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	fflush(stdout);
}

static void failing_execs(const char *no)
{
	char *argv[] = { (char *)no, NULL };

	execv(no, argv), failed("execv");
	execve(no, argv, environ), failed("execve");
	execvp("no-such-program-anywhere", argv), failed("execvp");
	execvpe("no-such-program-anywhere", argv, environ), failed("execvpe");
	execl(no, "a", "b", NULL), failed("execl");
	execlp("no-such-program-anywhere", "a", NULL), failed("execlp");
	execle(no, "a", NULL, environ), failed("execle");
	fexecve(-1, argv, environ), failed("fexecve");
	if (execveat)
		execveat(AT_FDCWD, no, argv, environ, 0), failed("execveat");
	call();
}

/* Forbids what opening a file takes, on pain of death; then calls on, further than one chunk reaches. */
static void filtered(int by_syscall)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	printf("%d\n", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (by_syscall)
		printf("%ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
	else
		printf("%d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	for (int i = 0; i < 200000; i++)
		call();
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	char *clean[] = { "PATH=/usr/bin:/bin", NULL };

	if (!strcmp(way, "called"))                     /* the program that others exec */
		return call(), printf("%d: %s %s\n", argc, argv[2], argc > 3 ? argv[3] : "-"), 7;
	call();
	fflush(stdout);
	if (!strcmp(way, "_exit"))
		_exit(3);
	if (!strcmp(way, "_Exit"))
		_Exit(4);
	if (!strcmp(way, "quick_exit"))
		quick_exit(5);
	if (!strcmp(way, "execl"))
		execl(argv[0], argv[0], "called", "x", "y", NULL);
	if (!strcmp(way, "execle"))
		execle(argv[0], argv[0], "called", "x", NULL, environ);
	if (!strcmp(way, "execle-clean"))
		execle(argv[0], argv[0], "called", "x", NULL, clean);
	if (!strcmp(way, "execv"))
		execv(argv[0], (char *[]){ argv[0], "called", "x", NULL });
	if (!strcmp(way, "fexecve"))
		fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), (char *[]){ argv[0], "called", "x", NULL }, environ);
	if (!strcmp(way, "failing"))
		failing_execs("/no/such/program");
	if (!strcmp(way, "fork")) {
		pid_t pid = fork();

		if (!pid)
			return call(), call(), 6;
		child_of(pid);
	}
	if (!strcmp(way, "fork-exec") || !strcmp(way, "vfork-exec") || !strcmp(way, "fork-exec-clean")) {
		pid_t pid = way[0] == 'v' ? vfork() : fork();

		if (!pid) {
			execve(argv[0], (char *[]){ argv[0], "called", "x", NULL },
				strstr(way, "clean") ? clean : environ);
			_exit(9);
		}
		child_of(pid);
		call();
	}
	if (!strcmp(way, "vfork-exit")) {
		pid_t pid = vfork();

		if (!pid)
			_exit(11);
		child_of(pid);
		call();
	}
	if (!strcmp(way, "syscall")) {
		printf("%d\n", syscall(SYS_mmap, 0L, 4096L, 3L, 0x22L, -1L, 0L) > 0);
		printf("%ld %d\n", syscall(SYS_close, -1), errno);
		printf("%d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
		printf("%d\n", prctl(PR_SET_SECCOMP, 99, 0, 0, 0));
		call();
	}
	if (!strcmp(way, "filter-prctl") || !strcmp(way, "filter-syscall"))
		filtered(!strcmp(way, "filter-syscall"));
	printf("end\n");
	return 0;
}
