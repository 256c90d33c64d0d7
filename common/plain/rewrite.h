/*
 * common/plain/rewrite.h - a variable's new value, beside its old one
 *
 * Whoever arranges a variable for a program that starts asks first how long the value becomes and whether it changes at
 * all (to NULL, room 0), and then has it written.
 *
 * Runs      anywhere: in the traced program and in the tool.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_REWRITE_H
#define GPUTAP_COMMON_PLAIN_REWRITE_H

#include <stdbool.h>
#include <stddef.h>

struct gc_rewrite { char *to; size_t room, bytes; const char *old; bool same; };

/* old: NULL where the variable is not set. */
static inline struct gc_rewrite gc_rewrite_begin(char *to, size_t room, const char *old)
{
	return (struct gc_rewrite){ to, room, 0, old ? old : "", true };
}
void gc_rewrite_put(struct gc_rewrite *r, const char *text, size_t bytes);
/* Its length, which may be more than there was room for; a zero ends it in any case. *same: it is the old one. */
size_t gc_rewrite_end(struct gc_rewrite *r, bool *same);

#endif
