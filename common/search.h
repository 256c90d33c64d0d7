/*
 * common/search.h - where a value belongs in a sorted array
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_SEARCH_H
#define GPUTAP_COMMON_SEARCH_H

/*
 * `at` is a variable of the caller, of an unsigned type that holds every place. `before` is an expression of it, true
 * up to some place and false from there on. Macros, so that the comparison is compiled in place: many of these stand
 * where every call of a trace comes by.
 */

/* at: the first place of from to `to` - 1 for which `before` is false; `to` where it is true for all. */
#define GT_SEARCH_FROM(at, from, to, before) \
	do { \
		__typeof__(at) low_ = (from), high_ = (to); \
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

/* The same of `count` places. */
#define GT_SEARCH(at, count, before) GT_SEARCH_FROM(at, 0, count, before)

/* at: the last of `count` places for which `upto`, as `before`, is true; 0 where it is true for none. */
#define GT_SEARCH_LAST(at, count, upto) \
	do { \
		GT_SEARCH_FROM(at, 1, count, upto); \
		(at)--; \
	} while (0)

#endif
