/*
 * model/demangle.h - C++ names as people write them
 *
 * Runs in the tool, on one thread at a time.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_MODEL_DEMANGLE_H
#define GPUTAP_MODEL_DEMANGLE_H

/* To be freed; NULL: it is no mangled name, or no C++ runtime is installed. */
char *gt_demangle(const char *mangled);

#endif
