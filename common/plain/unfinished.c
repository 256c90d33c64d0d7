/*
 * common/plain/unfinished.c - the name of a file or folder that is not finished
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/unfinished.h"

struct text { char *to; size_t used, room; };

static void put(struct text *t, char c)
{
	if (t->used < t->room)
		t->to[t->used] = c;
	t->used++;
}

static void put_text(struct text *t, const char *s)
{
	while (*s)
		put(t, *s++);
}

bool gc_unfinished_name(const char *final, const char *run, uint64_t random, char *to, size_t room)
{
	struct text t = { to, 0, room };

	put_text(&t, final);
	put(&t, '.');
	put_text(&t, run);
	put(&t, '-');
	for (int shift = 60; shift >= 0; shift -= 4)
		put(&t, "0123456789abcdef"[random >> shift & 15]);
	put_text(&t, ".part");
	put(&t, 0);
	return t.used <= room;
}

static const char *behind_digits(const char *s)
{
	int n = 0;

	while (n < 16 && ((s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'f')))
		n++;
	return n == 16 ? s + n : "";
}

bool gc_unfinished_is_of(const char *name, const char *final)
{
	const char *end = ".part";

	while (*final && *name == *final)
		name++, final++;
	if (*final || *name != '.')
		return false;
	name = behind_digits(name + 1);
	if (*name != '-')
		return false;
	name = behind_digits(name + 1);
	while (*end && *name == *end)
		name++, end++;
	return !*end && !*name;
}
