/*
 * tests/long/unwind/api.c - a library that stands for OpenCL; the debugger stops in it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
int stopped_here(unsigned n);
int clGetPlatformIDs(unsigned n, void **none, unsigned *nothing);

__attribute__((noinline)) int stopped_here(unsigned n)
{
	static volatile unsigned sink;

	sink += n;
	return -1;
}

int clGetPlatformIDs(unsigned n, void **none, unsigned *nothing)
{
	(void)none, (void)nothing;
	return stopped_here(n) - 1;
}
