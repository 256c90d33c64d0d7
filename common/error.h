/*
 * common/error.h - how the tool's library code reports a failure
 *
 * Library code returns -1 and fills *err; only cli/ prints and exits (docs/errors.md).
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_COMMON_ERROR_H
#define GPUTAP_COMMON_ERROR_H

enum gt_exit {                            /* also the tool's exit status */
	GT_EXIT_OK = 0, GT_EXIT_NO = 1, GT_EXIT_USAGE = 2, GT_EXIT_INPUT = 3, GT_EXIT_OUTPUT = 4, GT_EXIT_MISSING = 5
};

struct gt_err {
	enum gt_exit kind;
	char what[1536];                  /* "run1.gputap/4711.1/3.str: damaged record at byte 8192: ..." */
	char why[256];                    /* optional */
	char try[256];                    /* optional; names only commands that exist */
};

/* Fills *err (what from a format) and returns -1. why and try may be NULL. */
int gt_fail(struct gt_err *err, enum gt_exit kind, const char *why, const char *try_, const char *what, ...)
	__attribute__((format(printf, 5, 6)));
int gt_no_memory(struct gt_err *err);
#endif
