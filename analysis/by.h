/*
 * analysis/by.h - gputap stats --by: rows of a sum split by who made the calls, and from where
 *
 * A way to split is a line of the table in by.c: a key of two numbers for what is summed (OpenCL's calls, CUDA's
 * activities, NVTX ranges), and the columns that show it.
 * Every report that sums takes every way (analysis/sum.c).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_BY_H
#define GPUTAP_ANALYSIS_BY_H

#include "analysis/table.h"
#include "common/text.h"
#include "model/cuda/cuda.h"
#include "model/model.h"
#include "model/nvtx/ranges.h"

enum { GT_BY_COLUMNS = 3 };

struct gt_by {
	const char *name;               /* --by=NAME */
	const char *headings;           /* of gt_table_new, each ended by '|' */
	void (*of_call)(const struct gt_call *call, int64_t key[2]);
	void (*of_cuda)(struct gt_model *m, struct gt_cuda *c, const struct gt_cuda_event *e, int64_t key[2]);
	void (*of_range)(struct gt_model *m, const struct gt_range *g, int64_t key[2]);
	/* One cell for each heading. */
	void (*cells)(const struct gt_model *m, const int64_t key[2], struct gt_cell *cell);
	/*
	 * Instead of cells, where several keys mean the same to people (two addresses of a line, one function in two
	 * processes): keys of the same text are one row, and the text is its one cell.
	 */
	void (*text)(struct gt_model *m, const int64_t key[2], struct gt_text *out);
};

/* NULL: no such way, or "" for none. */
const struct gt_by *gt_by_find(const char *name);

#endif
