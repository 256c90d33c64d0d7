/*
 * trace/write/run/detach.h - conversion of the trace when the program ends, in a process that is none of its children
 *
 * Runs      in the constructor and at the exit of the root image, when no launcher stands above it.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_DETACH_H
#define GPUTAP_TRACE_WRITE_DETACH_H

#include <stdbool.h>

/* GPUTAP_EXPORT is set, there is no launcher, and this is the root image's process. */
bool tap_detach_wanted(void);
/* Settles what is started, by absolute path and with its environment: at the start of the process. */
void tap_detach_prepare(void);
/* Notes in the trace when it is wanted and the tool cannot be found. */
void tap_detach_check(void);
/* Starts it, if wanted and the run has a directory. */
void tap_detach(void);

#endif
