/*
 * analysis/report.h - reports: what gputap stats can print, fed by one walk over a trace
 *
 * A report is one line in the list of its file (reports_sum.c, reports_trace.c, reports_queue.c). Names and headings follow
 * `nsys stats`, so that habits carry over: docs/stats.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_REPORT_H
#define GPUTAP_ANALYSIS_REPORT_H

#include <stdbool.h>

#include "analysis/samples.h"
#include "analysis/table.h"
#include "model/model.h"
#include "model/operation.h"

struct gt_report {
	const char *name;               /* "opencl_api_sum" */
	const char *title;
	const char *headings;           /* of gt_table_new */
	bool stream;                    /* a row a call: printed as it comes, on a walk of its own */
	bool by_default;                /* printed by `gputap stats` without -r */
	const void *detail;             /* what the kind of report needs: see its file */
	/* All return 0, or -1 (no memory). */
	void *(*begin)(const struct gt_report *r, struct gt_model *m, struct gt_pool *a);
	int (*call)(void *state, const struct gt_call *call, struct gt_table *t);
	int (*end)(void *state, struct gt_table *t);
	/* Told before the walk; NULL: what comes from calls alone needs no window. */
	void (*window)(void *state, int64_t from_ns, int64_t to_ns);
};

/* By name or alias ("opencl_gpu_kern_sum"); NULL: unknown. */
const struct gt_report *gt_report_find(const char *name);
const struct gt_report *gt_report_at(unsigned i);        /* NULL behind the last */

/*
 * Runs the reports over the window and prints them in their order. most: rows of each summing report, 0 = all.
 * 0, or -1 with *err.
 */
struct gt_report_run {
	struct gt_model *model;
	const struct gt_report *const *reports; unsigned n_reports;
	enum gt_table_format format;
	FILE *out;
	unsigned most;
	bool skip_empty;                /* print nothing for a report without rows */
	int64_t from_ns, to_ns;
	bool (*progress)(void *ctx, double done); void *ctx;
};
int gt_reports_run(const struct gt_report_run *run, struct gt_err *err);

/* Groups of text columns -> samples; shared by the summing reports. */
struct gt_group {
	struct gt_group *next;          /* of the same hash */
	uint64_t hash;
	const char *text[3];            /* key columns */
	int64_t number[3];
	struct gt_samples *samples;     /* n_samples of them */
};
enum { GT_GROUP_CACHE = 256 };
struct gt_groups {
	struct gt_pool *arena;
	unsigned n_samples;
	struct gt_group **slot;
	uint64_t slots, n;
	struct { const char *text[2]; struct gt_group *group; } cache[GT_GROUP_CACHE]; /* by address of the text */
};
struct gt_group *gt_groups_get(struct gt_groups *g, const char *const text[3], const int64_t number[3]); /* NULL: no memory */
/* The same for texts that never move or change while the groups live (names of the model, literals): found by address. */
struct gt_group *gt_groups_get_fixed(struct gt_groups *g, const char *a, const char *b);
/* All groups, largest total of samples[0] first (ties by text). The array is the arena's. */
struct gt_group **gt_groups_sorted(struct gt_groups *g);

/* "[OpenCL memset]", "[OpenCL memcpy Host-to-Device]"; NULL for what is neither copy nor fill. */
enum { GT_OPERATION_TEXT = 64, GT_GRID_TEXT = 72 };
const char *gt_operation_text(const struct gt_operation *o, char text[GT_OPERATION_TEXT]);
/* The columns GridXYZ and BlockXYZ of a kernel. */
void gt_grid_text(const struct gt_command *c, char grid[GT_GRID_TEXT], char block[GT_GRID_TEXT]);

extern const struct gt_report gt_reports_sum[], gt_reports_trace[], gt_reports_queue[], gt_reports_nvtx[]; /* end with name NULL */

#endif
