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

struct gt_facts;

/* UNSEEN: it cannot be looked for from here: another machine, or another pid namespace. */
enum gt_live { GT_LIVE_NO, GT_LIVE_YES, GT_LIVE_UNSEEN };

/* Of the process whose pid stands under pid_key and whose start (as /proc/PID/stat has it) under start_key. */
enum gt_live gt_live_by_facts(const struct gt_facts *f, const char *pid_key, const char *start_key);

/* The same of values as they stand in facts. */
enum gt_live gt_live_process(const struct gt_facts *f, const char *pid, const char *start);

/* Start of a process in clock ticks since boot, as in /proc/PID/stat; 0: there is none, or only its zombie. */
unsigned long long gt_live_start(int pid);

/* The pid of a process that was started in this run, whether it records or not, by its environment; 0: none is seen. */
int gt_live_in_run(const char *run_id);

/* The pid of a process that is writing this trace, or its launcher, but not `but`; 0: none is seen. */
int gt_live_writer_but(const char *trace, int but);
#endif
