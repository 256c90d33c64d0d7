/*
 * common/text.c - a growing text, appended to without printf
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/text.h"

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

void gt_text_free_part(struct gt_text *part, struct gt_text *whole)
{
	whole->failed |= part->failed;
	gt_text_free(part);
}

#define DIGITS 24                         /* of the longest number, and some */
#define ONES 0x0101010101010101u
#define ZEROS ('0' * ONES)

/* Two digits at a time: half the divisions of the plain loop. */
static const char two_digits[] =
	"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
	"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/*
 * The last n of the bytes in front of `end`; behind them lie as many as one copy of constant size takes, which is
 * what makes it quick.
 */
static inline void put_digits(struct gt_text *t, const char *end, size_t n)
{
	if (!gt_text_need(t, DIGITS))
		return;
	memcpy(t->data + t->used, end - n, DIGITS);
	t->used += n;
}

void gt_text_u64(struct gt_text *t, uint64_t v)
{
	char text[2 * DIGITS], *const end = text + DIGITS, *at = end;

	for (; v >= 100; v /= 100)
		memcpy(at -= 2, two_digits + v % 100 * 2, 2);
	if (v >= 10)
		memcpy(at -= 2, two_digits + v * 2, 2);
	else
		*--at = (char)('0' + v);
	put_digits(t, end, (size_t)(end - at));
}

void gt_text_i64(struct gt_text *t, int64_t v)
{
	if (v < 0)
		gt_text_char(t, '-');
	gt_text_u64(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/*
 * Eight hexadecimal digits of v, the first in the lowest byte (where memory begins). letter: how far 'a' or 'A' lies
 * behind '9' + 1.
 */
static uint64_t eight_digits(uint32_t v, uint64_t letter)
{
	uint64_t x = __builtin_bswap32(v);

	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x >> 4 | x << 8) & 0x0f0f0f0f0f0f0f0f;                     /* one digit a byte */
	return (x | ZEROS) + ((x + 6 * ONES) >> 4 & ONES) * letter;
}

void gt_text_hex(struct gt_text *t, uint64_t v, unsigned digits, bool upper)
{
	const uint64_t letter = (upper ? 'A' : 'a') - '9' - 1;
	const uint64_t out[2] = { eight_digits((uint32_t)(v >> 32), letter), eight_digits((uint32_t)v, letter) };
	unsigned n = v ? (67 - (unsigned)__builtin_clzll(v)) / 4 : 1;
	char text[16 + DIGITS] = { 0 };

	if (n < digits)
		n = digits < 16 ? digits : 16;
	memcpy(text, out, sizeof(out));
	put_digits(t, text + 16, n);
}

void gt_text_float(struct gt_text *t, double v)
{
	char out[40];

	/* The tool never calls setlocale: the decimal sign is a point. */
	gt_text_bytes(t, out, (size_t)snprintf(out, sizeof(out), "%.9g", v));
}

const char gt_text_blanks[GT_TEXT_BLANKS + 1] = "                                                ";

void gt_text_blank(struct gt_text *t, size_t n)
{
	if (gt_text_need(t, n)) {
		memset(t->data + t->used, ' ', n);
		t->used += n;
	}
}
