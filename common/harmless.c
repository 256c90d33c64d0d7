/*
 * common/harmless.c - text that came from a program, as it may stand on a terminal or in a file of lines
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/harmless.h"

#include "common/utf8.h"

#define COPIES 8u

/* The second block of control characters, and the embeddings, overrides and isolates of the bidirectional algorithm. */
static int is_hidden(const unsigned char *s, size_t bytes)
{
	if (bytes == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	return bytes == 3 && s[0] == 0xe2 &&
		((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));
}

int gt_is_harmful(const char *s, size_t left, size_t *bytes)
{
	const unsigned char *u = (const unsigned char *)s;

	*bytes = 1;
	if (*u < 0x80)
		return *u < 0x20 || *u == 0x7f;
	*bytes = gt_utf8_sequence(s, left);
	if (!*bytes)
		return *bytes = 1;
	return is_hidden(u, *bytes);
}

static void put_escape(struct gt_text *t, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";

	gt_text_char(t, '\\');
	if (c == '\n' || c == '\r' || c == '\t') {
		gt_text_char(t, c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		return;
	}
	gt_text_char(t, 'x');
	gt_text_char(t, digits[c >> 4]);
	gt_text_char(t, digits[c & 15]);
}

void gt_text_harmless(struct gt_text *t, const char *s, size_t n)
{
	size_t bytes;

	for (size_t i = 0; i < n; i += bytes) {
		if (!gt_is_harmful(s + i, n - i, &bytes)) {
			gt_text_bytes(t, s + i, bytes);
			continue;
		}
		for (size_t k = 0; k < bytes; k++)
			put_escape(t, (unsigned char)s[i + k]);
	}
}

const char *gt_harmless_n(const char *s, size_t n)
{
	static struct gt_text copies[COPIES];
	static unsigned next;
	struct gt_text *t = &copies[next++ % COPIES];

	t->used = 0;
	gt_text_harmless(t, s, n);
	gt_text_char(t, 0);
	return t->failed ? "(out of memory)" : t->data;
}

const char *gt_harmless(const char *s)
{
	size_t n = s ? strlen(s) : 0, i = 0, bytes;

	while (i < n && !gt_is_harmful(s + i, n - i, &bytes))
		i += bytes;
	if (i == n)
		return s;
	return gt_harmless_n(s, n);
}
