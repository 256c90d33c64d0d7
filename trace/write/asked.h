/*
 * trace/write/asked.h - what -t asks for, as a set of the domains in trace/format/domains.def
 *
 * Runs      init: once, in the constructor. Reading: anywhere.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_WRITE_ASKED_H
#define GPUTAP_TRACE_WRITE_ASKED_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/format/domains.h"

extern uint64_t tap_asked_set __attribute__((visibility("hidden")));    /* bits of enum rec_ask; "none": nothing */
static inline bool tap_asked(enum rec_ask domain) { return tap_asked_set >> domain & 1; }

/* After the options were read. */
void tap_asked_init(void);

#endif
