/*
 * collectors/nvtx/entry.h - NVTX marks, ranges and names of the traced program
 *
 * Runs      in the calling thread of the traced program, instead of what NVTX does without a tool (nothing).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_NVTX_ENTRY_H
#define GPUTAP_COLLECTORS_NVTX_ENTRY_H

#include <stdbool.h>

/* Whether -t names NVTX, or a library whose ranges it carries. */
bool tap_nvtx_wanted(void) __attribute__((visibility("hidden")));
/*
 * Constructor: lets copies of NVTX in this process and its children find us, unless another tool is named already,
 * and switches on the annotations of the libraries that -t names, unless the user set their level.
 */
void tap_nvtx_start(void);

#endif
