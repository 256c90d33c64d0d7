/*
 * model/opencl/usm.h - which memory of unified shared memory a pointer leads to
 *
 * The extension's copies and fills tell pointers alone. What a pointer is follows from the allocation that it lies in,
 * and what lies in none is the host's own memory.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_OPENCL_USM_H
#define GPUTAP_MODEL_OPENCL_USM_H

#include "model/internal.h"

/* One more allocation of a process, and one less. Overlapping ones are gone: their release is not in the trace. */
void gt_usm_add(struct gt_model *m, uint32_t process, uint64_t address, uint64_t bytes, enum gt_usm kind);
void gt_usm_remove(struct gt_model *m, uint32_t process, uint64_t address);
/* UNKNOWN: it is in no allocation that is known, and not all calls are in the trace. */
enum gt_usm gt_usm_of(struct gt_model *m, uint32_t process, uint64_t pointer);
void gt_usm_free(struct gt_model *m);   /* of all processes */

#endif
