/*
 * common/temporary.c - names of files that are not finished
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/temporary.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

bool gt_temporary_name(const char *final, char *out, size_t room)
{
	uint64_t random;

	return getrandom(&random, sizeof random, 0) == sizeof random &&
		(size_t)snprintf(out, room, "%s.%016llx.part", final, (unsigned long long)random) < room;
}
