/*
 * analysis/callgrind/report.h - what gputap stats prints of a profile in callgrind's format
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_CALLGRIND_REPORT_H
#define GPUTAP_ANALYSIS_CALLGRIND_REPORT_H

#include "analysis/callgrind/profile.h"
#include "analysis/table.h"

/* By number; NULL behind the last. */
struct gt_profile_report { const char *name, *title; };
const struct gt_profile_report *gt_profile_report_at(unsigned i);
/* The i-th report, as one of the tables. 0, or -1 with *err. */
int gt_profile_print(const struct gt_profile *p, unsigned i, enum gt_table_format format, FILE *out,
	struct gt_tables *of, struct gt_err *err);
/* Parts whose summary: is not what their cost lines add up to: a sentence each, to be said. NULL when there is none. */
const char *gt_profile_doubt(const struct gt_profile *p, uint32_t part, char *text, size_t bytes);

#endif
