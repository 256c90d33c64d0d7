/*
 * tests/gpu/doubt_late.c - a long kernel, a forced flush in its middle (an exec that fails asks for one), then its end
 *
 * Does CUPTI hand the kernel out without an end, and does its end come later?
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "doubt.h"

int main(void)
{
	char *argv[] = { "nothing", NULL };
	void *spin = doubt_kernel("spin"), *nothing = doubt_kernel("nothing");

	doubt_launch(nothing, 0, NULL);
	MUST(cudaDeviceSynchronize());
	doubt_launch(spin, 200000000, NULL);
	usleep(20000);                                  /* it runs */
	execv("/nonexistent/program", argv);
	MUST(cudaDeviceSynchronize());
	doubt_launch(nothing, 0, NULL);
	MUST(cudaDeviceSynchronize());
	doubt_counts(3, 0);
	return 0;
}
