/*
 * tests/e2e/samples/jit.c - computes below code that is made at run time, of two kinds; a map names it
 *
 *	jit MS        each kind, so many milliseconds of the thread's time
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile long sink;
static long long wanted_ns;

static long long used_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static __attribute__((noinline)) void computes(void)
{
	long long end = used_ns() + wanted_ns;

	do
		for (int i = 0; i < 100000; i++)
			sink += i;
	while (used_ns() < end);
}

typedef void call_fn(void (*)(void));
static __attribute__((noinline)) void through_kept(call_fn *code) { code(computes); sink++; }
static __attribute__((noinline)) void through_framed(call_fn *code) { code(computes); sink += 2; }

int main(int argc, char **argv)
{
	/* sub $8, %rsp; call *%rdi; add $8, %rsp; ret: as Python's trampolines */
	static const unsigned char kept[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };
	/* push %rbp; mov %rsp, %rbp; sub $128, %rsp; call *%rdi; leave; ret: as most compilers at run time */
	static const unsigned char framed[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x81, 0xec, 0x80, 0, 0, 0, 0xff, 0xd7,
		0xc9, 0xc3 };
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	FILE *map;

	wanted_ns = (argc > 1 ? atol(argv[1]) : 50) * 1000000ll;
	memcpy(at, kept, sizeof kept);
	memcpy(at + 64, framed, sizeof framed);
	mprotect(at, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx kept at run time\n%lx %zx framed at run time\n", (unsigned long)at, sizeof kept,
		(unsigned long)at + 64, sizeof framed);
	fclose(map);
	through_kept((call_fn *)(void *)at);
	through_framed((call_fn *)(void *)(at + 64));
	puts(path);
	return 0;
}
