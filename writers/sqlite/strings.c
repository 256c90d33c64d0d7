/*
 * writers/sqlite/strings.c - StringIds: each text once, numbered in order of appearance
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/map.h"
#include "common/text.h"
#include "common/utf8.h"
#include "writers/sqlite/db.h"

#define BLOCK 65536u                    /* bytes of text allocated at once */

struct block { struct block *next; size_t used, bytes; char text[]; };

struct gt_strings {
	struct gt_map map;              /* ids, by text */
	const char **text;              /* by id */
	uint32_t *bytes;
	size_t n, room;
	struct block *blocks;
};

struct gt_strings *gt_strings_new(void)
{
	struct gt_strings *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	if (gt_strings_intern(s, "[Unknown]", 9) < 0) {
		gt_strings_free(s);
		return NULL;
	}
	return s;
}

void gt_strings_free(struct gt_strings *s)
{
	if (!s)
		return;
	for (struct block *b = s->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	gt_map_free(&s->map, sizeof(uint32_t));
	free(s->text);
	free(s->bytes);
	free(s);
}

static bool same(const void *element, const void *key, const void *ctx)
{
	const struct gt_strings *s = ctx;
	const struct gt_string *text = key;
	uint32_t id = *(const uint32_t *)element;

	return s->bytes[id] == text->bytes && !gt_compare_bytes(s->text[id], text->text, text->bytes);
}

static bool grow_list(struct gt_strings *s)
{
	size_t room = s->room ? s->room * 2 : 256;
	const char **text = realloc(s->text, room * sizeof *text);

	if (!text)
		return false;
	s->text = text;
	uint32_t *bytes = realloc(s->bytes, room * sizeof *bytes);

	if (!bytes)
		return false;
	s->bytes = bytes;
	s->room = room;
	return true;
}

static char *store(struct gt_strings *s, const char *text, size_t bytes)
{
	struct block *b = s->blocks;

	if (!b || b->bytes - b->used < bytes + 1) {
		size_t room = bytes + 1 > BLOCK ? bytes + 1 : BLOCK;

		b = malloc(sizeof *b + room);
		if (!b)
			return NULL;
		*b = (struct block){ .next = s->blocks, .bytes = room };
		s->blocks = b;
	}
	char *to = b->text + b->used;

	memcpy(to, text, bytes);
	to[bytes] = 0;
	b->used += bytes + 1;
	return to;
}

int64_t gt_strings_intern(struct gt_strings *s, const char *text, size_t bytes)
{
	const struct gt_string key = { text, bytes };
	uint64_t hash = gt_hash_text(text, bytes);
	uint32_t *id = gt_map_find(&s->map, sizeof *id, hash, &key, same, s);
	char *copy;
	bool fresh;

	if (id)
		return *id;
	if (s->n == s->room && !grow_list(s))
		return -1;
	copy = store(s, text, bytes);
	id = copy ? gt_map_add(&s->map, sizeof *id, hash, &key, same, s, &fresh) : NULL;
	if (!id)
		return -1;
	s->text[s->n] = copy;
	s->bytes[s->n] = (uint32_t)bytes;
	return *id = (uint32_t)s->n++;
}

size_t gt_strings_count(const struct gt_strings *s) { return s->n; }
const char *gt_strings_at(const struct gt_strings *s, size_t id) { return s->text[id]; }

/* NUL ends a text in SQLite, so it counts as damage too. */
static size_t sequence(const char *t, size_t bytes) { return *t ? gt_utf8_sequence(t, bytes) : 0; }

bool gt_utf8_valid(const char *text, size_t bytes)
{
	for (size_t i = 0, n; i < bytes; i += n) {
		n = sequence(text + i, bytes - i);
		if (!n)
			return false;
	}
	return true;
}

size_t gt_utf8(const char *text, size_t bytes, char *out)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *t = (const unsigned char *)text;
	char *to = out;

	for (size_t i = 0; i < bytes;) {
		size_t n = sequence(text + i, bytes - i);

		if (n) {
			memcpy(to, t + i, n);
			to += n;
			i += n;
			continue;
		}
		*to++ = '\\';
		*to++ = 'x';
		*to++ = digits[t[i] >> 4];
		*to++ = digits[t[i] & 15];
		i++;
	}
	*to = 0;
	return (size_t)(to - out);
}
