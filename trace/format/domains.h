/*
 * trace/format/domains.h - the list of trace/format/domains.def as numbers, and sets of them
 *
 * Shared by both worlds; definitions only.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_FORMAT_DOMAINS_H
#define GPUTAP_TRACE_FORMAT_DOMAINS_H

#include <stdint.h>

/* What -t asks for: a bit of a set. */
enum rec_ask {
#define DOMAIN(id, number, word, built, help) REC_ASK_##id = number,
#include "trace/format/domains.def"
};
#define REC_ASK_BIT(id) (1ull << REC_ASK_##id)

/* The interface that a call belongs to: in slots and in the function table of a trace. */
enum rec_domain {
	REC_DOMAIN_NONE = 0,
#define API_DOMAIN(id, number, ask) REC_DOMAIN_##id = number,
#include "trace/format/domains.def"
	REC_DOMAIN_COUNT
};

/* What asks for the ranges of one library, not for the program's own. */
#define RANGES_OF(ask, domain) | REC_ASK_BIT(ask)
static const uint64_t rec_ask_libraries = 0
#include "trace/format/domains.def"
	;

#endif
