/*
 * writers/sqlite/strings.c - StringIds: each text once, numbered in order of appearance
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"
#include "writers/sqlite/db.h"

#define BLOCK 65536u                    /* bytes of text allocated at once */

struct block { struct block *next; size_t used, bytes; char text[]; };
struct slot { uint64_t hash; uint32_t id_plus_1; };

struct gt_strings {
	struct slot *slot;
	size_t n_slots;                 /* power of two, at most half full */
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
	s->n_slots = 1024;
	s->slot = calloc(s->n_slots, sizeof *s->slot);
	if (!s->slot || gt_strings_intern(s, "[Unknown]", 9) < 0) {
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
	free(s->slot);
	free(s->text);
	free(s->bytes);
	free(s);
}

static uint64_t hash_text(const char *text, size_t bytes)
{
	uint64_t h = 0x9e3779b97f4a7c15ull ^ bytes;

	for (; bytes >= 8; bytes -= 8, text += 8) {
		uint64_t w;

		memcpy(&w, text, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	for (; bytes; bytes--, text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ull;
	h ^= h >> 29;
	h *= 0xc4ceb9fe1a85ec53ull;
	return h ^ h >> 32;
}

static bool grow_slots(struct gt_strings *s)
{
	size_t n = s->n_slots * 2;
	struct slot *slot = calloc(n, sizeof *slot);

	if (!slot)
		return false;
	for (size_t i = 0; i < s->n_slots; i++) {
		if (!s->slot[i].id_plus_1)
			continue;
		size_t at = s->slot[i].hash & (n - 1);

		while (slot[at].id_plus_1)
			at = (at + 1) & (n - 1);
		slot[at] = s->slot[i];
	}
	free(s->slot);
	s->slot = slot;
	s->n_slots = n;
	return true;
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
	uint64_t hash = hash_text(text, bytes);
	size_t at = hash & (s->n_slots - 1);

	for (; s->slot[at].id_plus_1; at = (at + 1) & (s->n_slots - 1)) {
		uint32_t id = s->slot[at].id_plus_1 - 1;

		if (s->slot[at].hash == hash && s->bytes[id] == bytes && !memcmp(s->text[id], text, bytes))
			return id;
	}
	if (s->n == s->room && !grow_list(s))
		return -1;
	char *copy = store(s, text, bytes);

	if (!copy)
		return -1;
	s->text[s->n] = copy;
	s->bytes[s->n] = (uint32_t)bytes;
	s->slot[at] = (struct slot){ hash, (uint32_t)++s->n };
	if (s->n * 2 > s->n_slots && !grow_slots(s))
		return -1;
	return (int64_t)s->n - 1;
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
