/*
 * common/plain/words.h - choices ("auto|on|off") and lists ("opencl,cuda")
 *
 * Runs      anywhere: in the traced program and in the tool.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_WORDS_H
#define GPUTAP_COMMON_PLAIN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct gc_word {
	const char *at;
	size_t bytes;
}; /* inside somebody's text; no NUL behind it */

bool gc_equal(const char *a, const char *b);
bool gc_begins(const char *text, const char *with);
size_t gc_length(const char *text);
/* The name of a file, behind the last slash; "" where the path ends with one. */
const char *gc_last_part(const char *path);
/* Whether a part of somebody's text is that word. */
bool gc_is_word(const char *at, size_t bytes, const char *word);

/*
 * The words of a list, one after another: they are parted by commas or blanks, and empty ones do not count.
 * False: there is none left. for (const char *at = list; gc_list_next(&at, &word);)
 */
bool gc_list_next(const char **at, struct gc_word *word);
bool gc_list_has(const char *list, const char *word);

/* The same for choices, which are parted by bars. */
bool gc_choice_next(const char **at, struct gc_word *word);
/* Whether it is one of them: the whole word, and nothing but it. */
bool gc_is_choice(const char *choices, const char *word);
bool gc_word_is_choice(const char *choices, struct gc_word word);

#endif
