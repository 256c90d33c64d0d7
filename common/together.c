/*
 * common/together.c - the same function on some threads at once
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/together.h"

#include <pthread.h>
#include <stdlib.h>

void gt_together(unsigned n, void *(*work)(void *element), void *elements, size_t bytes)
{
	pthread_t *others = n > 1 ? malloc((n - 1) * sizeof *others) : NULL;
	unsigned started = 0;

	while (others && started < n - 1 &&
		!pthread_create(&others[started], NULL, work, (char *)elements + (started + 1) * bytes))
		started++;
	work(elements);
	for (unsigned i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	free(others);
}
