/*
 * writers/callgrind/internal.h - what the files of this format share
 *
 * Copyright 2026 The gputap authors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GPUTAP_WRITERS_CALLGRIND_INTERNAL_H
#define GPUTAP_WRITERS_CALLGRIND_INTERNAL_H

#include "writers/costs.h"

/* file.c */
struct cg_head {
	const struct gt_export *x;
	const struct gt_costs *costs;
	bool instr;                       /* positions: instr line */
};
/* 0, or -1: out of memory. */
int cg_write(struct gt_output *out, const struct cg_head *head);

#endif
