/*
 * cli/perf/perf.h - samples, context switches and tracepoints of a program and its children, by the kernel
 *
 * Runs in the launcher. The kernel writes into one ring for each processor, shared with the launcher alone: nothing of
 * it is in the traced program, neither a descriptor nor a signal nor a mapping. While the program runs the rings are
 * emptied into an unlinked file; when it has ended, what the file holds becomes records of the images that it is about.
 *
 *   rings.c    opens the kernel's events, empties their rings
 *   delay.c    how long threads ran and waited for a processor, as the kernel counts it
 *   wakings.c  where the kernel tells who wakes a thread
 *   tracepoints.c   where its other tracepoints are, and what their events look like
 *   spool.c    the unlinked file: pieces of rings in, events in the order of time out
 *   lives.c    which process was which program when
 *   maps.c     what is mapped where in it, and the objects that are named in the trace
 *   unwind.c   callers, from copies of registers and stack
 *   out.c      a stream file, written from its beginning to its end
 *   store.c    events become records
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_CLI_PERF_PERF_H
#define GPUTAP_CLI_PERF_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/run/run.h"

struct gt_perf;

/*
 * The child waits at its gate; counting begins with its exec. NULL: not asked for, or not possible here. *why says what
 * is not possible, a line for each note of the trace (to be freed; NULL: nothing).
 */
struct gt_perf *gt_perf_open(const struct gt_run *run, char **why);
/* Descriptors to be polled for reading: n of them, those that are over are -1. */
unsigned gt_perf_descriptors(const struct gt_perf *p, int *to, unsigned room);
/* Empties all rings. */
void gt_perf_drain(struct gt_perf *p);
/* Looks at the threads of the program, now and then; `last`: it has ended, and is not collected yet. */
void gt_perf_look(struct gt_perf *p, const struct gt_run *run, bool last);
/* What it gathers, a bit each: samples, switches, events of tracepoints. */
unsigned gt_perf_kinds(const struct gt_perf *p);
/* Why it is not recorded who wakes a thread; NULL: it is, or nobody asked. */
const char *gt_perf_no_wakings(const struct gt_perf *p);
/* The program has ended: makes records of what was taken, and frees it. *notes as *why above, a line for each. */
void gt_perf_store(struct gt_perf *p, const struct gt_run *run, char **notes);

#endif
