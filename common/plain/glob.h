/*
 * common/plain/glob.h - patterns of names: '*' any characters, '?' one
 *
 * Runs      anywhere.
 * Must not  use the C library.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_PLAIN_GLOB_H
#define GPUTAP_COMMON_PLAIN_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Recursion: as deep as the pattern has stars. */
bool gc_glob(const char *pattern, size_t n, const char *name, size_t length);

#endif
