/*
 * trace/read/facts.h - the key=value text files of a trace
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_FACTS_H
#define GPUTAP_TRACE_READ_FACTS_H

#include <stddef.h>

struct gt_facts {
	char *text;                       /* owned; keys and values point into it */
	size_t n, cap;
	struct gt_fact { const char *key, *value; } *facts; /* in file order */
	const struct gt_fact **by_key;    /* values of one key together, in file order */
};

/*
 * Takes `text` (malloc'ed, zero terminated) over. -1: out of memory. A last line without its newline is half written
 * and left out.
 */
int gt_facts_parse(char *text, size_t bytes, struct gt_facts *out);
void gt_facts_free(struct gt_facts *f);
/* n-th value of key, 0 based; NULL when there is none. */
const char *gt_facts_find(const struct gt_facts *f, const char *key, unsigned n);
#endif
