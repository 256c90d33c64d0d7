/*
 * trace/write/run_name.c - the name of a run: the pattern of --output, answered
 *
 * Runs      init: in the constructor. path: on the first thread that records, with all signals blocked.
 * Must not  allocate with malloc, lock, touch errno.
 *
 * What a launcher hands over has been answered by it: only %n is left, for whoever makes the directory.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/utsname.h>

#include "trace/write/run.h"

static char base[TAP_PATH_MAX];         /* absolute NAME without .gputap; may hold %n */

static void put_own_name(struct tap_text *t)
{
	char path[TAP_PATH_MAX];
	long n = tap_sys_readlink("/proc/self/exe", path, sizeof path - 1);
	long start = n > 0 ? n : 0;

	while (start > 0 && path[start - 1] != '/')
		start--;
	tap_text_bytes(t, n > start ? path + start : "program", n > start ? (size_t)(n - start) : 7);
}

/* %q{VAR}: returns what stands behind the brace. */
static const char *put_variable(struct tap_text *t, const char *p)
{
	char name[128];
	struct tap_text n;

	tap_text_init(&n, name, sizeof name);
	for (p++; *p && *p != '}'; p++)
		tap_text_char(&n, *p);
	const char *value = tap_environ(name);

	if (value)
		tap_text_str(t, value);
	return *p ? p : p - 1;
}

static void put_rank(struct tap_text *t)
{
	static const char *const from[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK",
		"SLURM_PROCID" };

	for (unsigned i = 0; i < sizeof from / sizeof from[0]; i++) {
		const char *rank = tap_environ(from[i]);

		if (rank) {
			tap_text_str(t, rank);
			return;
		}
	}
	tap_text_char(t, '0');
}

/* Everything but %n, which is answered when the directory is made. '%' in a value would read as one: written %%. */
static void expand(struct tap_text *t, const char *pattern)
{
	struct utsname host;

	for (const char *p = pattern; *p; p++) {
		size_t from = t->used;

		if (*p != '%' || !p[1]) {
			tap_text_char(t, *p);
			continue;
		}
		switch (*++p) {
		case 'p': tap_text_u64(t, tap_run.root_pid); continue;
		case 'h':
			if (TAP_SYS(uname, &host, 0, 0, 0, 0, 0) == 0)
				tap_text_str(t, host.nodename);
			continue;
		case 'i': put_own_name(t); break;
		case 'r': put_rank(t); break;
		case 'q':
			if (p[1] == '{') {
				p = put_variable(t, p + 1);
				break;
			}
			/* fall through */
		default:                        /* %n, %% and what nobody knows stay */
			tap_text_char(t, '%');
			tap_text_char(t, *p);
			continue;
		}
		for (size_t i = from; i < t->used; i++)
			if (t->at[i] == '%')
				t->at[i] = '_';
	}
}

/* Text in which '%' means itself. */
static void put_literally(struct tap_text *t, const char *s)
{
	for (; *s; s++) {
		tap_text_char(t, *s);
		if (*s == '%')
			tap_text_char(t, '%');
	}
}

void tap_run_name_init(const char *pattern)
{
	struct tap_text t;

	tap_text_init(&t, base, sizeof base);
	if (pattern[0] != '/') {
		char here[TAP_PATH_MAX];
		long n = TAP_SYS(getcwd, here, sizeof here, 0, 0, 0, 0);

		put_literally(&t, n > 1 ? here : "");
		tap_text_char(&t, '/');
	}
	if (tap_run.launched)
		put_literally(&t, pattern);     /* the launcher has expanded it */
	else
		expand(&t, pattern);
}

const char *tap_run_name(void) { return base; }

/* base with %n answered, behind it "-n" for the second and later tries when there is no %n, ".gputap", `tail`. */
bool tap_run_name_path(char *to, uint32_t n, const char *tail)
{
	struct tap_text t;
	bool numbered = false;
	size_t length = tap_text_length(base);
	static const char suffix[] = ".gputap";

	if (length > 7 && tap_text_equal(base + length - 7, suffix))
		length -= 7;
	tap_text_init(&t, to, TAP_PATH_MAX);
	for (size_t i = 0; i < length; i++) {
		if (base[i] == '%' && i + 1 < length && base[i + 1] == 'n') {
			tap_text_u64(&t, n);
			numbered = true;
			i++;
		} else {
			tap_text_char(&t, base[i]);
			i += base[i] == '%' && i + 1 < length && base[i + 1] == '%';
		}
	}
	if (!numbered && n > 1) {
		tap_text_char(&t, '-');
		tap_text_u64(&t, n);
	}
	tap_text_str(&t, suffix);
	tap_text_str(&t, tail);
	return t.used + 64 < t.size;
}
