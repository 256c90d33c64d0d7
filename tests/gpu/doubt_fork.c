/*
 * tests/gpu/doubt_fork.c - the child of a fork calls the runtime while the parent launches: are records whole?
 *
 * The parent's open buffers are pages of a file that both processes map. The child makes half of its calls when the
 * parent has launched everything, so that nothing is written over them.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/wait.h>
#include <unistd.h>

#include "doubt.h"

enum { BEFORE = 100, LAUNCHES = 5000, CHILD_CALLS = 5000 };

int main(void)
{
	void *kernel = doubt_kernel("nothing");
	int status = -1, over[2];

	for (int i = 0; i < BEFORE; i++)
		doubt_launch(kernel, 0, NULL);
	MUST(pipe(over));
	pid_t child = fork();

	if (child == 0) {
		close(over[1]);
		for (int half = 0; half < 2; half++) {
			for (int i = 0; i < CHILD_CALLS; i++)
				cudaGetLastError();
			if (read(over[0], &(char){ 0 }, 1) != 0)        /* its end: all is launched */
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < LAUNCHES; i++)
		doubt_launch(kernel, 0, NULL);
	MUST(cudaDeviceSynchronize());
	close(over[1]);
	waitpid(child, &status, 0);
	printf("parent %d child %d status %d\n", (int)getpid(), (int)child, status);
	doubt_counts(BEFORE + LAUNCHES, 0);
	return 0;
}
