/*
 * common/search.h - where a value belongs in a sorted array
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_SEARCH_H
#define GPUTAP_COMMON_SEARCH_H

#include <stdint.h>

/*
 * at: the first of `count` places for which `before`, an expression of `at`, is false; count where it is true for all.
 * It is true up to some place, and false from there on.
 */
#define GT_SEARCH(at, count, before) \
	do { \
		uint32_t low_ = 0, high_ = (count); \
\
		while (low_ < high_) { \
			(at) = low_ + (high_ - low_) / 2; \
			if (before) \
				low_ = (at) + 1; \
			else \
				high_ = (at); \
		} \
		(at) = low_; \
	} while (0)

#endif
