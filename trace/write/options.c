/*
 * trace/write/options.c - GPUTAP_* read without the C library; one list of options: trace/format/options.def
 *
 * Runs      in the constructor, before any other thread.
 * Must not  allocate, change errno, fail: a bad value leaves the default (the tool has checked it before).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/write/internal.h"

enum { S = 1, R = 2, E = 4, T = 8, I = 16, D = 32 };

struct option {
	const char *name;
	unsigned scope;
	const char *text;               /* the default until the environment says otherwise */
	bool given;
};

static struct option option[] = {
#define OPTION(name, letter, type, value, scope, argument, help) { #name, scope, value, false },
#include "trace/format/options.def"
#undef OPTION
};
#define OPTIONS (sizeof option / sizeof option[0])

static char arena[16384];               /* copies of the values */
static size_t arena_used;
struct tap_options tap_options;

extern char **environ;

static const char *keep(const char *value)
{
	size_t n = tap_text_length(value) + 1;

	if (n > sizeof arena - arena_used)
		return value;
	char *copy = __builtin_memcpy(arena + arena_used, value, n);
	arena_used += n;
	return copy;
}

static char upper(char c) { return c == '-' ? '_' : c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }

/* The text behind "GPUTAP_MAX_SIZE=" when `line` sets the option `name`. */
static const char *value_for(const char *line, const char *name)
{
	while (*name && *line == upper(*name))
		line++, name++;
	return !*name && *line == '=' ? line + 1 : NULL;
}

const char *tap_environ(const char *name)
{
	for (char **line = environ; line && *line; line++) {
		const char *l = *line, *n = name;

		while (*n && *l == *n)
			l++, n++;
		if (!*n && *l == '=')
			return l + 1;
	}
	return NULL;
}

static struct option *find(const char *name)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (tap_text_equal(option[i].name, name))
			return &option[i];
	return NULL;
}

const char *tap_option(const char *name)
{
	struct option *o = find(name);

	return o ? o->text : "";
}

bool tap_option_given(const char *name)
{
	struct option *o = find(name);

	return o && o->given;
}

const char *tap_option_at(size_t n, const char **value)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (option[i].scope & S && n-- == 0) {
			*value = option[i].text;
			return option[i].name;
		}
	return NULL;
}

bool tap_list_has(const char *list, const char *word)
{
	size_t n = tap_text_length(word);

	while (*list) {
		size_t item = 0;

		while (list[item] && list[item] != ',' && list[item] != ' ')
			item++;
		if (item == n && __builtin_memcmp(list, word, n) == 0)
			return true;
		list += item + (list[item] != 0);
	}
	return false;
}

static uint64_t digits(const char **p)
{
	uint64_t n = 0;

	for (; **p >= '0' && **p <= '9'; (*p)++)
		n = n > UINT64_MAX / 10 - 1 ? UINT64_MAX / 10 - 1 : n * 10 + (uint64_t)(**p - '0');
	return n;
}

static uint64_t number(const char *name)
{
	const char *p = tap_option(name);

	return digits(&p);
}

static uint64_t size(const char *name)
{
	const char *p = tap_option(name);
	uint64_t n = digits(&p);

	switch (*p) {
	case 'k': case 'K': return n << 10;
	case 'm': case 'M': return n << 20;
	case 'g': case 'G': return n << 30;
	}
	return n;
}

/* "1.5s", "20ms", "3us", "7ns"; ns without a unit, as the tool reads it. In ns. */
static uint64_t duration(const char *name)
{
	const char *p = tap_option(name);
	uint64_t whole = digits(&p), fraction = 0, scale = 1;

	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			if (scale < 1000000000) {
				fraction = fraction * 10 + (uint64_t)(*p - '0');
				scale *= 10;
			}
	uint64_t unit = !*p || *p == 'n' ? 1 : *p == 'u' ? 1000 : *p == 'm' ? 1000000 : 1000000000;

	return whole * unit + fraction * unit / scale;
}

static bool truth(const char *name)
{
	const char *v = tap_option(name);

	return tap_text_equal(v, "1") || tap_text_equal(v, "true") || tap_text_equal(v, "yes") ||
		tap_text_equal(v, "on");
}

void tap_options_parse(void)
{
	for (char **line = environ; line && *line; line++) {
		if (__builtin_strncmp(*line, "GPUTAP_", 7))
			continue;
		for (size_t i = 0; i < OPTIONS; i++) {
			const char *value = option[i].scope & S ? value_for(*line + 7, option[i].name) : NULL;

			if (value) {
				option[i].text = keep(value);
				option[i].given = true;
			}
		}
	}
	tap_options = (struct tap_options){
		.max_size = size("max-size"),
		.max_pending = number("max-pending"),
		.start_after = duration("start-after"),
		.stop_after = duration("stop-after"),
		.ring = truth("ring"),
		.force = truth("force"),
		.device_times = truth("device-times"),
		.serialize = truth("serialize"),
		.sources = truth("sources"),
		.binaries = truth("binaries"),
	};
}
