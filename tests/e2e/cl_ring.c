/*
 * tests/e2e/cl_ring.c - a long run whose kernels are made in the middle of it, for --ring
 *
 *	cl_ring CALLS [forever]
 *
 * CALLS / 2 cheap calls, then a kernel and a queue, then CALLS / 2 more with a kernel run each 1000 of them. Says how
 * many kernels ran.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

static void cheap(long n)
{
	for (long i = 0; i < n / 2; i++) {
		CHECK(clRetainContext(context));
		CHECK(clReleaseContext(context));
	}
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 1000000, runs = 0;

	open_context();
	cheap(calls / 2);
	cl_command_queue queue = open_queue(0);

	open_kernel();
	printf("half\n");
	fflush(stdout);
	for (long i = 0; i < calls / 2000 || argc > 2; i++) {
		cl_event event;

		cheap(1000);
		CHECK(run_kernel(queue, 0, NULL, &event));
		CHECK(clWaitForEvents(1, &event));
		CHECK(clReleaseEvent(event));
		runs++;
	}
	CHECK(clFinish(queue));
	printf("%ld kernels\n", runs);
	return 0;
}
