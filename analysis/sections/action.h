/*
 * analysis/sections/action.h - one launch of a kernel with everything that a report says of it
 *
 * Made of a trace (actions.h) or read from a report file (report_file.h); shown by page.h, written by writers/ncurep.
 * An *action* is Nsight Compute's word for a result: a kernel, or a range, command list or graph measured as one.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_SECTIONS_ACTION_H
#define GPUTAP_ANALYSIS_SECTIONS_ACTION_H

#include "analysis/sections/derived.h"
#include "analysis/sections/section.h"
#include "common/memory.h"

struct gt_action_metric {
	struct gt_string name, unit, description;
	struct gt_string why;             /* neither a regular value nor instances: the reason */
	struct gt_instanced value;
};

enum gt_workload { GT_WORK_KERNEL, GT_WORK_RANGE, GT_WORK_COMMAND_LIST, GT_WORK_GRAPH };

/* Texts are "" where nothing is known. */
struct gt_action {
	enum gt_workload workload;
	uint32_t pid, thread;
	struct gt_string process, host;
	uint64_t call;                    /* number of the API call */
	struct gt_string function, demangled, mangled;
	uint32_t dims;
	uint64_t grid[3], block[3];       /* groups, and work-items of one; block 0: not known */
	bool opencl;
	bool has_context, has_stream, has_device;
	uint32_t context, stream, device; /* stream: OpenCL's queue */
	struct gt_string stream_name, device_name;
	uint32_t capability;              /* 10 x major + minor; 0: no CUDA device */
	uint64_t created_s;               /* seconds since 1970; 0: not known */
	uint64_t source;                  /* the module that it came from: a number of gt_actions' sources, from 1; 0 */
	GT_LIST(struct gt_action_metric) metrics;
	GT_LIST(const struct gt_message *) sections;      /* ProfilerSection */
	GT_LIST(const struct gt_message *) rules;         /* RuleResult */
	const struct gt_message *nvtx;    /* NvtxState; NULL */
	const struct gt_message *trace;   /* GputapTrace: its place in time; NULL */
};

/* A report, or a trace as one. */
struct gt_actions {
	struct gt_arena arena;            /* of all texts and messages */
	GT_LIST(struct gt_action) all;
	GT_LIST(const struct gt_message *) sources;       /* SourceData; none where a file was read */
};

/* NULL: it has none of that name. */
const struct gt_action_metric *gt_action_metric(const struct gt_action *a, struct gt_string name);
/* The metric of that name, new where there was none: without a value. NULL: no memory. The text is not copied. */
struct gt_action_metric *gt_action_add(struct gt_action *a, struct gt_string name);
bool gt_action_available(const struct gt_action_metric *m);
/* Why a metric that nothing else is known of is not there. */
struct gt_string gt_action_why(const struct gt_action *a, struct gt_string name);

/*
 * Puts a section into the action: its derived metrics are computed, and each metric that it names and that is not there
 * is added with the reason. `all` (may be NULL): where operands may be defined too. False: no memory.
 */
bool gt_action_add_section(struct gt_actions *as, struct gt_action *a, const struct gt_section *section,
	const struct gt_sections *all, enum gt_derived_mode mode);

static inline struct gt_target gt_action_target(const struct gt_action *a)
{
	return (struct gt_target){ .capability = a->capability,
		.scope = a->workload == GT_WORK_KERNEL || a->workload == GT_WORK_GRAPH ? GT_SCOPE_LAUNCH :
			a->workload == GT_WORK_RANGE ? GT_SCOPE_RANGE : GT_SCOPE_COMMAND_LIST };
}

void gt_actions_close(struct gt_actions *as);

#endif
