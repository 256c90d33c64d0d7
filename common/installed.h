/*
 * common/installed.h - what came with gputap, found by where its program lies
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_INSTALLED_H
#define GPUTAP_COMMON_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

/*
 * The first of n places that has `name`, without links in its path. A place is a folder as seen from the program's own,
 * "" or with a slash at its end: one for the build tree, others for what is installed. With "/." behind the name it
 * must be a folder. False: no place has it.
 */
bool gt_installed(const char *const *places, unsigned n, const char *name, char path[PATH_MAX]);

#endif
