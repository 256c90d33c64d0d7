/*
 * common/plain/regex.h - regular expressions of names: whether a text holds what an expression says
 *
 * Runs      anywhere: the traced program decides by it which kernels and ranges are meant, the tool which are shown.
 * Must not  use the C library, allocate. Time grows with expression times text, whatever they are.
 *
 * Understood: . [abc] [^a-z] ^ $ ( ) (?: ) | * + ? {2} {2,} {2,5}, \d \D \w \W \s \S \b \B, and a backslash before any
 * other character for that character. A dot is one character of UTF-8. What is not understood is refused.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_REGEX_H
#define GPUTAP_COMMON_PLAIN_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One step of an expression; of a set of bytes, four of them hold the bits. */
struct gc_regex_op { uint8_t op, byte; int16_t to, or_to; };
enum { GC_REGEX_MOST = 1024 };            /* steps of one expression */

struct gc_regex { const struct gc_regex_op *ops; uint32_t n; };

/*
 * Makes the expression of `text`, in the caller's room of `most` steps. NULL, or what is wrong with it, as a clause: "a
 * bracket is not closed".
 */
const char *gc_regex_make(
	struct gc_regex *r, const char *text, size_t bytes, struct gc_regex_op *room, size_t most);
/* whole: from the first character to the last; else anywhere. */
bool gc_regex_fits(const struct gc_regex *r, const char *text, size_t bytes, bool whole);

#endif
