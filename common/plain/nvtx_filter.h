/*
 * common/plain/nvtx_filter.h - one expression of --nvtx-include: whether NVTX ranges that are open are those it means
 *
 * Runs      anywhere: the traced program asks at a launch, the tool of a launch in a trace.
 * Must not  use the C library, allocate.
 *
 * DOMAIN@RANGES. A/ and A/B are pushed ranges, A and A,B started ones. [ in front is the bottom of the stack, ] behind
 * its top, * stands for any number of ranges and + for one; of several behind one another the last holds, and a + at
 * the end is the top of the stack. regex: in front makes names patterns: a single one is searched for, one of several
 * has to fit the whole name. A backslash takes the meaning from the character behind it. Where the Customization Guide
 * is silent, this is what Nsight Compute's own module was measured to do (tests/unit/nvtx_filters.txt). Its twin for
 * Python scripts: python/gputap_report/nvtx.py.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_NVTX_FILTER_H
#define GPUTAP_COMMON_PLAIN_NVTX_FILTER_H

#include "common/plain/regex.h"
#include "common/plain/words.h"

enum { GC_NVTX_PARTS = 32 };              /* of an expression; more are refused */

enum gc_nvtx_part_kind { GC_NVTX_NAME, GC_NVTX_ANY, GC_NVTX_ONE };
/* text: as it stands in the expression, with its backslashes */
struct gc_nvtx_part { enum gc_nvtx_part_kind kind; struct gc_word text; struct gc_regex regex; };

struct gc_nvtx_filter {
	struct gc_nvtx_part domain, part[GC_NVTX_PARTS];
	uint32_t n;
	bool in_domain;                   /* else in the default one */
	bool is_regex, whole;             /* whole: an expression has to fit the whole name */
	bool pushed, bottom, top;
};

/*
 * The expression points into `text`, and its steps of regular expressions into `room`; *used of it are taken, from
 * *used on. NULL, or what is wrong, as a clause.
 */
const char *gc_nvtx_filter_make(struct gc_nvtx_filter *f, const char *text, size_t bytes, struct gc_regex_op *room,
	size_t most, size_t *used);

/* What is open in one domain. name: NULL for the default domain; pushed: the outermost first. */
struct gc_nvtx_open {
	const char *name; size_t bytes;
	const struct gc_word *pushed, *started; size_t n_pushed, n_started;
};
bool gc_nvtx_filter_fits(const struct gc_nvtx_filter *f, const struct gc_nvtx_open *domain);

#define GC_NVTX_DEFAULT_DOMAIN "<default domain>"

#endif
