/*
 * common/text.h - a growing text, appended to without printf
 *
 * Runs in the tool, in the loops that write one line per call: at two million lines per second printf alone
 * would be the budget. A failed allocation is remembered (`failed`) and appends become no-ops, so callers check
 * once per file and not once per character.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_TEXT_H
#define GPUTAP_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct gt_string { const char *text; size_t bytes; };     /* not owned; no NUL behind it that one could count on */

/* memcmp() for what may be empty and then lie nowhere, which the C library does not allow. */
static inline int gt_compare_bytes(const void *a, const void *b, size_t n) { return n ? memcmp(a, b, n) : 0; }

static inline bool gt_same_text(struct gt_string a, struct gt_string b)
{
	return a.bytes == b.bytes && !gt_compare_bytes(a.text, b.text, a.bytes);
}
/* By their bytes; of two of which one begins the other, the shorter one first. */
static inline int gt_compare_text(struct gt_string a, struct gt_string b)
{
	int order = gt_compare_bytes(a.text, b.text, a.bytes < b.bytes ? a.bytes : b.bytes);

	return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

/* Of a text that outlives it; NULL: an empty one. */
static inline struct gt_string gt_string_of(const char *s) { return (struct gt_string){ s, s ? strlen(s) : 0 }; }

struct gt_text {
	char *data;
	size_t used, room;                /* bytes */
	bool failed;                      /* out of memory: the text is not whole */
};

bool gt_text_grow(struct gt_text *t, size_t more);
void gt_text_free(struct gt_text *t);
/* Frees what was put together for `whole`, which is not whole either if there was no memory for it. */
void gt_text_free_part(struct gt_text *part, struct gt_text *whole);

/* Room for `more` bytes at data + used. False: out of memory. */
static inline bool gt_text_need(struct gt_text *t, size_t more)
{
	return t->room - t->used >= more || gt_text_grow(t, more);
}

static inline void gt_text_char(struct gt_text *t, char c)
{
	if (gt_text_need(t, 1))
		t->data[t->used++] = c;
}

static inline void gt_text_bytes(struct gt_text *t, const char *from, size_t n)
{
	if (n && gt_text_need(t, n)) {
		memcpy(t->data + t->used, from, n);
		t->used += n;
	}
}

static inline void gt_text_str(struct gt_text *t, const char *s) { gt_text_bytes(t, s, strlen(s)); }
#define gt_text_lit(t, literal) gt_text_bytes((t), literal, sizeof(literal) - 1)

void gt_text_u64(struct gt_text *t, uint64_t v);
void gt_text_i64(struct gt_text *t, int64_t v);
/* Hexadecimal, at least `digits` digits, zero padded. */
void gt_text_hex(struct gt_text *t, uint64_t v, unsigned digits, bool upper);
/* As "%.9g" of C, in the C locale. */
void gt_text_float(struct gt_text *t, double v);

/* n blanks */
void gt_text_blank(struct gt_text *t, size_t n);

#define GT_TEXT_BLANKS 48
extern const char gt_text_blanks[GT_TEXT_BLANKS + 1];

/* Blanks until `width` bytes follow `from`; at least `least` of them. */
static inline void gt_text_pad(struct gt_text *t, size_t from, size_t width, unsigned least)
{
	size_t written = t->used - from, n = written + least < width ? width - written : least;

	if (n <= GT_TEXT_BLANKS && gt_text_need(t, GT_TEXT_BLANKS)) {     /* a copy of constant size: a few stores */
		memcpy(t->data + t->used, gt_text_blanks, GT_TEXT_BLANKS);
		t->used += n;
	} else {
		gt_text_blank(t, n);
	}
}

#endif
