/*
 * tests/fault/torture.c - run a program and let the shim's N-th system call fail
 *
 *	torture one|from N REPORT PROGRAM ARG...
 *
 * Counted are the system calls made by instructions of libgputap.so (any copy, any process of the tree) that can fail:
 * memory, files, directories, clones. one: the N-th fails; from: the N-th and all behind it. 0: none. Each fails with
 * the error that it most often has. REPORT gets "steps TOTAL" and "failed NAME" (the first). The program's status comes
 * back; death by a signal as 128 + its number.
 *
 * A seccomp filter stops only these calls; a stopped call is left out and its result set (PTRACE_SEIZE, see ptrace(2)).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436               /* glibc 2.31 does not know it */
#endif

#if !defined(__x86_64__)
int main(void)
{
	puts("skipped: the torture launcher knows x86-64 only");
	return 77;
}
#else

static const struct { int nr, error; const char *name; } steps[] = {
	{ SYS_mmap, ENOMEM, "mmap" }, { SYS_munmap, ENOMEM, "munmap" }, { SYS_madvise, ENOMEM, "madvise" },
	{ SYS_openat, EMFILE, "openat" },
	{ SYS_fallocate, ENOSPC, "fallocate" }, { SYS_mkdirat, EROFS, "mkdirat" },
	{ SYS_renameat2, EACCES, "renameat2" },
	{ SYS_unlinkat, EACCES, "unlinkat" }, { SYS_read, EIO, "read" }, { SYS_write, ENOSPC, "write" },
	{ SYS_pwrite64, ENOSPC, "pwrite64" },
	{ SYS_readlinkat, ENOENT, "readlinkat" }, { SYS_faccessat, EACCES, "faccessat" },
	{ SYS_fstatfs, EIO, "fstatfs" },
	{ SYS_prlimit64, EPERM, "prlimit64" }, { SYS_uname, EFAULT, "uname" }, { SYS_getdents64, EIO, "getdents64" },
	{ SYS_clone, EAGAIN, "clone" },
	{ SYS_close_range, ENOSYS, "close_range" }, { SYS_flock, ENOLCK, "flock" }, { SYS_prctl, EINVAL, "prctl" },
	{ SYS_execve, ENOENT, "execve" },
	{ SYS_process_vm_readv, EPERM, "process_vm_readv" },
};
enum { N_STEPS = sizeof steps / sizeof *steps };

static long wanted, counted;
static int from_then_on;
static const char *first_failed = "nothing";

/* ------------------------------------------------------------- in the child */

static void install_filter(void)
{
	struct sock_filter code[N_STEPS + 4];
	struct sock_fprog program = { 0, code };

	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < N_STEPS; i++)
		code[program.len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)steps[i].nr, (unsigned char)(N_STEPS - i), 0);
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(125);
}

static void child(int gate, char **argv)
{
	char go;

	if (read(gate, &go, 1) != 1)
		_exit(125);
	close(gate);
	install_filter();
	execvp(argv[0], argv);
	_exit(127);
}

/* ------------------------------------------------------------ in the parent */

/* Whether the address lies in code of the shim. */
static int in_shim(pid_t pid, uint64_t address)
{
	char path[64], line[4096];
	int found = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof line, f)) {
		uint64_t start, end;
		char flags[8];

		found = sscanf(line, "%lx-%lx %7s", &start, &end, flags) == 3 && address >= start && address < end &&
			flags[2] == 'x' && strstr(line, "/libgputap.so");
	}
	if (f)
		fclose(f);
	return found;
}

static void at_call(pid_t pid)
{
	struct user_regs_struct regs;
	unsigned i = 0;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &regs) || !in_shim(pid, regs.rip))
		return;
	while (i < N_STEPS && (long)regs.orig_rax != steps[i].nr)
		i++;
	counted++;
	if (i == N_STEPS || !wanted || (from_then_on ? counted < wanted : counted != wanted))
		return;
	if (!strcmp(first_failed, "nothing"))
		first_failed = steps[i].name;
	regs.orig_rax = (unsigned long)-1;      /* no call ... */
	regs.rax = (unsigned long)-steps[i].error;      /* ... and this result */
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
}

static void stopped(pid_t pid, int status)
{
	int event = status >> 16, number = WSTOPSIG(status);

	if (event == PTRACE_EVENT_SECCOMP)
		at_call(pid);
	if (event == PTRACE_EVENT_STOP &&
		(number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)) {
		ptrace(PTRACE_LISTEN, pid, NULL, NULL);
		return;
	}
	ptrace(PTRACE_CONT, pid, NULL, event ? 0 : (void *)(long)number);
}

static int watch(pid_t first)
{
	int result = 125, status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0)
		if (WIFSTOPPED(status))
			stopped(pid, status);
		else if (pid == first)
			result = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return result;
}

int main(int argc, char **argv)
{
	int gate[2], result;
	pid_t pid;
	FILE *f;

	if (argc < 5 || pipe(gate))
		return 2;
	from_then_on = !strcmp(argv[1], "from");
	wanted = atol(argv[2]);
	pid = fork();
	if (!pid) {
		close(gate[1]);
		child(gate[0], argv + 4);
	}
	if (ptrace(PTRACE_SEIZE, pid, NULL,
		    PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			    PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)) {
		perror("skipped: ptrace");
		return 77;
	}
	if (write(gate[1], "", 1) != 1)
		return 2;
	close(gate[0]);
	close(gate[1]);
	result = watch(pid);
	f = fopen(argv[3], "w");
	if (!f || fprintf(f, "steps %ld\nfailed %s\n", counted, first_failed) < 0 || fclose(f))
		return 2;
	return result;
}
#endif
