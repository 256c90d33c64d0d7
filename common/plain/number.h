/*
 * common/plain/number.h - numbers, sizes, times and truth as people write them
 *
 * Runs      anywhere: in the traced program and in the tool, which therefore read a value alike.
 * Must not  use the C library.
 *
 * Each reads the whole text; false: it is none of that kind, or does not fit, and *value stays.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_NUMBER_H
#define GPUTAP_COMMON_PLAIN_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_DIGITS_MAX 21 /* of a 64-bit number, and the NUL */

/* "12" */
bool gc_parse_number(const char *text, uint64_t *value);
/* "12", "4k", "1M", "2G", "1T" in bytes; small letters too */
bool gc_parse_size(const char *text, uint64_t *bytes);
/* "3ns", "10us", "20ms", "1.5s", "2min", "1h" and "0", in ns; what is below a nanosecond is rounded */
bool gc_parse_time(const char *text, int64_t *ns);
/* true 1 yes on; false 0 no off */
bool gc_parse_truth(const char *text, bool *value);

/* Decimal digits and a NUL; their number. */
size_t gc_put_number(char to[GC_DIGITS_MAX], uint64_t value);

#endif
