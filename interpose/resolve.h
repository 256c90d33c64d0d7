/*
 * interpose/resolve.h - which library a calling object was meant to reach; shared by resolve.c and loader.c
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_INTERPOSE_RESOLVE_H
#define GPUTAP_INTERPOSE_RESOLVE_H

#include <stdbool.h>

#include "interpose/elf.h"
#include "opencl_api.h"

/* loader.c: the functions of a library (NULL: a table of NULLs) */
const struct tap_opencl_api *tap_loader_table(const struct tap_object *library);

/* resolve.c: the OpenCL library that references from the caller's object reach; in scope only, false = none */
bool tap_library_of(const void *caller, struct tap_object *found);
/*
 * The same of libraries of another sort. anywhere: also what is in no scope of the caller, where nothing else is.
 */
bool tap_library_reached(
	const void *caller, bool (*is)(const struct tap_object *o), bool anywhere, struct tap_object *found);
/* Is the caller itself part of an OpenCL library? */
bool tap_caller_is_opencl(const void *caller);
/* Something was unloaded: look again before remembered addresses are used. */
void tap_callers_suspect(void);

#endif
