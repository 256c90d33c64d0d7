/*
 * collectors/cupti_entry.h - what the life of a process asks of the CUPTI collector
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_CUPTI_ENTRY_H
#define GPUTAP_COLLECTORS_CUPTI_ENTRY_H

#include <stdbool.h>

/*
 * Constructor: lets the CUDA driver find this library (CUDA_INJECTION64_PATH), unless CUDA is not wanted. running: the program was
 * running before this library came into it; a driver that is initialised already is attached to at once.
 */
void tap_cupti_prepare(bool running);

#endif
