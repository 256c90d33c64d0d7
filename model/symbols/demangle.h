/*
 * model/symbols/demangle.h - C++ names as people write them
 *
 * Runs in the tool, on any thread.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_DEMANGLE_H
#define GPUTAP_MODEL_DEMANGLE_H

#include "common/text.h"
#include "model/arena.h"

/* To be freed; NULL: it is no mangled name, or no C++ runtime is installed. */
char *gt_demangle(const char *mangled);


/*
 * A function's names for people, the second without result, namespaces, template arguments and parameters. What is no
 * name of C++ stays as it is. mangled has a zero behind it, and the others point into it or are the arena's.
 */
void gt_demangle_names(
	struct gt_arena *a, struct gt_string mangled, struct gt_string *demangled, struct gt_string *short_name);
/* Of a demangled name the part from *at: its length; 0: none found. */
size_t gt_short_name(const char *demangled, size_t bytes, const char **at);

#endif
