/*
 * trace/read/merge.h - the merge's memory bound, for tests
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_MERGE_H
#define GPUTAP_TRACE_READ_MERGE_H

#include "trace/read/reader.h"

#define GT_MERGE_LOADED_MAX ((size_t)160 << 20)

/* Bytes of blocks kept in memory at most (one block always is). Any limit gives the same records in the same order. */
void gt_merge_limit(struct gt_merge *m, size_t bytes);
#endif
