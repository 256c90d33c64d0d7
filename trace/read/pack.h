/*
 * trace/read/pack.h - make one compressed file of a trace
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TRACE_READ_PACK_H
#define GPUTAP_TRACE_READ_PACK_H

#include "common/error.h"

/*
 * Writes the trace at `path` (a directory, or a packed file again) as one file `out`: beside it first, renamed at the
 * end; what was at `out` is replaced. The reader opens the result like the directory, without unpacking it to disk.
 */
int gt_pack(const char *path, const char *out, struct gt_err *err);
#endif
