/*
 * cli/metrics/rules.h - rules on kernel metrics: Python files that a process of their own lists and applies
 *
 * python/gputap-rules does the work (docs/rules.md), so that a rule that crashes takes nothing of the tool along. It is
 * installed in lib/gputap/python; in a build tree it lies beside the build folder.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_RULES_H
#define GPUTAP_CLI_RULES_H

#include <stdbool.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/text.h"

struct gt_rule { const char *id, *name, *section, *path; };     /* section: "" for an independent rule */
struct gt_rules {
	GT_LIST(struct gt_rule) all;      /* parents before their children */
	struct gt_text text;              /* what they point into */
	bool failed;                      /* a file could not be used; it was named on standard error */
};

/*
 * The rules of --section-folder and --section-folder-recursive, else gputap's own, as the user's folder has them. 0, or
 * -1 with *err (GT_EXIT_MISSING: no Python here, or no package).
 */
int gt_rules_list(struct gt_rules *r, const struct gt_options *options, struct gt_err *err);
void gt_rules_free(struct gt_rules *r);

/*
 * What evaluate() of each rule (of --rule, else all) asks for, told until take returns false; section: "" for an
 * independent rule; metrics: parted by commas. 0, or -1 with *err (GT_EXIT_MISSING: no Python here, or no package).
 */
struct gt_rule_needs { struct { const char *text; size_t bytes; } rule, section, metrics; };
int gt_rules_require(const struct gt_options *options, bool (*take)(void *ctx, const struct gt_rule_needs *needs),
	void *ctx, struct gt_err *err);

/*
 * Applies rules (of --rule, else all) to a report and prints what they say; if quiet only what went wrong with them, on
 * standard error. to->path (may be NULL): where the report is written with that in it, and whether it may replace what
 * is there. Returns the exit status, or -1 with *err when nothing could be started.
 */
struct gt_rules_to { const char *path; bool replace, quiet; };
int gt_rules_apply(
	const char *report, const struct gt_rules_to *to, const struct gt_options *options, struct gt_err *err);

/*
 * Prints the source page of a report: python/gputap-source does it, which reads modules as the package's classes do.
 * name: what messages call it. The exit status, or -1 with *err (GT_EXIT_MISSING: no Python here, or no package).
 */
int gt_source_page(const char *report, const char *name, const struct gt_options *options, struct gt_err *err);

#endif
