/*
 * model/cuda/take.h - what the model has CUDA's part do: take records while a trace is opened, and name calls
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_CUDA_TAKE_H
#define GPUTAP_MODEL_CUDA_TAKE_H

#include "model/cuda/cuda.h"
#include "model/internal.h"

/* cuda.c */
void gt_cuda_free(struct gt_cuda *c);

/* take.c: one record in file order; `thread`: who wrote it. 0, or -1 without memory. */
int gt_cuda_take(struct gt_model *m, const struct gt_rec *rec, const struct gt_thread *thread);
int gt_cuda_take_clock(struct gt_model *m, const struct gt_rec *rec);     /* REC_CLOCK */
/* A function id of CUDA: CUPTI's callback ids are below 0x1000. */
static inline bool gt_cuda_is_call(uint32_t id) { return id >= REC_FN_CUDA && id < REC_FN_CUDA_DRIVER + 0x1000u; }

/* scan.c: behind the pass over all records, before threads get their numbers. Adds threads that only CUPTI knows. */
int gt_cuda_scan(struct gt_model *m, struct gt_err *err);
/*
 * When the writers' own counters are known: what a process counted as it went, and its records and buffers tell again,
 * is one thing.
 */
void gt_cuda_losses_finish(struct gt_model *m);
/* When all is read: calls whose work has no record (model/cuda/check_work.c). -1 with *err. */
int gt_checks_cuda_work(struct gt_model *m, struct gt_err *err);
/* Behind: `to` (taken over) leads from a thread's number while opening to its final one. */
void gt_cuda_set_threads(struct gt_model *m, uint32_t *to);
int64_t gt_cuda_last_ns(const struct gt_model *m, uint32_t process);      /* GT_NO_TIME */

/* names.c: as call records and slots have it */
const struct gt_fn *gt_cuda_fn_by_id(struct gt_cuda *c, uint32_t process, uint32_t id);

#endif
