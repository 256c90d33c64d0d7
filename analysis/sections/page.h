/*
 * analysis/sections/page.h - a report's kernels as text: sections, all metrics, or rows for programs
 *
 * The pages are those of Nsight Compute's command line: `details` has the sections with tables and charts, `raw` every
 * metric. As CSV details has a line for each metric of each section, raw a line for each kernel under two lines of
 * names and units.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_PAGE_H
#define GPUTAP_ANALYSIS_SECTIONS_PAGE_H

#include "analysis/sections/action.h"

enum gt_page { GT_PAGE_DETAILS, GT_PAGE_RAW };
enum gt_print_details { GT_DETAILS_ALL, GT_DETAILS_HEADER, GT_DETAILS_BODY };
enum gt_print_name { GT_PRINT_LABEL, GT_PRINT_NAME, GT_PRINT_BOTH };
enum gt_kernel_base { GT_BASE_DEMANGLED, GT_BASE_FUNCTION, GT_BASE_MANGLED };

struct gt_page_options {
	enum gt_page page;
	bool csv;
	enum gt_print_details details;
	enum gt_print_name names;
	enum gt_kernel_base base;
	const char *metrics;              /* list: on the raw page only these; as details these too; "": all, none */
};

/* Appends the page to a text, kernel by kernel: out->failed tells of missing memory. */
void gt_page_put(struct gt_text *out, const struct gt_actions *as, const struct gt_page_options *o);

/* For charts and pages: a value as people read it, "1,536" or "3.14"; as programs do. */
void gt_page_value(struct gt_text *out, const struct gt_metric_value *v, bool plain);

#endif
