/*
 * tests/gpu/doubt_pace.c - a kernel every millisecond on an idle device, waited for each time: pace [SECONDS]
 *
 * Nothing is queued, so a kernel starts some microseconds after its launch: what is seen beside that is the error of
 * the clocks.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "doubt.h"

int main(int argc, char **argv)
{
	uint64_t until_ns = doubt_now_ns() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 60) * 1000000000u;
	void *kernel = doubt_kernel("nothing");
	long n = 0;

	for (; doubt_now_ns() < until_ns; n++) {
		doubt_launch(kernel, 0, NULL);
		MUST(cudaDeviceSynchronize());
		usleep(1000);
	}
	printf("launched %ld\n", n);                    /* how many depends on the time: not part of what is compared */
	doubt_counts(n, 0);
	return 0;
}
