/*
 * collectors/perf/internal.h - what the files of the collector share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_PERF_INTERNAL_H
#define GPUTAP_COLLECTORS_PERF_INTERNAL_H

/* ---- timer.c ---- */

void tap_perf_timer_start(void);                /* constructor */
void tap_perf_timer_fork(void);                 /* as collector.h: fork_child */
void tap_perf_timer_end(void);                  /* as collector.h: at_exit */

#endif
