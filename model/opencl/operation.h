/*
 * model/opencl/operation.h - what a device command is to a report: a kernel, a copy, a fill, or neither
 *
 * The numbers of copies and memory kinds are those of the SQLite schema's ENUM_CUDA_MEMCPY_OPER and ENUM_CUDA_MEM_KIND,
 * so that all outputs classify alike. The mapping from OpenCL: docs/sqlite.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_OPENCL_OPERATION_H
#define GPUTAP_MODEL_OPENCL_OPERATION_H

#include "model/model.h"

enum gt_operation_kind { GT_OPERATION_OTHER, GT_OPERATION_KERNEL, GT_OPERATION_COPY, GT_OPERATION_FILL };

enum gt_copy_kind {
	GT_COPYKIND_UNKNOWN,
	GT_COPYKIND_HTOD,
	GT_COPYKIND_DTOH,
	GT_COPYKIND_HTOA,
	GT_COPYKIND_ATOH,
	GT_COPYKIND_ATOA,
	GT_COPYKIND_ATOD,
	GT_COPYKIND_DTOA,
	GT_COPYKIND_DTOD,
	GT_COPYKIND_HTOH,
	GT_COPYKIND_PTOP,
	GT_COPYKIND_UVM_HTOD,
	GT_COPYKIND_UVM_DTOH,
	GT_COPYKIND_UVM_DTOD
};
enum gt_mem_kind { GT_MEM_PAGEABLE, GT_MEM_PINNED, GT_MEM_DEVICE, GT_MEM_ARRAY, GT_MEM_MANAGED, GT_MEM_UNKNOWN = 7 };

struct gt_operation {
	enum gt_operation_kind kind;
	enum gt_copy_kind copy;                 /* copies */
	enum gt_mem_kind src, dst;              /* copies; dst also of fills */
	const char *label;                      /* "Host-to-Device"; "" for others */
};

/* A map or unmap is a copy only when it moved data on the device (its flags ask for data and end > start). */
void gt_command_operation(const struct gt_command *c, struct gt_operation *out);

/*
 * Work-groups and work-group size of a kernel, 1 where a dimension is unused. False: the runtime chose the local size,
 * and nobody knows what it chose; then the grid is the global size in work-items, and the block 1,1,1.
 */
bool gt_command_grid(const struct gt_command *c, uint64_t grid[3], uint64_t block[3]);

#endif
