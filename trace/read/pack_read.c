/*
 * trace/read/pack_read.c - a trace in the one file that --pack makes
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "trace/read/store.h"

int gt_store_open_packed(struct gt_store *s, int fd, struct gt_err *err)
{
	close(fd);
	return gt_fail(err, GT_EXIT_INPUT, "its first bytes are not those of a packed trace", "name the directory or file NAME.gputap that gputap run made",
	               "%s: not a gputap trace", s->path);
}
