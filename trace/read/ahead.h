/*
 * trace/read/ahead.h - the merge of all calls, done ahead by other threads
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_AHEAD_H
#define GPUTAP_TRACE_READ_AHEAD_H

#include "trace/read/reader.h"

/*
 * gt_merge_open without a window, gt_merge_next, gt_merge_done and gt_merge_close; so many threads merge slices of
 * about so many calls.
 */
struct gt_ahead;
int gt_ahead_open(struct gt_reader *r, int process, unsigned jobs, uint32_t calls, struct gt_ahead **out,
	struct gt_err *err);
int gt_ahead_next(struct gt_ahead *a, struct gt_rec *rec, struct gt_err *err);
double gt_ahead_done(const struct gt_ahead *a);
void gt_ahead_close(struct gt_ahead *a);

#endif
