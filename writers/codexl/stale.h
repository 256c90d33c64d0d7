/*
 * writers/codexl/stale.h - counter files of an earlier export that would stand beside those of this one
 *
 * NAME.csv beside NAME.SECTION.csv, or files of sections that are no longer split into, would be taken for a part of
 * what was written. What gputap did not write is never touched: a file of a section says in its head what it is, and
 * only where that is its own name does it count; NAME.csv is what the user named, and counts if it is a counter file.
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_CODEXL_STALE_H
#define GPUTAP_WRITERS_CODEXL_STALE_H

#include "writers/codexl/columns.h"
#include "writers/writer.h"

/* Bytes of the path without ".csv". */
size_t gt_codexl_base(const char *path);
/* "Others", "Others.2": what stands in the file's name, and the line of the head that says so. */
void gt_codexl_put_name(struct gt_text *t, const struct gt_codexl_part *p);
void gt_codexl_put_mark(struct gt_text *t, const struct gt_codexl_part *p);

/* 0, or -1 with *err: there is such a file, and it may not be replaced. */
int gt_codexl_refuse_stale(const struct gt_export *x, const struct gt_codexl_columns *c, struct gt_err *err);
/* Removes them, behind a whole export; a note names a NAME.csv that is none of ours and stays. */
void gt_codexl_remove_stale(const struct gt_export *x, const struct gt_codexl_columns *c);

#endif
