/*
 * analysis/sections/section.h - section files of a folder, and the metrics that they ask for
 *
 * A file that cannot be used is kept with the reason, so that it can be listed; the others stand.
 *
 * spec: NCU "Metric Sections"
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_SECTION_H
#define GPUTAP_ANALYSIS_SECTIONS_SECTION_H

#include <regex.h>

#include "analysis/sections/message.h"

struct gt_section {
	const char *path;                 /* of the file */
	struct gt_string id, name, description, extends; /* "" when absent */
	uint32_t order;
	const struct gt_message *message; /* NULL: not available */
	const char *error;                /* ... and why: "FILE:LINE:COLUMN: ..." */
};

struct gt_sections {
	struct gt_arena arena;
	struct gt_section *v; uint32_t n, room;
};

struct gt_sections_options { bool recursive, strict; struct gt_text_notes notes; };

/*
 * Adds the *.section files of a folder, by name; 0, or -1 with *err when the folder cannot be read. notes (may be {0}):
 * fields that are left out.
 */
int gt_sections_load(
	struct gt_sections *s, const char *folder, const struct gt_sections_options *o, struct gt_err *err);
/* By Order, then by identifier; those that are not available last. */
void gt_sections_sort(struct gt_sections *s);
const struct gt_section *gt_sections_find(const struct gt_sections *s, const char *id); /* NULL: none available */
bool gt_section_in_set(const struct gt_section *section, const char *set);
void gt_sections_close(struct gt_sections *s);

/* ---------------------------------------------------------------- metrics */

/* What a metric is collected on. */
enum gt_scope { GT_SCOPE_LAUNCH = 1, GT_SCOPE_RANGE = 2, GT_SCOPE_COMMAND_LIST = 3 };
/* capability: 10 x major + minor; 0: no CUDA device, and no filter looks at it */
struct gt_target { uint32_t capability; enum gt_scope scope; };

struct gt_section_metric {
	const struct gt_section *section;
	const struct gt_message *message; /* ProfilerSectionMetric */
	struct gt_string name, label;     /* of the option that holds, or its own */
	bool required;                    /* not to have it is an error */
	bool in_body;                     /* "regex:..." may stand there */
};

/* A pattern, which names metrics in tables and charts of a Body alone. */
#define GT_PATTERN "regex:"
bool gt_is_pattern(struct gt_string name);
/* What it names: whole names that fit. One that is no expression fits nothing. */
struct gt_pattern { regex_t re; bool is_there; };
void gt_pattern_open(struct gt_pattern *p, struct gt_string said);
bool gt_pattern_fits(const struct gt_pattern *p, struct gt_string name);
void gt_pattern_close(struct gt_pattern *p);

/*
 * Calls `take` for each metric of the section that passes its filters, in the order of the file; a name may come more
 * than once. take returns false to end it.
 */
bool gt_section_metrics(const struct gt_section *section, const struct gt_target *target,
	bool (*take)(void *ctx, const struct gt_section_metric *m), void *ctx);

/* What a ProfilerSectionMetric stands for on the target; false: it does not pass. */
bool gt_section_metric(const struct gt_section *section, const struct gt_message *metric,
	const struct gt_target *target, struct gt_section_metric *out);

/* Whether a filter lets the target pass. outer (may be NULL): the section's; what the inner one says counts more. */
bool gt_filter_passes(
	const struct gt_message *inner, const struct gt_message *outer, const struct gt_target *target, bool *required);

#endif
