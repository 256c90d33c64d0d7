/*
 * common/plain/pattern.h - the name of a trace: %p %h %q{VAR} %n %r %i %%
 *
 * Runs      anywhere: the launcher makes the name; a program that is preloaded without it makes its own.
 * Must not  use the C library.
 *
 * PATTERN1  A value stays one component of a path: '/' in it becomes '_', so that no value leads elsewhere.
 * PATTERN2  "dir/" is where the default name goes: a name is never empty, and never begins with a point by that.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_PATTERN_H
#define GPUTAP_COMMON_PLAIN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/plain/words.h"

/* A variable of the environment, or NULL; ctx is the caller's. */
typedef const char *gc_variable(void *ctx, const char *name, size_t bytes);

#define GC_PATTERN_DEFAULT "%i-%n"

struct gc_pattern {
	uint64_t pid;          /* %p */
	const char *host;      /* %h */
	const char *program;   /* %i: what stands behind its last '/' */
	gc_variable *variable; /* %q{VAR}, and %r of gc_rank */
	void *ctx;
	bool keep;       /* the result is a pattern again: %n and %% stay for another call */
	uint64_t number; /* %n, unless kept */
};

enum gc_pattern_fault {
	GC_PATTERN_OK,
	GC_PATTERN_LETTER, /* no such letter: it stays as it is */
	GC_PATTERN_BRACES, /* %q without {VARIABLE} */
	GC_PATTERN_UNSET,  /* the environment has no such variable: nothing stands for it */
	GC_PATTERN_LONG,   /* cut to the room */
	GC_PATTERN_EMPTY
};

/*
 * Writes what the pattern stands for, at most `room` bytes with a NUL, as far as it goes. The first fault comes back,
 * *wrong is its place. `room` is at least 1.
 */
enum gc_pattern_fault gc_pattern_expand(
	const struct gc_pattern *p, const char *pattern, char *to, size_t room, struct gc_word *wrong);
bool gc_pattern_is_numbered(const char *pattern); /* holds %n, or ends with '/' */

/*
 * The rank of this process among those that were started together, as text; "0" when nobody says. The scheduler's word
 * comes before that of the library that was started under it.
 */
const char *gc_rank(gc_variable *variable, void *ctx);

#endif
