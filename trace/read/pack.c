/*
 * trace/read/pack.c - make one compressed file of a trace
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "trace/read/pack.h"

#include <stddef.h>

int gt_pack(const char *path, const char *out, struct gt_err *err)
{
	return gt_fail(err, GT_EXIT_MISSING, NULL, NULL, "%s: cannot be packed as %s in this build", path, out);
}
