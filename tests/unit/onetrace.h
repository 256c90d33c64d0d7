/*
 * tests/unit/onetrace.h - the trace of a test: its place, which set-up and teardown name and remove, and its reader
 *
 * Included behind cmocka.h.
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_TESTS_UNIT_ONETRACE_H
#define GPUTAP_TESTS_UNIT_ONETRACE_H

#include <stdio.h>
#include <unistd.h>

#include "tests/tracebuild.h"
#include "trace/read/reader.h"

static char path[64];

static inline int make_path(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/gputap-test-%d.gputap", (int)getpid());
	return 0;
}

static inline int remove_path(void **state)
{
	(void)state;
	tb_remove(path);
	return 0;
}

/* For gt_reader_close. A trace that cannot be read fails the test. */
static inline struct gt_reader *open_trace(const char *name)
{
	struct gt_reader *r = NULL;
	struct gt_err err = { 0 };

	if (gt_reader_open(name, &r, &err) < 0)
		fail_msg("%s: %s", err.what, err.why);
	return r;
}

static inline struct gt_reader *open_reader(void) { return open_trace(path); }

#endif
