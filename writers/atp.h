/*
 * writers/atp.h - pieces of the .atp writer
 *
 * Layout and rules of the file: docs/atp.md.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_ATP_H
#define GPUTAP_WRITERS_ATP_H

#include "writers/output.h"
#include "writers/render.h"
#include "writers/writer.h"

/* What a function that is not in the enumeration gets: the enumeration's own word for it, and for HSA a number that
 * readers use for no function of theirs. */
#define GT_ATP_OPENCL_UNKNOWN 146u
#define GT_ATP_HSA_UNKNOWN 1000u
#define GT_ATP_HSA_ASYNC_COPY 128u
#define GT_ATP_HSA_ASYNC_COPY_RECT 197u

unsigned gt_atp_opencl_id(const char *name);
unsigned gt_atp_hsa_id(const char *name);

/* One line of the Timestamp section, without its end of line. Returns the number of times that had to be moved. */
unsigned gt_atp_host_part(struct gt_text *t, const struct gt_call *call, unsigned api_id);
/* The device part of an enqueue's line. Nothing when the command has no device times. */
unsigned gt_atp_device_part(struct gt_text *t, const struct gt_render_plan *plan, const struct gt_call *call);
/* Device start and end of an HSA copy. */
unsigned gt_atp_copy_part(struct gt_text *t, const struct gt_call *call);

/* Header lines, up to the first section. moved: times that were moved in this file. */
void gt_atp_header(struct gt_text *t, const struct gt_export *x, bool opencl, bool hsa, uint64_t moved);
/* Dispatches to write; adds the number of times that have to be moved. */
uint32_t gt_atp_hsa_count(const struct gt_export *x, uint64_t *moved);
/* The HSA kernel section of n dispatches, or nothing when there are none. */
void gt_atp_hsa_kernels(struct gt_output *o, const struct gt_export *x, uint32_t n);

#endif
