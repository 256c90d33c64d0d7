/*
 * trace/write/scratch.h - memory for what is too large for the program's stacks: paths, lists, texts
 *
 *	char *path = tap_scratch_take();
 *
 *	tap_run_path(path, dir, tail);          // NULL is no place: text for it goes nowhere, system calls give EFAULT
 *	fd = tap_sys_open(path, O_RDONLY, 0);
 *	tap_scratch_give(path);
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_SCRATCH_H
#define GPUTAP_TRACE_WRITE_SCRATCH_H

#include "trace/write/text.h"

#define TAP_SCRATCH_BYTES 8192u

/* TAP_SCRATCH_BYTES bytes, aligned for anything, with any content; NULL: there is no memory. */
void *tap_scratch_take(void);
void tap_scratch_give(void *scratch);    /* NULL: nothing */

_Static_assert(TAP_PATH_MAX <= TAP_SCRATCH_BYTES, "a path fits");

#endif
