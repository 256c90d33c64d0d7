/*
 * analysis/reports/report.h - reports: what gputap stats can print, fed by one pass over a trace
 *
 * A report is one entry in the list of its file, and such a list one word of report.c. Names and headings follow
 * `nsys stats`, so that habits carry over: docs/stats.md. OpenCL calls come from the model's walk, CUDA activities from
 * its arrays, merged in order of start.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_REPORT_H
#define GPUTAP_ANALYSIS_REPORT_H

#include <stdbool.h>

#include "analysis/by.h"
#include "analysis/samples.h"
#include "analysis/table.h"
#include "model/cuda/cuda.h"
#include "model/model.h"
#include "model/opencl/operation.h"

/* What may stand behind a report's name: cuda_gpu_kern_sum:base. */
enum gt_report_option {
	/* kernels by their base name: without return type, namespaces, template and parameters */
	GT_REPORT_BASE = 1,
	GT_REPORT_MANGLED = 2,          /* kernels as the linker knows them */
	GT_REPORT_ROWS = 4,             /* rows=N; 0: all */
	GT_REPORT_TREE = 8              /* tree: who called whom; flat: the other */
};

struct gt_report_request;
struct gt_timeline;
struct gt_item;

struct gt_report {
	const char *name;               /* "opencl_api_sum" */
	const char *title;
	const char *headings;           /* of gt_table_new */
	const char *recorded_by;        /* options of gputap run without which it has no rows; NULL: needs none */
	bool stream;                    /* one row per call: printed as it comes, in a pass of its own */
	unsigned options;               /* those it takes: gt_report_option */
	unsigned rows;                  /* when rows=N is not said; 0: all */
	const void *detail;             /* what the kind of report needs: see its file */
	/*
	 * All return 0, or -1 (no memory).
	 *
	 * A state may outlive the walk that feeds it: another report of the same run begins walks of its own, and then
	 * the objects are gone. It keeps their numbers; of texts (names) it may keep the address.
	 */
	void *(*begin)(const struct gt_report_request *r, struct gt_model *m, struct gt_pool *a);
	int (*call)(void *state, const struct gt_call *call, struct gt_table *t); /* NULL: needs no walk */
	bool cuda_calls;                /* `call` is for CUDA calls too; they have call->cuda */
	uint32_t kinds;                 /* GT_KIND bits: what `cuda` is told, in order of start */
	int (*cuda)(void *state, const struct gt_cuda_event *e, struct gt_table *t);
	int (*end)(void *state, struct gt_table *t);
	/* Calls may be told to several states: what `from` was told counts in `state` too. NULL: to one, in order */
	int (*join)(void *state, void *from);
	/* enum rec_domain of what the host did, for which alone `call` is; 0: API calls */
	unsigned domain;
	/* Everything that has a time, in order: model/timeline.h. NULL: needs none. */
	int (*item)(void *state, const struct gt_timeline *t, const struct gt_item *item);
	bool commands;                  /* `call` has no use for calls without a command */
	bool unfinished;                /* ... is also told, at the end, of calls that never returned */
	/* Told before the walk; NULL: what comes from calls alone needs no window. */
	void (*window)(void *state, int64_t from_ns, int64_t to_ns);
};
#define GT_KIND(kind) (1u << GT_CUDA_##kind)

struct gt_report_request {
	const struct gt_report *report;
	unsigned options, rows;
	const struct gt_by *by;         /* split; NULL: not, or of a report that cannot be */
	char name[96];                  /* with its options */
};

const struct gt_report *gt_report_at(unsigned i);        /* NULL behind the last */
/*
 * Those that are printed when none is named, in their order: `gputap stats` has them all, a run's summary the first
 * GT_REPORT_SUMMARY. NULL behind the last.
 */
enum { GT_REPORT_SUMMARY = 13 };
const char *gt_report_default(unsigned i);
bool gt_report_is_default(const char *name);
/* "NAME[:OPTION]...". 0, or -1 with *err: unknown report or option. */
int gt_report_parse(const char *name, struct gt_report_request *out, struct gt_err *err);

/* Can its rows be split (--by)? Others tell process and thread anyway, or know none. */
bool gt_report_splits(const struct gt_report *r);

/*
 * Runs the reports over the window and prints them in their order. most: rows of each summing report, 0 = all.
 * 0, or -1 with *err.
 */
struct gt_report_run {
	struct gt_model *model;
	const struct gt_report_request *reports; unsigned n_reports;
	enum gt_table_format format;
	FILE *out;
	unsigned most;
	bool skip_empty;                /* print nothing for a report without rows */
	int64_t from_ns, to_ns;
	bool (*progress)(void *ctx, double done); void *ctx;
	bool *rows;                     /* of each report: set when it has one; may be NULL */
};
int gt_reports_run(const struct gt_report_run *run, struct gt_err *err);
/* timeline_feed.c: tells the items of the window to the reports that want them. */
int gt_reports_feed_timeline(const struct gt_report_run *run, const struct gt_report_request *reports, void **states,
	unsigned n, struct gt_err *err);
/* cuda_feed.c: tells CUDA activities that overlap the window to the reports that want them. */
int gt_reports_feed_cuda(const struct gt_report_run *run, const struct gt_report_request *reports, void **states,
	struct gt_table **tables, unsigned n, struct gt_err *err);

/* Groups of text columns -> samples; shared by the summing reports. */
struct gt_group {
	struct gt_group *next;          /* as they came */
	uint64_t hash;
	const char *text[3];            /* key columns */
	int64_t number[3];
	struct gt_samples *samples;     /* n_samples of them */
};
enum { GT_GROUP_CACHE = 256 };
struct gt_groups {
	struct gt_pool *arena;
	unsigned n_samples;
	struct gt_map map;              /* struct gt_group *: a name that is new touches no group of another */
	struct gt_group *first, *last;
	uint64_t n;
	struct { const char *text[2]; struct gt_group *group; } cache[GT_GROUP_CACHE]; /* by address of the text */
};
/* NULL: no memory */
struct gt_group *gt_groups_get(struct gt_groups *g, const char *const text[3], const int64_t number[3]);
/*
 * The same for texts that never move or change while the groups live (names of the model, literals): found by address.
 */
struct gt_group *gt_groups_get_fixed(struct gt_groups *g, const char *a, const char *b);
/* What the groups of `from` hold counts in those of g too (gt_samples_join). 0, or -1. */
int gt_groups_join(struct gt_groups *g, struct gt_groups *from);
/* All groups, largest total of samples[0] first (ties by text). The array is the arena's. */
struct gt_group **gt_groups_sorted(struct gt_groups *g);

/* "[OpenCL memset]", "[OpenCL memcpy Host-to-Device]"; NULL for what is neither copy nor fill. */
enum { GT_OPERATION_TEXT = 64, GT_GRID_TEXT = 72 };
const char *gt_operation_text(const struct gt_operation *o, char text[GT_OPERATION_TEXT]);
/* The kernel's name as the report's options want it. */
const char *gt_command_kernel_name(const struct gt_command *c, unsigned options);
/*
 * The columns GridXYZ and BlockXYZ of a kernel; where nobody knows the block, "items: 1024    1    1" and "unknown".
 */
void gt_grid_text(const struct gt_command *c, char grid[GT_GRID_TEXT], char block[GT_GRID_TEXT]);

#endif
