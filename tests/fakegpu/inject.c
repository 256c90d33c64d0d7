/*
 * tests/fakegpu/inject.c - what $CUDA_INJECTION64_PATH names in the tests: notes each call of its entry in $INJECT_LOG,
 * returns $INJECT_RETURN
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *what)
{
	const char *path = getenv("INJECT_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f) {
		fprintf(f, "%s%s\n", what, syscall(SYS_gettid) == getpid() ? " on the calling thread" : " elsewhere");
		fclose(f);
	}
}

__attribute__((destructor)) static void unloaded(void) { note("unloaded"); }

int InitializeInjection(void)
{
	const char *answer = getenv("INJECT_RETURN");

	note("entry");
	return answer ? atoi(answer) : 1;
}
