/*
 * tests/e2e/cl_place.c - STEP...: N calls, `uid=N` drops privileges, `root=DIR` changes the root directory,
 * `thread=N` is N calls in a thread, `run=COMMAND` runs it by a shell
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <CL/cl.h>
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *calls(void *n)
{
	cl_uint count;

	for (long i = 0; i < (long)n; i++)
		clGetPlatformIDs(0, NULL, &count);
	return NULL;
}

static int step(const char *word)
{
	pthread_t thread;

	if (!strncmp(word, "uid=", 4)) {
		unsigned id = (unsigned)atoi(word + 4);

		return setgroups(0, NULL) || setgid(id) || setuid(id);
	}
	if (!strncmp(word, "root=", 5))
		return chroot(word + 5) || chdir("/");
	if (!strncmp(word, "run=", 4))
		return system(word + 4) != 0;
	if (!strncmp(word, "thread=", 7))
		return pthread_create(&thread, NULL, calls, (void *)atol(word + 7)) || pthread_join(thread, NULL);
	calls((void *)atol(word));
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (step(argv[i])) {
			fprintf(stderr, "%s failed\n", argv[i]);
			return 1;
		}
	return 0;
}
