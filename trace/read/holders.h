/*
 * trace/read/holders.h - who has a trace in use: processes that write it, and those of its run that may come to
 *
 * Runs in the tool, on the machine of the run. A process that has recorded tells of itself (live.h). One that has not,
 * a daemon that sleeps, say, is known by the run's id in the environment that it was started with: it stays there
 * whoever its parent has become, through fork and exec.
 *
 * Not seen: processes of other users where this one is not root, those in the environment of which something else was
 * written, as daemons do that show their state in `ps`, and everything where there is no /proc.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_HOLDERS_H
#define GPUTAP_TRACE_READ_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>

enum { GT_HOLDERS_MOST = 16, GT_HOLDER_NAME = 32 };

struct gt_holder { int pid; char name[GT_HOLDER_NAME]; };        /* as the kernel has it: anything but line ends */
struct gt_holders { struct gt_holder v[GT_HOLDERS_MOST]; unsigned n; };  /* n: all, of which v has the first */

/* Those started in this run. Never this process, nor one that it descends from: that waits for us. */
void gt_holders_of_run(const char *run_id, struct gt_holders *all);
/* Adds those that are writing this trace, its launcher among them. */
void gt_holders_add_writers(const char *trace, struct gt_holders *all);
/* Both, of the run that the trace is of. */
void gt_holders_of_trace(const char *trace, struct gt_holders *all);
/* Takes one away, if it is there. */
void gt_holders_forget(struct gt_holders *all, int pid);
/* Returns when one of them has ended, or after a while. */
void gt_holders_await(const struct gt_holders *all);
/* "12 (blur), 13 (sh) and 4 more"; buf. */
const char *gt_holders_text(const struct gt_holders *all, char *buf, size_t bytes);

#endif
