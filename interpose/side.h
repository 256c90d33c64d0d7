/*
 * interpose/side.h - on which side of OpenCL a piece of code stands: its parts, or those who use it
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_SIDE_H
#define GPUTAP_INTERPOSE_SIDE_H

#include <stdbool.h>

/*
 * Does this address lie in a part of OpenCL: a loader, a driver, a layer? Asked for the caller of a call that begins
 * while the thread is in another one (FRAME3 in trace/write/call/call_inline.h).
 */
bool tap_side_of_opencl(const void *address);
/* Something was unloaded: look again before remembered addresses are used. */
void tap_sides_suspect(void);

#endif
