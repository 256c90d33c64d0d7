/*
 * trace/read/live.h - whether what records a trace is still running
 *
 * Runs in the tool. A process is known again by its pid together with the time of its start, the boot and the pid
 * namespace, all of which it told of itself; traces that lack them say nothing.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_LIVE_H
#define GPUTAP_TRACE_READ_LIVE_H

#include <stdbool.h>

struct gt_facts;

/* UNSEEN: it cannot be looked for from here: another machine, or another pid namespace. */
enum gt_live { GT_LIVE_NO, GT_LIVE_YES, GT_LIVE_UNSEEN };

/* Of the process whose pid stands under pid_key and whose start (as /proc/PID/stat has it) under start_key. */
enum gt_live gt_live_by_facts(const struct gt_facts *f, const char *pid_key, const char *start_key);

/* Whether the run was on this machine, since it was started: else no process of it is here. */
bool gt_live_is_here(const struct gt_facts *f);

/* The same of values as they stand in facts. */
enum gt_live gt_live_process(const struct gt_facts *f, const char *pid, const char *start);

/* Start of a process in clock ticks since boot, as in /proc/PID/stat; 0: there is none, or only its zombie. */
unsigned long long gt_live_start(int pid);

#endif
