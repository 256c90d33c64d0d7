/*
 * tests/gpu/leave.cu - ends without waiting for its kernels, the first way of losing them: leave [exit|_exit|reset]
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu.h"
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned *x;

	MUST(cudaMalloc(&x, 1024));
	for (int i = 0; i < 1000; i++)
		launch_add_one(x, 256, 0);
	int status = done("leave", true);

	std::fflush(stdout);
	if (argc > 1 && !std::strcmp(argv[1], "_exit"))
		_exit(status);
	if (argc > 1 && !std::strcmp(argv[1], "reset"))
		MUST(cudaDeviceReset());
	return status;
}
