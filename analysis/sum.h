/*
 * analysis/sum.h - reports that add up times or sizes by name: what those of OpenCL, CUDA and NVTX share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SUM_H
#define GPUTAP_ANALYSIS_SUM_H

#include "analysis/reports/report.h"

enum { GT_SUM_CACHE = 512, GT_COPY_KINDS = 32 };

struct gt_sum {
	const struct gt_report *report;
	unsigned options;
	const struct gt_by *by;
	int64_t key[3];                 /* of what is being added: by's two, and 0 */
	const char **labels;            /* at the end, where the way to split has texts: see merge_keys */
	struct gt_model *model;
	struct gt_cuda *cuda;           /* of CUDA reports */
	struct gt_groups groups;
	int64_t from_ns, to_ns;         /* of reports that look for what they add themselves */
	__int128 total;
	uint64_t missing;               /* what has no times */
	const char *copy[GT_COPY_KINDS]; /* "[CUDA memcpy Host-to-Device]" by CUPTI's number, made at the first need */
	/* kernels seen lately */
	struct { const char *name; uint32_t grid[3], block[3]; struct gt_group *group; } shape[GT_SUM_CACHE];
};

struct gt_sum_detail {
	/* Calls gt_sum_add for each contribution. */
	int (*call)(struct gt_sum *s, const struct gt_call *call);
	int (*cuda)(struct gt_sum *s, const struct gt_cuda_event *e);
	/* At the end: adds what no walk over calls tells. -1: no memory. */
	int (*rest)(struct gt_sum *s);
	unsigned texts;                 /* text columns at the end */
	bool sizes;                     /* bytes, shown in MB, instead of times */
	const char *missing;            /* what is counted in gt_sum.missing: "kernels without device times" */
};

/* The columns of times, or of sizes, and how many there are. */
#define GT_SUM_TIMES 8u
#define GT_SUM_SIZES 7u
void *gt_sum_begin(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a);
int gt_sum_call(void *state, const struct gt_call *call, struct gt_table *t);
int gt_sum_cuda(void *state, const struct gt_cuda_event *e, struct gt_table *t);
void gt_sum_window(void *state, int64_t from_ns, int64_t to_ns);
int gt_sum_join(void *state, void *from);
int gt_sum_end(void *state, struct gt_table *t);

int gt_sum_add(struct gt_sum *s, int64_t value, const char *a, const char *b, const char *c);
/* Texts that never move or change while the report runs. */
int gt_sum_add_fixed(struct gt_sum *s, int64_t value, const char *a, const char *b);
int gt_sum_add_group(struct gt_sum *s, int64_t value, struct gt_group *g); /* g NULL: no memory */

#define GT_TIMES(count) "Time (%)|Total Time (ns)|" count "|Avg (ns)|Med (ns)|Min (ns)|Max (ns)|StdDev (ns)|"
#define GT_SIZES "Total (MB)|Count|Avg (MB)|Med (MB)|Min (MB)|Max (MB)|StdDev (MB)|"

#endif
