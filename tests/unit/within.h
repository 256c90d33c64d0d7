/*
 * tests/unit/within.h - a number lies within bounds, in the words of any cmocka
 *
 * cmocka 2 asks to be told whether the numbers have signs, and 1 has one word for both.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_WITHIN_H
#define GPUTAP_TESTS_WITHIN_H

#ifdef assert_uint_in_range
#define assert_within(value, least, most) assert_uint_in_range(value, least, most)
#else
#define assert_within(value, least, most) assert_in_range(value, least, most)
#endif

#endif
