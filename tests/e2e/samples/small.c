/*
 * tests/e2e/samples/small.c - computes, then goes on in a signal handler on a stack that has no room for a sample
 *
 * Below that stack lies a page that nobody may touch.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { OWN = 512 };     /* bytes for this program's handler, of which a sample needs several times as many */

static volatile double sum;

static long used_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void compute_until(long ms)
{
	while (used_ms() < ms)
		for (int i = 0; i < 100000; i++)
			sum = sum + i * 0.5;
}

static void computes(int number)
{
	(void)number;
	compute_until(300);
}

/* small [now [kill]]: in the handler from the beginning; it is killed at the end */
int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), frame = getauxval(AT_MINSIGSTKSZ);
	/* the kernel's frame of this handler, and of a signal that comes in it */
	size_t bytes = 2 * (frame ? frame : 2048) + OWN, pages = (bytes + page - 1) / page * page;
	char *memory = mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = computes, .sa_flags = SA_ONSTACK };
	stack_t small = { .ss_sp = memory + page, .ss_size = bytes };

	if (argc == 1)
		compute_until(100);     /* from then on each sample would be taken on that stack */
	if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) || sigaltstack(&small, NULL) ||
		sigaction(SIGUSR1, &action, NULL))
		return 1;
	raise(SIGUSR1);
	if (argc == 3)
		kill(getpid(), argv[2][0] == 'k' ? SIGKILL : SIGTERM);
	printf("computed %d\n", sum != 0);
	return 3;
}
