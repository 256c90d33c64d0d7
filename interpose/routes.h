/*
 * interpose/routes.h - the OpenCL libraries that wrappers lead to
 *
 * A route is one library's functions. Which route a call takes is decided by how its wrapper was reached: by the exported
 * name (tap_opencl_real of the caller), by a pointer that dlsym handed out for one loader, by an extension look-up on one
 * platform, or through the loader's layer chain. Each way has wrapper instances of its own (build/gen/opencl_entries.h).
 * Filled by interpose/resolve.c and interpose/layer.c before a pointer to a wrapper is handed out; never cleared.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_ROUTES_H
#define GPUTAP_INTERPOSE_ROUTES_H

#include "opencl_api.h"

#define TAP_ROUTES 4            /* OpenCL loaders in one process */
#define TAP_PLATFORMS 4         /* platforms whose extension functions are wrapped */

extern struct tap_opencl_api tap_route[TAP_ROUTES];
extern struct tap_opencl_api tap_ext_route[TAP_PLATFORMS];
extern struct tap_opencl_api tap_layer_route;

#endif
