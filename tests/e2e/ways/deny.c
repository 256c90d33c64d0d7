/*
 * tests/e2e/ways/deny.c - deny CALL ERRNO PROGRAM ARGUMENT...: as in a container whose filter answers CALL with ERRNO
 *
 * CALL: perf_event_open, process_vm_readv; make_following: openat that makes a new file (O_CREAT | O_EXCL) without
 * O_NOFOLLOW. ERRNO: a number. Status 125: the filter could not be set; 127: no PROGRAM.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the bits `mask` of its third argument exactly `bits` are set. */
static const struct {
	const char *name;
	unsigned number, mask, bits;
} calls[] = {
	{ "perf_event_open", SYS_perf_event_open, 0, 0 },
	{ "process_vm_readv", SYS_process_vm_readv, 0, 0 },
	{ "make_following", SYS_openat, O_CREAT | O_EXCL | O_NOFOLLOW, O_CREAT | O_EXCL },
};

static int deny(size_t i, unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, calls[i].mask),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].bits, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof code / sizeof *code, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
	size_t i = 0;

	while (argc > 3 && i < sizeof calls / sizeof *calls && strcmp(argv[1], calls[i].name))
		i++;
	if (argc <= 3 || i == sizeof calls / sizeof *calls || deny(i, (unsigned)atoi(argv[2]))) {
		perror("deny");
		return 125;
	}
	execvp(argv[3], argv + 3);
	return 127;
}
