/*
 * common/written.h - whether what was printed has arrived
 *
 * Runs in the tool.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_WRITTEN_H
#define GPUTAP_COMMON_WRITTEN_H

#include <stdio.h>

#include "common/error.h"

/* Everything that was printed to f has reached the system. 0, or -1 with *err, which says that `shown` lacks some. */
int gt_written(FILE *f, const char *shown, struct gt_err *err);

#endif
