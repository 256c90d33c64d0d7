/*
 * collectors/cupti/entry.h - what the life of a process asks of the CUPTI collector
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_CUPTI_ENTRY_H
#define GPUTAP_COLLECTORS_CUPTI_ENTRY_H

/* Constructor: lets the CUDA driver find this library (CUDA_INJECTION64_PATH), unless CUDA is not wanted. */
void tap_cupti_prepare(void);
/*
 * Its end, when the program was running before this library came into it: a driver that is initialised already is
 * attached to.
 */
void tap_cupti_attach(void);

#endif
