/*
 * common/plain/words.c - choices ("auto|on|off") and lists ("opencl,cuda")
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/words.h"

bool gc_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool gc_begins(const char *text, const char *with)
{
	while (*with && *text == *with)
		text++, with++;
	return !*with;
}

size_t gc_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

const char *gc_last_part(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

static bool parts(char c, const char *separators) { return c == separators[0] || c == separators[1]; }

static bool next(const char **at, struct gc_word *word, const char *separators)
{
	const char *p = *at;

	while (*p && parts(*p, separators))
		p++;
	word->at = p;
	while (*p && !parts(*p, separators))
		p++;
	word->bytes = (size_t)(p - word->at);
	*at = p;
	return word->bytes != 0;
}

bool gc_list_next(const char **at, struct gc_word *word) { return next(at, word, ", "); }
bool gc_choice_next(const char **at, struct gc_word *word) { return next(at, word, "||"); }

static bool same(struct gc_word a, struct gc_word b)
{
	size_t i = 0;

	while (i < a.bytes && i < b.bytes && a.at[i] == b.at[i])
		i++;
	return i == a.bytes && i == b.bytes;
}

static struct gc_word whole(const char *text)
{
	return (struct gc_word){ text, gc_length(text) };
}

bool gc_is_word(const char *at, size_t bytes, const char *word)
{
	return same((struct gc_word){ at, bytes }, whole(word));
}

bool gc_list_has(const char *list, const char *word)
{
	struct gc_word one, wanted = whole(word);

	while (gc_list_next(&list, &one))
		if (same(one, wanted))
			return true;
	return false;
}

bool gc_word_is_choice(const char *choices, struct gc_word word)
{
	struct gc_word one;

	while (gc_choice_next(&choices, &one))
		if (same(one, word))
			return true;
	return false;
}

bool gc_is_choice(const char *choices, const char *word) { return gc_word_is_choice(choices, whole(word)); }
