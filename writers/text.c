/*
 * writers/text.c - a growing text, appended to without printf
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "writers/text.h"

#include <stdio.h>
#include <stdlib.h>

bool gt_text_grow(struct gt_text *t, size_t more)
{
	size_t room = t->room ? t->room : 512;
	char *data;

	if (t->failed || more > SIZE_MAX / 4 - t->used) {
		t->failed = true;
		return false;
	}
	while (room - t->used < more)
		room *= 2;
	data = realloc(t->data, room);
	if (!data) {
		t->failed = true;
		return false;
	}
	t->data = data;
	t->room = room;
	return true;
}

void gt_text_free(struct gt_text *t)
{
	free(t->data);
	*t = (struct gt_text){ 0 };
}

/* Two digits at a time: half the divisions of the plain loop. */
static const char two_digits[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

void gt_text_u64(struct gt_text *t, uint64_t v)
{
	char digits[20], *at = digits + sizeof(digits);

	while (v >= 100) {
		at -= 2;
		memcpy(at, two_digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		memcpy(at, two_digits + v * 2, 2);
	} else {
		*--at = (char)('0' + v);
	}
	gt_text_bytes(t, at, (size_t)(digits + sizeof(digits) - at));
}

void gt_text_i64(struct gt_text *t, int64_t v)
{
	if (v < 0)
		gt_text_char(t, '-');
	gt_text_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void gt_text_hex(struct gt_text *t, uint64_t v, unsigned digits, bool upper)
{
	const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char out[16];
	unsigned n = 0;

	while (n < 16 && (v || n < digits || n == 0)) {
		out[15 - n++] = set[v & 15];
		v >>= 4;
	}
	gt_text_bytes(t, out + 16 - n, n);
}

void gt_text_float(struct gt_text *t, double v)
{
	char out[40];

	/* The tool never calls setlocale: the decimal sign is a point. */
	gt_text_bytes(t, out, (size_t)snprintf(out, sizeof(out), "%.9g", v));
}

void gt_text_pad(struct gt_text *t, size_t from, size_t width, unsigned least)
{
	size_t written = t->used - from;
	size_t n = written < width ? width - written : 0;

	if (n < least)
		n = least;
	if (gt_text_need(t, n)) {
		memset(t->data + t->used, ' ', n);
		t->used += n;
	}
}
