/*
 * interpose/bare.c - calls recorded by name only
 *
 * Runs      in the calling thread, before the real function.
 * Must not  allocate, lock, make a system call (a chunk switch excepted), change errno.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ids.h"
#include "trace/write/call/call.h"
#include "interpose/routes.h"

void *tap_bare_call(uint32_t what) __attribute__((visibility("hidden")));

/*
 * Notes the call and returns where the real function is. The record has no duration: what the function returns,
 * and when, is not seen. The pointer is there: an entry is handed out only when the platform has the function.
 */
void *tap_bare_call(uint32_t what)
{
	uint32_t platform = what >> 16 & (TAP_PLATFORMS - 1), index = what & 0xffffu;
	struct tap_call call;

	tap_tls.caller = NULL;                          /* the stub keeps it for itself */
	if (tap_call_begin(&call, REC_FN_OPENCL + index, REC_DOMAIN_OPENCL, 0, 0, 0, 0)) {
		tap_call_stop(&call, 0);
		tap_call_reserve_bare(&call);
		tap_call_finish(&call);
		tap_lost(REC_LOSS_EXT_PROVISIONAL, 1);
	}
	return ((void *const *)&tap_ext_route[platform])[index];
}
