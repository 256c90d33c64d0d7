/*
 * cli/dump/dump.h - what the files of gputap dump share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_DUMP_H
#define GPUTAP_CLI_DUMP_H

#include "cli/show/show.h"
#include "model/model.h"
#include "model/nvtx/ranges.h"
#include "model/output.h"
#include "model/stacks/stacks.h"
#include "model/threads/threads.h"
#include "model/threads/tracepoints.h"

/* Called behind each line: empties the text when it is long. False: nobody reads on. */
typedef bool gt_dump_drain(void *ctx);

void gt_dump_process(struct gt_show *s, const struct gt_process *p);
void gt_dump_call(struct gt_show *s, const struct gt_call *call);
void gt_dump_output(struct gt_show *s, const struct gt_captured_output *o);
void gt_dump_image_record(struct gt_show *s, const struct gt_image_record *r);
void gt_dump_object(struct gt_show *s, const struct gt_object *o);
void gt_dump_note(struct gt_show *s, const struct gt_note *n);
void gt_dump_hsa_kernel(struct gt_show *s, const struct gt_hsa_kernel *k);
void gt_dump_range(struct gt_show *s, const struct gt_range *g);
void gt_dump_range_name(struct gt_show *s, const struct gt_range_name *n);
void gt_dump_stack(struct gt_show *s, const struct gt_stack *k);
void gt_dump_module(struct gt_show *s, const struct gt_module *o);
void gt_dump_sample(struct gt_show *s, const struct gt_sample *v);
void gt_dump_switch(struct gt_show *s, const struct gt_switch *v);
void gt_dump_waking(struct gt_show *s, const struct gt_waking *v);
void gt_dump_run_delay(struct gt_show *s, const struct gt_run_delay *v);
void gt_dump_tracepoint_type(struct gt_show *s, const struct gt_tracepoint_type *v);
void gt_dump_tracepoint(struct gt_show *s, const struct gt_tracepoint *v);
void gt_dump_task(struct gt_show *s, const struct gt_task *v);
/* The number of the stack that a record names; false: it names none. */
bool gt_dump_stack_number(struct gt_show *s, uint32_t process, uint64_t link);
/* The content of all programs, once per id. False: no memory. */
bool gt_dump_contents(struct gt_show *s, gt_dump_drain *drain, void *ctx);
/* All of CUDA, a line each. 0, or -1 with *err. */
int gt_dump_cuda(struct gt_show *s, gt_dump_drain *drain, void *ctx, struct gt_err *err);
void gt_dump_cuda_objects(struct gt_show *s);   /* of it: what is no activity */

#endif
