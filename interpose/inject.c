/*
 * interpose/inject.c - this library as what the CUDA driver and copies of NVTX load and call by name
 *
 * Runs      on the thread that makes the first CUDA or NVTX call, perhaps before our constructor.
 * Must not  change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "collectors/collector.h"
#include "interpose/loader.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int InitializeInjection(void)
{
	tap_start();
	return tap_cupti_injection();
}

EXPORTED int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
	tap_start();
	return tap_nvtx_injection(get_table);
}

/* What libraries with NVTX bind to when no path is given and this library is preloaded. */
EXPORTED int (*InitializeInjectionNvtx2_fnptr)(const void *(*)(uint32_t)) = InitializeInjectionNvtx2;
