/*
 * collectors/nvtx/watch.h - which ranges are open, where a collector chooses by them: collectors/ranges.h asks
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COLLECTORS_NVTX_WATCH_H
#define GPUTAP_COLLECTORS_NVTX_WATCH_H

#include "collectors/nvtx/abi.h"
#include "collectors/ranges.h"
#include "trace/write/tls.h"

/* Stands before the functions in the slots of a client, where ranges are wanted. */
void tap_nvtx_watch(uint32_t module, nvtx_function **slots, unsigned n) TAP_HIDDEN;
/* What tap_ranges_open is then. */
void tap_nvtx_ranges_open(bool (*take)(void *ctx, const struct gc_nvtx_open *domain), void *ctx) TAP_HIDDEN;
/* Ranges of the payload extension have no names. */
void tap_nvtx_watch_push(uint64_t domain) TAP_HIDDEN;
void tap_nvtx_watch_pop(uint64_t domain) TAP_HIDDEN;

#endif
