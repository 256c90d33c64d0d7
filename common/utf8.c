/*
 * common/utf8.c - where the next UTF-8 sequence ends
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/utf8.h"

size_t gt_utf8_sequence(const char *text, size_t left)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
		(s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

void gt_utf8_put_valid(struct gt_text *t, const char *s, size_t bytes)
{
	for (size_t i = 0, n; i < bytes; i += n ? n : 1) {
		n = gt_utf8_sequence(s + i, bytes - i);
		if (n)
			gt_text_bytes(t, s + i, n);
		else
			gt_text_lit(t, "\xef\xbf\xbd");
	}
}
