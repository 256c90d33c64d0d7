/*
 * analysis/cuda_work.h - what CUDA reports ask the model about an activity
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_ANALYSIS_CUDA_WORK_H
#define GPUTAP_ANALYSIS_CUDA_WORK_H

#include "analysis/reports/report.h"

/* Demangled, or as the report's options say; "[unknown kernel]" when it has no name. */
const char *gt_cuda_kernel_name(const struct gt_cuda_event *e, unsigned options);

/* Grows in the report's memory. */
struct gt_cuda_works { struct gt_pool *arena; struct gt_cuda_place *at; uint32_t room; };
/* The device activities of a call, into w->at; how many there are, UINT32_MAX: no memory. */
uint32_t gt_cuda_works_of(struct gt_cuda *c, const struct gt_cuda_event *call, struct gt_cuda_works *w);

/* "name (index)" of a device; "? (number)" when the trace does not know it. */
enum { GT_DEVICE_TEXT = 256 };
const char *gt_cuda_device_text(const struct gt_cuda *c, const struct gt_cuda_event *e, char text[GT_DEVICE_TEXT]);
/*
 * Number of the physical device in the trace; as CUPTI numbers it when the trace does not know it, -1 when not even
 * that is known.
 */
int64_t gt_cuda_device_number(const struct gt_cuda *c, const struct gt_cuda_event *e);
/* The columns GridXYZ and BlockXYZ of a kernel. */
void gt_cuda_grid_text(const struct gt_cuda_event *e, char grid[GT_GRID_TEXT], char block[GT_GRID_TEXT]);
/* Ids as columns: nothing when they are not known. */
static inline struct gt_cell gt_cuda_id(uint32_t id) { return id == GT_CUDA_NONE ? gt_none() : gt_integer(id); }
/* The place in CUPTI's list of copy kinds of a unified memory migration; -1: it is none. */
int gt_cuda_migration(const struct gt_cuda_event *e);

#endif
