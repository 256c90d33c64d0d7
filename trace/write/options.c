/*
 * trace/write/options.c - GPUTAP_* read without the C library; one list of options: trace/format/options.def
 *
 * Runs      in the constructor, before any other thread.
 * Must not  allocate, change errno, fail: a bad value leaves the default (the tool has checked it before, by the same
 *           code: common/plain/value.h).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/auxv.h>

#include "trace/write/internal.h"

#include "trace/format/options.h"

enum { S = REC_SCOPE_S, R = REC_SCOPE_R, E = REC_SCOPE_E, T = REC_SCOPE_T, I = REC_SCOPE_I, D = REC_SCOPE_D,
	M = REC_SCOPE_M, P = REC_SCOPE_P, L = REC_SCOPE_L };

struct option {
	const char *name;
	enum gc_type type;
	const char *choices;
	unsigned scope;
	const char *text;               /* the default until the environment says otherwise; in normal form */
	bool given;
	const char *refused;            /* what the environment said and is none of the type; NULL: nothing such */
};

static struct option option[] = {
#define OPTION(name, letter, type, value, scope, argument, help) \
	{ #name, OPTION_TYPE(type), scope, value, false, NULL },
#include "trace/format/options.def"
#undef OPTION
};
#define OPTIONS (sizeof option / sizeof option[0])

static char arena[16384];               /* copies of the values */
static size_t arena_used;
struct tap_options tap_options;

extern char **environ;

/* The value in its normal form, or NULL when it is none. */
static const char *normal(const struct option *o, const char *value)
{
	struct gc_word wrong;
	char *to = arena + arena_used;

	if (!gc_value_normal(o->type, o->choices, value, to, sizeof arena - arena_used, &wrong))
		return o->type == GC_STRING || o->type == GC_LIST || o->type == GC_LINES ? value : NULL; /* too long */
	arena_used += tap_text_length(to) + 1;
	return to;
}

/* For a note: programs overwrite their environment. */
static const char *beginning(const char *value)
{
	enum { SHOWN = 64 };
	struct tap_text t;

	if (sizeof arena - arena_used < SHOWN)
		return "";
	tap_text_init(&t, arena + arena_used, SHOWN);
	tap_text_str(&t, value);
	arena_used += t.used + 1;
	return t.at;
}

static void take(struct option *o, const char *value)
{
	const char *text = normal(o, value);

	if (text) {
		o->text = text;
		o->given = true;
	}
	o->refused = text ? NULL : beginning(value);
}

/* Words may be none; of the others an empty value says nothing. */
static bool says(const struct option *o, const char *value)
{
	return *value || o->type == GC_STRING || o->type == GC_LIST || o->type == GC_LINES || o->type == GC_LIST_OF;
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
	if (getauxval(AT_SECURE))               /* a stranger's: tap_process_start */
		return NULL;
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

void tap_options_notes(void)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (option[i].refused)
			tap_note(TAP_PART_CORE, "--%s: the environment says '%s', which is no such value: '%s' is used",
				option[i].name, option[i].refused, option[i].text);
	if (tap_options.ring && !tap_options.max_size)
		tap_note(TAP_PART_CORE, "--ring needs a size, by --max-size: nothing is overwritten");
}

bool tap_option_true(const char *name) { return tap_text_equal(tap_option(name), "true"); }

uint64_t tap_option_number(const char *name)
{
	uint64_t n = 0;
	int64_t ns = 0;

	return gc_parse_time(tap_option(name), &ns) ? (uint64_t)ns : gc_parse_number(tap_option(name), &n) ? n : 0;
}

/* So that a length fits 32 bits, and what is measured where it is copied needs no limit (trace/write/call/copy.h). */
static uint32_t args_limit(uint64_t bytes)
{
	enum { LEAST = 4096 };

	return !bytes || bytes > REC_BLOB_MAX ? REC_BLOB_MAX : bytes < LEAST ? LEAST : (uint32_t)bytes;
}

void tap_options_parse(void)
{
	for (char **line = environ; line && *line; line++) {
		if (__builtin_strncmp(*line, "GPUTAP_", 7))
			continue;
		for (size_t i = 0; i < OPTIONS; i++) {
			const char *value = option[i].scope & S ? value_for(*line + 7, option[i].name) : NULL;

			if (value && says(&option[i], value))
				take(&option[i], value);
		}
	}
	tap_options = (struct tap_options){
		.max_size = tap_option_number("max-size"),
		.max_contents = tap_option_number("max-contents"),
		.max_args = args_limit(tap_option_number("max-args")),
		.max_pending = tap_option_number("max-pending"),
		.start_after = tap_option_number("start-after"),
		.stop_after = tap_option_number("stop-after"),
		.ring = tap_option_true("ring"),
		.force = tap_option_true("force"),
		.device_times = tap_option_true("device-times"),
		.serialize = tap_option_true("serialize"),
		.cpu_counters = tap_option_true("cpu-counters"),
		.one_by_one = tap_option_true("serialize") || tap_option_true("cpu-counters"),
		.sources = tap_option_true("sources"),
		.binaries = tap_option_true("binaries"),
	};
}
