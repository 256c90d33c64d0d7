/*
 * tests/e2e/cl_clocks.c - kernels one after another, each waited for: cl_clocks N
 *
 * Says how long they took in all by the host's clock, as counted from before an enqueue to behind its clFinish.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <time.h>

#include "cl_common.h"

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200;
	uint64_t in_all = 0;

	open_context();
	open_kernel();
	cl_command_queue queue = open_queue(0);

	for (int i = 0; i < n; i++) {
		uint64_t before = now();

		CHECK(run_kernel(queue, 0, NULL, NULL));
		CHECK(clFinish(queue));
		in_all += now() - before;
	}
	fprintf(stderr, "%llu\n", (unsigned long long)in_all);
	return 0;
}
