/*
 * tests/e2e/ways/small_handler.c - the process' first calls are made by a handler on a small stack of its own
 *
 *	small_handler BYTES CALLS: the stack ends at a page that cannot be touched
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static int calls;

static void handler(int s)
{
	cl_uint n;

	(void)s;
	for (int i = 0; i < calls; i++)
		clGetPlatformIDs(0, NULL, &n);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 2 ? (size_t)atol(argv[1]) : 0, page = 65536;
	char *at = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = at + page, .ss_size = bytes };
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	calls = argc > 2 ? atoi(argv[2]) : 0;
	if (at == MAP_FAILED || mprotect(at, page, PROT_NONE) || sigaltstack(&stack, NULL) ||
		sigaction(SIGUSR1, &a, NULL))
		return 3;
	return raise(SIGUSR1);
}
