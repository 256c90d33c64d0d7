/*
 * cli/perf/tracepoints.h - tracepoints of the kernel: where they are, and what their events look like
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PERF_TRACEPOINTS_H
#define GPUTAP_CLI_PERF_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/memory.h"

#define GT_PERF_TRACEPOINTS 64u           /* at one time: each is a descriptor for each processor */

struct gt_perf_field {
	char name[64], type[96], suffix[32];
	uint32_t offset, bytes, flags, element;  /* as in a TRACEPOINT_TYPE record */
};
struct gt_perf_tracepoint {
	uint64_t id;
	char name[128];                   /* "subsystem:event" */
	char *format;                     /* how the kernel prints one; NULL: not said */
	GT_LIST(struct gt_perf_field) fields;
};

extern const char gt_perf_no_such[];      /* the answer for a name that the kernel does not know */
/* The kernel's description of it, to be freed with gt_perf_tracepoint_free. NULL, or why there is none. */
const char *gt_perf_tracepoint_read(struct gt_perf_tracepoint *t, const char *subsystem, const char *event);
void gt_perf_tracepoint_free(struct gt_perf_tracepoint *t);
/* The field of that name; NULL. */
const struct gt_perf_field *gt_perf_tracepoint_field(const struct gt_perf_tracepoint *t, const char *name);
/* One line of it, "field:int irq; offset:8; size:4; signed:1;" with tabs between. False: it is none of a field. */
bool gt_perf_field_parse(struct gt_perf_field *f, const char *line);
/* The words of its TRACEPOINT_TYPE record behind the header, to be freed; NULL: no memory. */
uint64_t *gt_perf_tracepoint_words(const struct gt_perf_tracepoint *t, uint64_t tick, uint32_t *n);

#endif
