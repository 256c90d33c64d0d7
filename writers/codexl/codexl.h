/*
 * writers/codexl/codexl.h - pieces that CodeXL's two tables of kernels share: .occupancy and .csv
 *
 * Layout and rules of the files: docs/codexl.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_CODEXL_CODEXL_H
#define GPUTAP_WRITERS_CODEXL_CODEXL_H

#include "analysis/metrics/dispatch.h"
#include "writers/output.h"
#include "writers/writer.h"

/* Readers take a line of fewer bytes than this, and stop at a longer one. */
#define GT_CODEXL_LINE 2048u

/*
 * A line of the head: mark, key, '=', value on one line, which is cut as names are. mark: "# " in .occupancy, "#" in
 * .csv.
 */
void gt_codexl_line(struct gt_text *t, const char *mark, const char *key, const char *value);
void gt_codexl_args(struct gt_text *t, const char *mark, const struct gt_process *p);

/*
 * A name in a cell: readers know no quotes, so a comma is written "&comma;"; a name that would make the line too long
 * is cut and ends in "...": some `most` bytes are left.
 */
#define GT_CODEXL_NAME 1000u                      /* two such names and 26 numbers are a line */
void gt_codexl_name(struct gt_text *t, const struct gt_string *s, const char *otherwise, size_t most);

/* Has the process launched kernels? */
bool gt_codexl_has_kernels(const struct gt_model *m, const struct gt_process *p);

#endif
