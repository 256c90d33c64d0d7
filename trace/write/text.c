/*
 * trace/write/text.c - small texts for paths, metadata and notes, without the C library's formatter
 *
 * Runs      anywhere in the traced program.
 * Must not  allocate, lock, change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdarg.h>

#include "trace/write/internal.h"

void tap_text_init(struct tap_text *t, char *buffer, size_t size)
{
	*t = (struct tap_text){ buffer, 0, buffer ? size : 0 };
	if (buffer)
		buffer[0] = 0;
}

void tap_text_char(struct tap_text *t, char c)
{
	if (t->used + 1 >= t->size)
		return;
	t->at[t->used++] = c;
	t->at[t->used] = 0;
}

void tap_text_bytes(struct tap_text *t, const char *s, size_t n)
{
	while (n--)
		tap_text_char(t, *s++);
}

void tap_text_str(struct tap_text *t, const char *s)
{
	for (s = s ? s : "(null)"; *s; s++)
		tap_text_char(t, *s);
}

void tap_text_u64(struct tap_text *t, uint64_t v)
{
	char digit[20];
	int n = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		tap_text_char(t, digit[--n]);
}

/* At least `digits` digits. */
void tap_text_hex(struct tap_text *t, uint64_t v, int digits)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		if (shift < digits * 4 || v >> shift)
			tap_text_char(t, "0123456789abcdef"[v >> shift & 15]);
}

static void put_signed(struct tap_text *t, int64_t v)
{
	if (v < 0)
		tap_text_char(t, '-');
	tap_text_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void tap_text_format(struct tap_text *t, const char *format, va_list args)
{
	for (; *format; format++) {
		if (*format != '%') {
			tap_text_char(t, *format);
			continue;
		}
		bool is_long = *++format == 'l';

		switch (*(format += is_long)) {
		case 's': tap_text_str(t, va_arg(args, const char *)); break;
		case 'd': put_signed(t, is_long ? va_arg(args, long) : va_arg(args, int)); break;
		case 'u': tap_text_u64(t, is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned)); break;
		case 'x': tap_text_hex(t, is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned), 1); break;
		case '%': tap_text_char(t, '%'); break;
		default: return;                /* not in the list of stream.h: nothing behind it can be read rightly */
		}
	}
}

bool tap_text_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

size_t tap_text_length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}
