/*
 * tests/unit/randomness.h - the same numbers in every run, as if drawn (xorshift)
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_RANDOMNESS_H
#define GPUTAP_TESTS_UNIT_RANDOMNESS_H

#include <stdint.h>

static uint64_t seed = 88172645463325252u;

static inline uint64_t random_below(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % n;
}

#endif
