/*
 * common/plain/rewrite.c - a variable's new value, beside its old one
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/plain/rewrite.h"

void gc_rewrite_put(struct gc_rewrite *r, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++, r->bytes++) {
		r->same = r->same && r->old[r->bytes] == text[i];
		if (r->bytes + 1 < r->room)
			r->to[r->bytes] = text[i];
	}
}

size_t gc_rewrite_end(struct gc_rewrite *r, bool *same)
{
	*same = r->same && !r->old[r->bytes];
	if (r->room)
		r->to[r->bytes < r->room ? r->bytes : r->room - 1] = 0;
	return r->bytes;
}
