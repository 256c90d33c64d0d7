/*
 * tests/e2e/stacks/jit.c - a call through code that is made at run time; the map that names it is written first
 *
 *	jit MAP|-     the second: through the library that says to be Python
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sites.h"

void _PyEval_EvalFrameDefault(void (*call)(void));

static volatile int sink;

static __attribute__((noinline)) void site(void)
{
	CALL; /* stack: site < made at run time < through_code < main */
	sink++;
}

static __attribute__((noinline)) void through_code(void)
{
	/* sub $8, %rsp; call *%rdi; add $8, %rsp; ret */
	static const unsigned char code[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	memcpy(at, code, sizeof code);
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx made at run time\n", (unsigned long)at, sizeof code);
	fclose(map);
	((void (*)(void (*)(void)))at)(site);
	sink++;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "-"))
		for (int i = 0; i < 300; i++)
			_PyEval_EvalFrameDefault(site);
	else
		through_code();
	return 0;
}
