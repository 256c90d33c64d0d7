/*
 * tests/e2e/cl_live.c - call OpenCL, say so, wait until told to go on, call again
 *
 *	cl_live READY GO [leave] [cd=FOLDER] [env=NAME=VALUE]...
 *
 * Makes the file READY behind its first call and waits for the file GO. leave: a child does all this, and its parent
 * ends as soon as READY is there. Before the first call it changes to the FOLDER and sets the variables.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CL/cl.h>

static void wait_for(const char *path)
{
	for (int i = 0; i < 6000 && access(path, F_OK); i++)
		usleep(10000);
}

int main(int argc, char **argv)
{
	cl_uint n;

	if (argc < 3)
		return 2;
	if (argc > 3 && !strcmp(argv[3], "leave") && fork()) {
		wait_for(argv[1]);
		return 0;
	}
	for (int i = 3; i < argc; i++) {
		if (!strncmp(argv[i], "cd=", 3) && chdir(argv[i] + 3))
			return 3;
		if (!strncmp(argv[i], "env=", 4))
			putenv(argv[i] + 4);
	}
	if (clGetPlatformIDs(0, NULL, &n))
		return 1;
	close(open(argv[1], O_CREAT | O_WRONLY, 0600));
	wait_for(argv[2]);
	return clGetPlatformIDs(0, NULL, &n) ? 1 : 0;
}
