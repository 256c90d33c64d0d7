/*
 * trace/format/begin.h - what the file `run` begins with tells its own length and sum
 *
 * Runs in both halves. Its second line is begin=LENGTH SUM: bytes of the file up to which its maker wrote it at once,
 * and a sum of those behind this line. The line with the run's number comes after it: a file that was cut so that
 * processes still take it for their run's shows that it was cut, also where they have added lines since then.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_BEGIN_H
#define GPUTAP_TRACE_FORMAT_BEGIN_H

#include <stddef.h>
#include <stdint.h>

/* The value until both are known; with its newline it takes as many bytes as with its zero. */
#define REC_BEGIN_NONE "00000000 0000000000000000"
enum { REC_BEGIN_DIGITS = 8, REC_BEGIN_SUM_DIGITS = 16 };

static inline uint64_t rec_begin_sum(const char *text, size_t n)
{
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3;
	return sum;
}

/* Once n bytes of text are all that it begins with; value: where REC_BEGIN_NONE stands in it. */
static inline void rec_begin_fill(char *text, size_t n, size_t value)
{
	size_t rest = value + sizeof REC_BEGIN_NONE;
	uint64_t sum = rec_begin_sum(text + rest, n - rest);

	for (size_t i = REC_BEGIN_DIGITS; i--; n /= 10)
		text[value + i] = (char)('0' + n % 10);
	for (size_t i = REC_BEGIN_SUM_DIGITS; i--; sum >>= 4)
		text[value + REC_BEGIN_DIGITS + 1 + i] = "0123456789abcdef"[sum & 15];
}

#endif
