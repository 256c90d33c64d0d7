/*
 * interpose/routes.h - the OpenCL libraries that wrappers lead to
 *
 * A route is one library's functions. Which route a call takes is decided by how its wrapper was reached: by the
 * exported name (tap_opencl_real of the caller), by a pointer that dlsym handed out for one loader, by an extension
 * look-up on one platform, or through the loader's layer chain. Each way has wrapper instances of its own
 * (build/gen/opencl_entries.h). Filled by interpose/resolve.c and interpose/layer.c before a pointer to a wrapper is
 * handed out; never cleared.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_ROUTES_H
#define GPUTAP_INTERPOSE_ROUTES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "opencl_api.h"

#define TAP_ROUTES 4            /* OpenCL loaders in one process */
#define TAP_PLATFORMS 4         /* platforms whose extension functions are wrapped */

extern struct tap_opencl_api tap_route[TAP_ROUTES];
extern struct tap_opencl_api tap_ext_route[TAP_PLATFORMS];
extern struct tap_opencl_api tap_layer_route;

/*
 * The object that called OpenCL by name first, most often the only one: its route is found without a call. The rest is
 * asked of tap_opencl_real(). Range and api never change once `bytes` is not 0; 0 = nobody yet, or in doubt after a
 * dlclose. resolve.c
 */
struct tap_first_caller {
	uintptr_t start;
	_Atomic uintptr_t bytes;
	const struct tap_opencl_api *api;
};
extern struct tap_first_caller tap_first_caller __attribute__((visibility("hidden")));

/*
 * Route of a call whose wrapper was reached by its exported name: the library the caller would have reached without
 * us. resolve.c
 */
const struct tap_opencl_api *tap_opencl_real(void *caller);

static inline bool tap_is_first_caller(const void *caller)
{
	/* Pairs with the release store in remember(). */
	uintptr_t bytes = atomic_load_explicit(&tap_first_caller.bytes, memory_order_acquire);

	return __builtin_expect((uintptr_t)caller - tap_first_caller.start < bytes, 1);
}

#endif
