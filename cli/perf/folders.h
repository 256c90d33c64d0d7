/*
 * cli/perf/folders.h - the folders of a trace that the kernel's events go to
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PERF_FOLDERS_H
#define GPUTAP_CLI_PERF_FOLDERS_H

#include "cli/perf/internal.h"
#include "trace/read/clock.h"

/* A folder that the program itself made. */
struct gt_perf_image { uint32_t pid, instance; int64_t start_ns; bool forked, raw, taken; };

struct gt_perf_folders {
	const struct gt_run *run;
	const struct gt_perf_lives *lives;
	struct gt_clock ticks, raw;               /* ticks are the launcher's; or CLOCK_MONOTONIC_RAW */
	GT_LIST(struct gt_perf_image) images;     /* by pid and instance */
	char *facts;                              /* what the folders that are made say alike */
};

/* Call it when the program has ended. False: the trace lacks what the launcher wrote of clocks and machine. */
bool gt_perf_folders_begin(struct gt_perf_folders *all, const struct gt_run *run, const struct gt_perf_lives *lives);
/* Opens life->out in the folder of this life, found or made. Parents first: a folder names its parent's. */
void gt_perf_folders_open(struct gt_perf_folders *all, struct gt_perf_life *life);
/* The tick of this life's records at a time of CLOCK_MONOTONIC. */
uint64_t gt_perf_folders_tick(const struct gt_perf_folders *all, const struct gt_perf_life *life, uint64_t ns);
/* The table of functions, which the shim did not write where no call was made. */
void gt_perf_folders_table(const struct gt_perf_folders *all);
void gt_perf_folders_free(struct gt_perf_folders *all);

#endif
