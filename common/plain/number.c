/*
 * common/plain/number.c - numbers, sizes, times and truth as people write them
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/number.h"

#include "common/plain/words.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Moves *at behind the digits. False: there are none, or too many. */
static bool digits(const char **at, uint64_t *value)
{
	uint64_t n = 0;
	bool fits = is_digit(**at);

	for (; is_digit(**at); ++*at) {
		uint64_t digit = (uint64_t)(**at - '0');

		fits &= n < UINT64_MAX / 10 || (n == UINT64_MAX / 10 && digit <= UINT64_MAX % 10);
		n = n * 10 + digit;
	}
	*value = n;
	return fits;
}

bool gc_parse_number(const char *text, uint64_t *value)
{
	uint64_t n;

	if (!digits(&text, &n) || *text)
		return false;
	*value = n;
	return true;
}

bool gc_parse_size(const char *text, uint64_t *bytes)
{
	static const char letters[] = "kKmMgGtT";
	unsigned shift = 0;
	uint64_t n;

	if (!digits(&text, &n))
		return false;
	for (unsigned i = 0; *text && letters[i]; i++)
		if (*text == letters[i])
			shift = (i / 2 + 1) * 10;
	if (shift)
		text++;
	if (*text || (shift && n >> (64 - shift)))
		return false;
	*bytes = n << shift;
	return true;
}

enum { FRACTION_DIGITS = 9 };

/* Digits behind the point in units of 10^-9, by the tenth rounded. */
static uint64_t fraction(const char **at)
{
	uint64_t n = 0;

	for (int i = 0; i < FRACTION_DIGITS; i++)
		n = n * 10 + (is_digit(**at) ? (uint64_t)(*(*at)++ - '0') : 0);
	n += **at >= '5' && **at <= '9';
	while (is_digit(**at))
		++*at;
	return n;
}

bool gc_parse_time(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", 1000000000 },
		{ "min", 60000000000 },
		{ "h", 3600000000000 },
	};
	const uint64_t second = 1000000000;
	uint64_t whole = 0, part = 0;

	if (!(is_digit(text[0]) || (text[0] == '.' && is_digit(text[1]))) ||
		(is_digit(text[0]) && !digits(&text, &whole)))
		return false;
	if (*text == '.') {
		text++;
		part = fraction(&text);
	}
	if (!*text && !whole && !part) {
		*ns = 0;
		return true;
	}
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
		uint64_t unit = units[i].ns;

		if (!gc_equal(text, units[i].name))
			continue;
		part = unit > second ? part * (unit / second) : (part * unit + second / 2) / second;
		if (whole > ((uint64_t)INT64_MAX - part) / unit)
			return false;
		*ns = (int64_t)(whole * unit + part);
		return true;
	}
	return false;
}

bool gc_parse_truth(const char *text, bool *value)
{
	static const char yes[] = "true|1|yes|on", no[] = "false|0|no|off";

	if (!gc_is_choice(yes, text) && !gc_is_choice(no, text))
		return false;
	*value = gc_is_choice(yes, text);
	return true;
}

size_t gc_put_number(char to[GC_DIGITS_MAX], uint64_t value)
{
	char digit[GC_DIGITS_MAX];
	size_t n = 0;

	do
		digit[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < n; i++)
		to[i] = digit[n - 1 - i];
	to[n] = 0;
	return n;
}
