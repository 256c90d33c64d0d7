/*
 * common/plain/value.h - the value of an option: whether it is one, and its normal form
 *
 * Runs      anywhere: the tool checks and normalises what it was given before it hands it to the traced program; a
 *           program that is preloaded without the tool does the same for itself.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_VALUE_H
#define GPUTAP_COMMON_PLAIN_VALUE_H

#include "common/plain/number.h"
#include "common/plain/words.h"

enum gc_type {
	GC_FLAG, GC_BOOL,               /* normal form: true or false */
	GC_NUMBER, GC_SIZE,             /* digits alone: bytes */
	GC_TIME,                        /* nanoseconds: "12ns", "0" */
	GC_STRING,
	GC_LIST,                        /* any words */
	GC_LINES,                       /* any texts, each a line: what is given again is one more */
	GC_CHOICE,                      /* one word of a few */
	GC_LIST_OF                      /* words of a few; normal form: parted by one comma each */
};

/*
 * Writes the normal form of `text`, at most `room` bytes with its NUL. False: it is no value of the type, or there is
 * no room; *wrong is then the part that is to blame.
 */
bool gc_value_normal(
	enum gc_type type, const char *choices, const char *text, char *to, size_t room, struct gc_word *wrong);
/* Room that is enough for the normal form of `text`. */
size_t gc_value_room(const char *text);

#endif
