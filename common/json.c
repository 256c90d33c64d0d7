/*
 * common/json.c - pieces of JSON appended to a text; always valid UTF-8
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/harmless.h"
#include "common/json.h"

#include "common/utf8.h"

static void escape(struct gt_text *t, unsigned char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
	const char *at = c ? strchr(plain, c) : NULL;

	gt_text_char(t, '\\');
	if (at) {
		gt_text_char(t, letter[at - plain]);
	} else {
		gt_text_char(t, 'u');
		gt_text_hex(t, c, 4, false);
	}
}

static void put_number(struct gt_text *t, const unsigned char *s, size_t n)
{
	gt_text_lit(t, "\\u");
	gt_text_hex(t, n == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
			      : (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu), 4, false);
}

void gt_json_string(struct gt_text *t, const char *s, size_t bytes)
{
	gt_text_char(t, '"');
	for (size_t i = 0; i < bytes; ) {
		unsigned char c = (unsigned char)s[i];
		size_t n = gt_utf8_sequence(s + i, bytes - i);

		if (!n)
			gt_text_lit(t, "\xef\xbf\xbd");
		else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			escape(t, c);
		else if (gt_is_harmful(s + i, bytes - i, &n)) /* the same value; terminals read JSON too */
			put_number(t, (const unsigned char *)s + i, n);
		else
			gt_text_bytes(t, s + i, n);
		i += n ? n : 1;
	}
	gt_text_char(t, '"');
}

void gt_json_bytes(struct gt_text *t, const void *data, size_t bytes)
{
	const unsigned char *byte = data;

	gt_text_char(t, '"');
	for (size_t i = 0; i < bytes; i++)
		gt_text_hex(t, byte[i], 2, false);
	gt_text_char(t, '"');
}

void gt_json_real(struct gt_text *t, double v)
{
	if (v - v != 0)
		gt_text_str(t, v != v ? "\"nan\"" : v > 0 ? "\"inf\"" : "\"-inf\"");
	else
		gt_text_float(t, v);
}

static void comma(struct gt_text *t)
{
	if (t->used && t->data[t->used - 1] != '{' && t->data[t->used - 1] != '[')
		gt_text_char(t, ',');
}

void gt_json_key(struct gt_text *t, const char *name)
{
	comma(t);
	gt_json_string(t, name, strlen(name));
	gt_text_char(t, ':');
}

void gt_json_field_text(struct gt_text *t, const char *name, struct gt_string value)
{
	gt_json_key(t, name);
	gt_json_string(t, value.text, value.bytes);
}

void gt_json_field_str(struct gt_text *t, const char *name, const char *value)
{
	gt_json_field_text(t, name, (struct gt_string){ value, strlen(value) });
}

void gt_json_field_u64(struct gt_text *t, const char *name, uint64_t value)
{
	gt_json_key(t, name);
	gt_text_u64(t, value);
}

void gt_json_field_i64(struct gt_text *t, const char *name, int64_t value)
{
	gt_json_key(t, name);
	gt_text_i64(t, value);
}

void gt_json_field_bool(struct gt_text *t, const char *name, bool value)
{
	gt_json_key(t, name);
	gt_text_str(t, value ? "true" : "false");
}

void gt_json_hex(struct gt_text *t, uint64_t value)
{
	gt_text_lit(t, "\"0x");
	gt_text_hex(t, value, 1, false);
	gt_text_char(t, '"');
}

void gt_json_field_hex(struct gt_text *t, const char *name, uint64_t value)
{
	gt_json_key(t, name);
	gt_json_hex(t, value);
}
