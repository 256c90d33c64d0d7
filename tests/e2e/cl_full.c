/*
 * tests/e2e/cl_full.c - N kernels, then one wait: device records come when there may be no room any more
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cl_common.h"

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	cl_command_queue queue;

	open_context();
	queue = open_queue(0);
	open_kernel();
	for (int i = 0; i < n; i++)
		CHECK(run_kernel(queue, 0, NULL, NULL));
	CHECK(clFinish(queue));
	return 0;
}
