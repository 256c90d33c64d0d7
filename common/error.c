/*
 * common/error.c - fill in a struct gt_err
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>

int gt_no_memory(struct gt_err *err) { return gt_fail(err, GT_EXIT_INPUT, NULL, NULL, "out of memory"); }

int gt_fail(struct gt_err *err, enum gt_exit kind, const char *why, const char *try_, const char *what, ...)
{
	va_list ap;

	if (!err)
		return -1;
	err->kind = kind;
	va_start(ap, what);
	vsnprintf(err->what, sizeof(err->what), what, ap);
	va_end(ap);
	snprintf(err->why, sizeof(err->why), "%s", why ? why : "");
	snprintf(err->try, sizeof(err->try), "%s", try_ ? try_ : "");
	return -1;
}
