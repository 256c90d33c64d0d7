/*
 * writers/perfetto/intern.h - texts that are written once and named by number from then on
 *
 * Numbers hold until the sequence's incremental state is cleared, which the writer does when the table is full: so
 * memory is bounded however many different texts a trace has, and a reader can begin there.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_PERFETTO_INTERN_H
#define GPUTAP_WRITERS_PERFETTO_INTERN_H

#include "common/text.h"

/* The last three are no texts: what makes them fresh writes them. */
enum gt_intern_kind {
	GT_INTERN_CATEGORY, GT_INTERN_NAME, GT_INTERN_ANNOTATION, GT_INTERN_VALUE, GT_INTERN_FUNCTION, GT_INTERN_PATH,
	GT_INTERN_SOURCE, GT_INTERN_BUILD_ID, GT_INTERN_MAPPING, GT_INTERN_FRAME, GT_INTERN_CALLSTACK, GT_INTERN_KINDS
};

#define GT_INTERN_TEXTS (1u << 16)        /* at most; and of all of them */
#define GT_INTERN_BYTES (8u << 20)
#define GT_INTERN_CACHE 1024u

struct gt_intern {
	/* at: in texts; iid 0: free */
	struct gt_intern_slot { uint64_t hash; size_t at; uint32_t bytes, iid, kind; } *slots;
	uint32_t mask, n, next[GT_INTERN_KINDS];
	struct gt_text texts;             /* all of them, end to end */
	struct gt_text fresh;             /* fields of InternedData that no packet has carried yet */
	/* texts that stay where they are, by their address */
	struct gt_intern_seen { const char *text; uint32_t bytes, iid; } seen[GT_INTERN_KINDS][GT_INTERN_CACHE];
	uint32_t max_texts;
	size_t max_bytes;
	bool failed;
};

bool gt_intern_open(struct gt_intern *in);            /* false: out of memory */
void gt_intern_close(struct gt_intern *in);
/* No numbers hold any more. */
void gt_intern_clear(struct gt_intern *in);
static inline bool gt_intern_full(const struct gt_intern *in)
{
	return in->n >= in->max_texts || in->texts.used >= in->max_bytes;
}

/* The text's number, from 1; 0 without memory. What is new stands in `fresh`. */
uint32_t gt_intern_text(struct gt_intern *in, enum gt_intern_kind kind, const char *text, size_t bytes);
/* The same of what is no text, by its key; *fresh: the caller writes it into `fresh`. */
uint32_t gt_intern_key(struct gt_intern *in, enum gt_intern_kind kind, const void *key, size_t bytes, bool *fresh);
/* The same of a text that neither moves nor changes while the table lives. */
static inline uint32_t gt_intern_fixed(struct gt_intern *in, enum gt_intern_kind kind, const char *text, size_t bytes)
{
	struct gt_intern_seen *s = &in->seen[kind][((uintptr_t)text ^ (uintptr_t)text >> 10) % GT_INTERN_CACHE];

	if (s->text != text || s->bytes != bytes || !s->iid)
		*s = (struct gt_intern_seen){ text, (uint32_t)bytes, gt_intern_text(in, kind, text, bytes) };
	return s->iid;
}

#endif
